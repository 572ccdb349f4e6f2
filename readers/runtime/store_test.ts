import { assert, assertEquals } from "@std/assert";
import { memorySource } from "../source.ts";
import { activate } from "./activation.ts";
import { isReject } from "./outcome.ts";
import { openStore, type Store } from "./store.ts";
import { reader, request, world } from "./testing.ts";

function inFolder(test: (store: Store, folder: string) => void | Promise<void>) {
  return async () => {
    const folder = Deno.makeTempDirSync();
    try {
      await test(openStore(folder), folder);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

const it = world();
const id = it.base.identities.artifact_id;

Deno.test(
  "store: installs under the id that the bytes have, and opens it again",
  inFolder((store, folder) => {
    assertEquals(store.install(memorySource(it.base.bytes), reader).verdict, "accept");
    assertEquals(store.ids(), [id]);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), [`${id}.slm`]);
    const file = store.open(id);
    assertEquals(file?.size(), it.base.bytes.length);
    file?.close();
  }),
);

Deno.test(
  "store: nothing is kept of a rejected artifact",
  inFolder((store, folder) => {
    const bytes = it.base.bytes.slice();
    bytes[bytes.length - 1] ^= 1;
    const verdict = store.install(memorySource(bytes), reader);
    assert(isReject(verdict) && verdict.code === "PayloadHashMismatch");
    assertEquals([...Deno.readDirSync(folder)].length, 0);
  }),
);

Deno.test(
  "store: only ids name files; other files are not looked at",
  inFolder((store, folder) => {
    Deno.writeTextFileSync(`${folder}/notes.slm`, "no");
    Deno.writeTextFileSync(`${folder}/${id.toUpperCase()}.slm`, "no");
    assertEquals(store.ids(), []);
    assertEquals(store.open("notes"), null);
    assertEquals(store.open(`../${folder.split("/").at(-1)}/notes`), null);
    assertEquals(store.open(id), null);
  }),
);

Deno.test(
  "store: a file zeroed inside is refused by its whole_file, and a fresh install repairs it",
  inFolder(async (store, folder) => {
    for (const { bytes } of [it.base, it.tokenizer]) store.install(memorySource(bytes), reader);
    const tried = () => activate({ ...request(it), store });
    const bytes = it.base.bytes.slice();
    bytes.fill(0, bytes.length - 400, bytes.length - 100);
    Deno.writeFileSync(`${folder}/${id}.slm`, bytes);
    const refused = await tried();
    assert(isReject(refused) && refused.code === "DependencyWholeFile");
    store.install(memorySource(it.base.bytes), reader);
    assert(!isReject(await tried()));
  }),
);
