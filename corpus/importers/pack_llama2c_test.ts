import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { dataTest } from "../../lab/data.ts";
import { loadReaders, READER_NAMES } from "../../lab/readers.ts";
import { memorySource } from "../../readers/source.ts";
import { artifactFile } from "../store.ts";
import { getField } from "../writer/fields.ts";
import { isWriteError } from "../writer/fault.ts";
import { wholeFile } from "../writer/identity.ts";
import { isImportError } from "./import.ts";
import { checkpoint, PIECES, tokenizerFile } from "./llama2c_testing.ts";
import { type Packed, packLlama2c } from "./pack_llama2c.ts";

/** A folder with a model and a tokenizer, and a store's name that is not there yet. */
function withFiles(
  model: Uint8Array,
  tokenizer: Uint8Array,
  test: (files: { model: string; tokenizer: string; out: string }) => void,
): void {
  const folder = Deno.makeTempDirSync();
  try {
    const files = {
      model: join(folder, "model.bin"),
      tokenizer: join(folder, "tok.bin"),
      out: join(folder, "store"),
    };
    Deno.writeFileSync(files.model, model);
    Deno.writeFileSync(files.tokenizer, tokenizer);
    test(files);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function packed(request: Parameters<typeof packLlama2c>[0]): Packed {
  const result = packLlama2c(request);
  if (isImportError(result) || isWriteError(result)) throw new Error(JSON.stringify(result));
  return result;
}

const list = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
const tokenizerBytes = tokenizerFile(PIECES);

Deno.test("three artifacts under their identities, and nothing else", () => {
  withFiles(checkpoint(), tokenizerBytes, (files) => {
    const result = packed(files);
    const all = [result.base, result.tokenizer, result.composition];
    assertEquals(
      list(files.out),
      all.map((one) => artifactFile(one.identities.artifact_id)).sort(),
    );
    for (const { path, identities, file_size } of all) {
      const bytes = Deno.readFileSync(path);
      assertEquals(bytes.length, file_size);
      assertEquals(wholeFile(bytes).toHex(), identities.whole_file);
      assertEquals(getField(bytes, "header.artifact_class"), identities.class);
    }
    const again = packed({ ...files, out: files.out });
    assertEquals(again.composition.identities, result.composition.identities);
    assertEquals(list(files.out).length, 3);
  });
});

Deno.test("every reader accepts them, the composition with its closure, under the same identities", async () => {
  const readers = await loadReaders(READER_NAMES.join(","));
  withFiles(checkpoint(), tokenizerBytes, (files) => {
    const { base, tokenizer, composition } = packed(files);
    const resolve = [base, tokenizer].map(({ path, identities }) => ({
      source: memorySource(Deno.readFileSync(path)),
      claimed_id: identities.artifact_id,
    }));
    for (const reader of readers) {
      for (const { path, identities } of [base, tokenizer, composition]) {
        const source = memorySource(Deno.readFileSync(path));
        const { verdict } = reader.read({ source, resolve });
        assertEquals(verdict, { verdict: "accept", identities }, reader.name);
      }
    }
  });
});

Deno.test("a damaged file of the store is repaired", () => {
  withFiles(checkpoint(), tokenizerBytes, (files) => {
    const { base } = packed(files);
    const good = Deno.readFileSync(base.path);
    Deno.writeFileSync(base.path, good.map((byte, i) => i > 1000 && i < 2000 ? 0 : byte));
    packed(files);
    assertEquals(Deno.readFileSync(base.path), good);
  });
});

Deno.test("bad sources: the fault, and nothing written", () => {
  const cases: [Uint8Array, Uint8Array, string, string][] = [
    [checkpoint().slice(0, -4), tokenizerBytes, "Truncated", "model.bin"],
    [checkpoint(), tokenizerBytes.slice(0, -1), "Truncated", "tok.bin"],
    [checkpoint(), tokenizerFile([...PIECES, ["b", 0]]), "VocabularyMismatch", "tok.bin"],
    [
      checkpoint().map((byte, i, all) => i >= all.length - 50 && i < all.length - 46 ? 0xff : byte),
      tokenizerBytes,
      "NonFinite",
      "model.bin",
    ],
  ];
  for (const [model, tokenizer, code, file] of cases) {
    withFiles(model, tokenizer, (files) => {
      const result = packLlama2c(files);
      assert(isImportError(result));
      assertEquals([result.code, result.file.endsWith(file)], [code, true]);
      assertThrows(() => Deno.statSync(files.out), Deno.errors.NotFound);
    });
  }
});

Deno.test("a missing source is an I/O error, and nothing written", () => {
  withFiles(checkpoint(), tokenizerBytes, (files) => {
    assertThrows(() => packLlama2c({ ...files, model: files.model + "x" }), Deno.errors.NotFound);
    assertThrows(() => Deno.statSync(files.out), Deno.errors.NotFound);
  });
});

/** Identities of the bundled model: they change only if the format or the importer does. */
const FABLE = {
  base: "eaf3f61c1e6d6245d16d0c619e15f18cd938fce3f11ff668ec691686595eea08",
  tokenizer: "fe82bba59c5d4f7d011b363058bb29d985c6352ab7cdeb5cbdec959ae6525a86",
  composition: "4bae08168e81cca986b8de57f1d553574a63d51a375523394af866dc0777aa5e",
};

Deno.test("fable: the same identities every time", () => {
  const folder = new URL("../models/fable/", import.meta.url);
  const read = (name: string) => Deno.readFileSync(new URL(name, folder));
  withFiles(read("fable.bin"), read("fable-tok.bin"), (files) => {
    const { base, tokenizer, composition } = packed(files);
    assertEquals({
      base: base.identities.artifact_id,
      tokenizer: tokenizer.identities.artifact_id,
      composition: composition.identities.artifact_id,
    }, FABLE);
  });
});

dataTest("stories260K packs", (data) => {
  const read = (name: string) => Deno.readFileSync(new URL(`models/${name}`, data));
  withFiles(read("stories260K.bin"), read("tok512.bin"), (files) => {
    assertEquals(list((packed(files), files.out)).length, 3);
  });
});
