import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { artifactFile, put, stage } from "./store.ts";
import { tensorPack } from "./writer/build/model.ts";
import { isWriteError } from "./writer/fault.ts";
import { write } from "./writer/write.ts";

const payload = new Uint8Array(3_000_001).map((_, i) => i);
const good = tensorPack([{ role: "w", name: "w", shape: [payload.length], type: "u8", payload }]);

function withFolder(test: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    test(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
const list = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test("put: the file that write makes, under its identity", () => {
  withFolder((folder) => {
    const stored = put(folder, good), written = write(good);
    assert(!isWriteError(stored) && !isWriteError(written));
    assertEquals(list(folder), [artifactFile(written.identities.artifact_id)]);
    assertEquals(stored.identities, written.identities);
    assertEquals(Deno.readFileSync(stored.path), written.bytes);
  });
});

Deno.test("a faulty description or source leaves nothing behind", () => {
  withFolder((folder) => {
    const [tensor] = good.tensors!;
    const faults = [
      { ...tensor, name: "../../evil" },
      { ...tensor, payload: { size: () => payload.length, read: () => 0 } },
    ];
    for (const one of faults) assert(isWriteError(put(folder, tensorPack([one]))));
    const broken = { size: () => payload.length, read: () => assert(false, "device lost") ?? 0 };
    assertThrows(() => put(folder, tensorPack([{ ...tensor, payload: broken }])));
    assertEquals(list(folder), []);
  });
});

Deno.test("what is staged has no name until it is committed", () => {
  withFolder((folder) => {
    const staged = stage(folder, good);
    assert(!isWriteError(staged));
    assertEquals(list(folder).filter((name) => name.endsWith(".slm")), []);
    staged.discard();
    staged.discard();
    assertEquals(list(folder), []);
  });
});

Deno.test("where the name cannot be taken, the temporary file goes too", () => {
  withFolder((folder) => {
    const written = write(good);
    assert(!isWriteError(written));
    const taken = join(folder, artifactFile(written.identities.artifact_id));
    Deno.mkdirSync(join(taken, "full"), { recursive: true });
    assertThrows(() => put(folder, good));
    assertEquals(list(folder), [artifactFile(written.identities.artifact_id)]);
  });
});
