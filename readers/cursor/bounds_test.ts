/** Section 8, work and memory: what a reader holds, and how often it reads what. */
import { assert, assertEquals } from "@std/assert";
import { concat, u32, utf8 } from "../../corpus/writer/bytes.ts";
import { tokenizer, vocabularyTable } from "../../corpus/writer/build/tokenizer.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { getField } from "../../corpus/writer/fields.ts";
import { assemble } from "../../corpus/writer/write.ts";
import type { Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";
import { brief, edited, PACK, TEXTS } from "./testing.ts";

const MIB = 2 ** 20;

/** A source over `file` that counts how often each byte was read. */
function counting(file: Uint8Array) {
  const times = new Uint8Array(file.length);
  let reads = 0;
  const source: Source = {
    size: () => file.length,
    read(offset, into) {
      reads++;
      assert(offset >= 0 && offset + into.length <= file.length, "a byte outside the file");
      assert(into.length <= MIB || offset < Number(getField(file, "header.payload_offset")));
      for (let i = offset; i < offset + into.length; i++) times[i]++;
      return memorySource(file).read(offset, into);
    },
  };
  return { source, times, reads: () => reads };
}

/** An allocator that counts, and what it counted. */
function meter() {
  let held = 0;
  const allocator = {
    bytes(length: number) {
      held += length;
      return new Uint8Array(length);
    },
    hold: (length: number) => void (held += length),
  };
  return { allocator, held: () => held };
}

/** Section 8: what structural stages may hold for this file. */
function bound(file: Uint8Array): number {
  const field = (path: string) => Number(getField(file, `header.${path}`));
  const structure = field("manifest_length") + field("string_table_length") +
    128 * field("quant_count") + 192 * field("tensor_count") + 96 * field("blob_count") +
    32 * field("auxiliary_count");
  return MIB + 16 * structure;
}

const u8 = (count: number, size: number, more: Partial<Description> = {}): Description => ({
  ...tensorPack(
    Array.from({ length: count }, (_, i) => ({
      role: "t",
      name: `t${String(i).padStart(6, "0")}`,
      shape: [size],
      type: "u8",
      payload: new Uint8Array(size).fill(i),
    })),
  ),
  ...more,
});

const reference = (byte: number, cls: number) => ({
  class: cls,
  artifact_id: new Uint8Array(32).fill(byte).toHex(),
  whole_file: new Uint8Array(32).fill(byte).toHex(),
});
const DOCUMENTS = retrievalIndex({
  embedding: reference(1, 6),
  tokenizer: reference(2, 4),
  chunking: "line",
  corpus_revision: new Uint8Array(32),
  metric: "dot",
  documents: Array.from({ length: 20_000 }, (_, i) => "\u00e9".repeat(i % 50)),
  dim: 1,
  type: "f32",
  vectors: new Uint8Array(80_000),
});
const BIG_EXTENSION = {
  ...TEXTS,
  extensions: [{
    id: "x",
    version: 1,
    critical: false,
    payload: { a: Array.from({ length: 16_000 }, () => 0), b: new Uint8Array(MIB) },
  }],
};

for (
  const [name, description] of [
    ["small", PACK],
    ["large tensors", u8(9, 900_000)],
    ["small tensors", u8(5000, 1)],
    ["documents", DOCUMENTS],
    ["a large manifest", BIG_EXTENSION],
    ["texts", { ...TEXTS, blobs: [{ ...TEXTS.blobs![0], payload: new Uint8Array(3 * MIB) }] }],
  ] as [string, Description][]
) {
  Deno.test(`bounds: memory and reads of an artifact: ${name}`, () => {
    const { bytes: file, identities } = assemble(description);
    const { source, times } = counting(file);
    const { allocator, held } = meter();
    const { verdict } = cursor.read({ source, allocator });
    assertEquals(verdict, { verdict: "accept", identities });
    assert(held() <= bound(file), `${held()} of ${bound(file)}`);
    const payload = Number(getField(file, "header.payload_offset"));
    assert(times.every((n, i) => n === 1 || n === 2 && i >= payload), "at most twice");
  });
}

Deno.test("bounds: held blobs may be held, and no more", () => {
  const vocabulary = Array.from({ length: 20_000 }, (_, i) => utf8(`token-${i}`));
  const { bytes: file } = assemble(tokenizer({ vocabulary }, { kind: "table/1" }));
  const { allocator, held } = meter();
  assertEquals(brief(cursor.read({ source: memorySource(file), allocator }).verdict), "accept");
  const blob = Number(getField(file, "blob[0].payload_length"));
  assert(held() <= bound(file) + blob);
});

Deno.test("bounds: 65,536 tensors take a few reads and linear memory", () => {
  const { bytes: file } = assemble(u8(65_536, 1));
  const { source, reads } = counting(file);
  const { allocator, held } = meter();
  assertEquals(brief(cursor.read({ source, allocator, pieces: false }).verdict), "accept");
  const payload = Number(getField(file, "header.payload_length"));
  assert(reads() <= 2 + 2 * Math.ceil(payload / (200 * 1024)), `${reads()} reads`);
  assert(held() <= bound(file));
});

Deno.test("bounds: nothing is allocated from a length before stage 15", () => {
  const file = assemble(PACK).bytes;
  for (
    const [field, value] of [
      ["manifest_length", 4 * MIB],
      ["string_table_length", 16 * MIB],
      ["tensor_count", 65_536],
      ["auxiliary_count", 262_144],
    ] as const
  ) {
    const { allocator, held } = meter();
    const source = memorySource(edited(file, { [`header.${field}`]: value }));
    assertEquals(cursor.read({ source, allocator }).verdict.verdict, "reject");
    assert(held() <= 400_000, `${held()}`);
  }
});

Deno.test("bounds: a large table of few bytes is not believed", () => {
  const { bytes } = assemble(
    tokenizer({ vocabulary: ["a"] }, { kind: "table/1", vocab_size: 2 ** 32 - 1 }),
  );
  const { allocator, held } = meter();
  const verdict = cursor.read({ source: memorySource(bytes), allocator }).verdict;
  assertEquals(brief(verdict), "26 BlobContent payload");
  const liar = tokenizer({ vocabulary: ["a"], merges: [] }, { kind: "table/1" });
  const blobs = liar.blobs!.map((blob) =>
    blob.kind === 2 ? { ...blob, payload: concat(u32(2 ** 32 - 1), vocabularyTable([])) } : blob
  );
  const file = assemble({ ...liar, blobs }).bytes;
  assertEquals(
    brief(cursor.read({ source: memorySource(file), allocator }).verdict),
    "26 BlobContent payload",
  );
  assert(held() < 2 * 420_000);
});

Deno.test("bounds: a file that shrinks or changes while it is read", () => {
  const file = assemble(u8(3, 400_000)).bytes;
  let reads = 0;
  const shrinking: Source = {
    size: () => file.length,
    read: (offset, into) =>
      memorySource(reads++ < 3 ? file : file.subarray(0, 500_000)).read(offset, into),
  };
  assertEquals(brief(cursor.read({ source: shrinking }).verdict), "1 SourceIo none");
});
