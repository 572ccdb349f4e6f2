/** Stages 26 and 27 of a file: hashes, padded lanes, blob grammars, expectations. */
import { assertEquals } from "@std/assert";
import { concat, u32, utf8 } from "../../corpus/writer/bytes.ts";
import { pieceSet } from "../../corpus/writer/build/evidence.ts";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { vocabularyTable } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { getField } from "../../corpus/writer/fields.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { described, judged, PACK, poked, TEXTS } from "./testing.ts";

const CONTENT = "26 BlobContent payload";
const HASH = "26 PayloadHashMismatch payload";
const LANE = "26 PaddedLane payload";

Deno.test("hashes: any byte of any object", () => {
  for (const [description, kind] of [[PACK, "tensor"], [TEXTS, "blob"]] as const) {
    const file = assemble(description).bytes;
    const field = (path: string) => Number(getField(file, path));
    const start = field("header.payload_offset");
    for (let i = 0; i < field(`header.${kind}_count`); i++) {
      const at = start + field(`${kind}[${i}].payload_relative_offset`);
      const last = at + field(`${kind}[${i}].payload_length`) - 1;
      assertEquals([judged(poked(file, at, 77)), judged(poked(file, last, 77))], [HASH, HASH]);
    }
  }
});

/** Codes of padded lanes (7.2) and where a lane's code stands, said once more. */
const PADDING: Readonly<Record<string, number>> = {
  "q8-0.b32": 0,
  "q4-0.b32": 8,
  "q4-1.b32": 0,
  "q5-0.b32": 16,
  "nf4.b64": 7,
};

Deno.test("padded lanes: each bit of each lane, of every family, row and pad", () => {
  for (const [name, { fields }] of REGISTERED) {
    const family = name.slice(0, name.lastIndexOf("."));
    const code = PADDING[family];
    if (code === undefined || name.endsWith(".exact")) continue;
    const { block_elements: n, block_bytes: size, code_bits: bits, packing_order: packing } =
      fields;
    const codes = size - bits * n / 8;
    /** [byte, bit] of each bit of lane `j`, low first */
    const places = (j: number): [number, number][] => {
      if (packing === 1) return Array.from({ length: 8 }, (_, b) => [codes + j, b]);
      if (packing === 3) {
        return Array.from({ length: 4 }, (_, b) => [codes + (j >> 1), 4 * (j % 2) + b]);
      }
      const nibbles = packing === 4 ? codes + 4 : codes;
      const low = Array.from(
        { length: 4 },
        (_, b): [number, number] => [nibbles + j % (n / 2), (j < n / 2 ? 0 : 4) + b],
      );
      return packing === 4 ? [...low, [codes + (j >> 3), j & 7]] : low;
    };
    const rows = name.endsWith(".row") ? 2 : 1;
    for (const used of [1, n / 2 - 1, n / 2, n - 1]) {
      const shape = rows === 2 ? [2, n + used] : [n + used];
      const payload = new Uint8Array(2 * rows * size);
      for (let i = 0; i < payload.length; i++) payload[i] = 37 * i; // anything, in lanes that count
      for (let row = 0; row < rows; row++) {
        for (let j = used; j < n; j++) {
          places(j).forEach(([byte, bit], b) => {
            const at = (2 * row + 1) * size + byte;
            payload[at] = payload[at] & ~(1 << bit) | (code >> b & 1) << bit;
          });
        }
      }
      const of = (bytes: Uint8Array) =>
        described({
          ...PACK,
          auxiliaries: [],
          tensors: [{ role: "t", name: "t", shape, type: name, payload: bytes }],
        });
      assertEquals(of(payload), "accept", name);
      for (let row = 0; row < rows; row++) {
        const block = (2 * row + 1) * size;
        for (const j of [0, used - 1, used, n - 1]) {
          for (const [byte, bit] of places(j)) {
            const broken = payload.with(block + byte, payload[block + byte] ^ 1 << bit);
            assertEquals(of(broken), j < used ? "accept" : LANE, `${name} lane ${j} of ${used}`);
          }
        }
      }
    }
  }
});

Deno.test("padded lanes: across windows, and the hash comes first", () => {
  const rows = 9000;
  const payload = new Uint8Array(rows * 68);
  const of = (bytes: Uint8Array) =>
    assemble({
      ...PACK,
      auxiliaries: [],
      tensors: [{ role: "t", name: "t", shape: [rows, 33], type: "q8-0.b32.row", payload: bytes }],
    }).bytes;
  const file = of(payload);
  assertEquals(judged(file), "accept");
  for (const row of [0, 3854, 3855, 8999]) {
    const broken = of(payload.with(68 * row + 67, 1));
    assertEquals(judged(broken), LANE, `${row}`);
    assertEquals(
      judged(poked(file, Number(getField(file, "header.payload_offset")) + 68 * row + 67, 1)),
      HASH,
    );
  }
});

// ------------------------------------------------------------------------ other kinds

const reference = (byte: number, cls: number) => ({
  class: cls,
  artifact_id: new Uint8Array(32).fill(byte).toHex(),
  whole_file: new Uint8Array(32).fill(byte + 1).toHex(),
});
const bytes = (...list: number[]) => Uint8Array.from(list);

Deno.test("template literals: UTF-8, text/plain, 256 KiB in all", () => {
  const good = template(reference(1, 4), ["\ufeffA", "b"]);
  const of = (...blobs: Partial<NonNullable<Description["blobs"]>[number]>[]) =>
    described({ ...good, blobs: good.blobs!.map((blob, i) => ({ ...blob, ...blobs[i] })) });
  assertEquals(of(), "accept");
  assertEquals(of({ payload: bytes(0xff) }), CONTENT);
  assertEquals(of({ payload: bytes(0xe2, 0x82) }, { payload: bytes(0xac) }), CONTENT);
  assertEquals(of({ media_type: "text/html" }), CONTENT);
  assertEquals(of({ name: "any/name" }), "accept");
  const half = new Uint8Array(128 * 1024).fill(0x61);
  assertEquals(of({ payload: half }, { payload: half }), "accept");
  assertEquals(of({ payload: half }, { payload: concat(half, bytes(0x61)) }), CONTENT);
  assertEquals(of({ payload: concat(half, half, bytes(0x61)) }, { payload: bytes(0x61) }), CONTENT);
});

Deno.test("reports: UTF-8, of any length, cut anywhere by the window", () => {
  const of = (payload: Uint8Array) =>
    described({ ...TEXTS, blobs: [{ kind: 80, name: "r", media_type: "any/type", payload }] });
  const long = utf8("\u20ac".repeat(200_000));
  assertEquals(of(long), "accept");
  assertEquals(of(long.subarray(0, -1)), CONTENT);
  assertEquals(of(long.with(300_001, 0x41)), CONTENT);
});

Deno.test("documents: a table whose texts are each UTF-8", () => {
  const of = (payload: Uint8Array, count: number) => {
    const parts = retrievalIndex({
      embedding: reference(1, 6),
      tokenizer: reference(2, 4),
      chunking: "line",
      corpus_revision: new Uint8Array(32),
      metric: "l2",
      documents: new Array<string>(count).fill("x"),
      dim: 1,
      type: "f32",
      vectors: new Uint8Array(4 * count),
    });
    return described({ ...parts, blobs: parts.blobs!.map((blob) => ({ ...blob, payload })) });
  };
  const table = (...texts: (string | Uint8Array)[]) => vocabularyTable(texts);
  const word = (payload: Uint8Array, index: number, value: number) => {
    const copy = payload.slice();
    copy.set(u32(value), 4 * index);
    return copy;
  };
  assertEquals(of(table("", "\u20ac", ""), 3), "accept");
  assertEquals(of(table("", "", ""), 3), "accept");
  assertEquals(of(table("a", "b"), 3), CONTENT);
  assertEquals(of(table(bytes(0xe2), bytes(0x82, 0xac)), 2), CONTENT, "one character in two");
  assertEquals(of(table("", bytes(0xe2, 0x82)), 2), CONTENT);
  assertEquals(of(table(bytes(0x80)), 1), CONTENT);
  const two = table("ab", "cd");
  assertEquals(of(word(two, 1, 1), 2), CONTENT, "first offset");
  assertEquals(of(word(two, 2, 5), 2), CONTENT, "past the end");
  assertEquals(of(word(two, 3, 3), 2), CONTENT, "not to the end");
  assertEquals(of(word(word(two, 2, 4), 3, 3), 2), CONTENT, "decreasing");
  assertEquals(of(word(two, 0, 2 ** 32 - 1), 2), CONTENT);
  for (const length of [1, 3, 4, 7, 8, 15]) assertEquals(of(two.subarray(0, length), 2), CONTENT);
  // More offsets than the second window holds, and texts that cross the first.
  const many = Array.from(
    { length: 9000 },
    (_, i) => i % 3 === 0 ? "" : "\u00e9\u20ac".repeat(i % 40),
  );
  const large = table(...many);
  assertEquals(of(large, 9000), "accept");
  const at = 8 + 4 * 8999; // the offset that begins the last text
  const last = new DataView(large.buffer).getUint32(at, true);
  assertEquals(of(word(large, at / 4, last - 1), 9000), CONTENT);
  const short = word(large, 3, 1); // document 1 ends inside its first character
  assertEquals(of(short, 9000), CONTENT);
});

Deno.test("piece sets: one blob, of the right length and root", () => {
  const { description } = pieceSet(reference(1, 1), new Uint8Array(9_000_000));
  const [blob] = description.blobs!;
  const hashes = blob.payload as Uint8Array;
  const of = (...blobs: Description["blobs"] & unknown[]) => described({ ...description, blobs });
  assertEquals(hashes.length, 96);
  assertEquals(of({ ...blob, media_type: "any" }), "accept");
  assertEquals(of({ ...blob, name: "hash" }), CONTENT);
  assertEquals(of({ ...blob, payload: hashes.subarray(32) }), CONTENT);
  assertEquals(of({ ...blob, payload: concat(hashes, bytes(0)) }), CONTENT);
  assertEquals(of({ ...blob, payload: hashes.with(95, hashes[95] ^ 1) }), CONTENT);
  assertEquals(of(blob, { ...blob, name: "hashes2" }), CONTENT);
  const body = (more: Readonly<Record<string, number>>) =>
    described({ ...description, body: { ...description.body, ...more } });
  assertEquals(body({ subject_bytes: 0 }), "18 BadValue manifest");
  assertEquals(body({ subject_bytes: 2 ** 53 - 1 }), "18 BadValue manifest");
  assertEquals(body({ piece_count: 2 }), "18 BadValue manifest");
  assertEquals(body({ piece_size: 4_194_303 }), "18 BadValue manifest");
  assertEquals(body({ subject_bytes: 9_000_001 }), CONTENT, "a leaf binds its length");
});

Deno.test("expectations: the whole file, then the id", () => {
  const { bytes: file, identities } = assemble(PACK);
  const { whole_file, artifact_id } = identities;
  const other = "00".repeat(32);
  const of = (expect: Readonly<Record<string, string>>) => judged(file, { expect });
  assertEquals(of({ whole_file, artifact_id }), "accept");
  assertEquals(of({}), "accept");
  assertEquals(of({ whole_file: other, artifact_id: other }), "27 WholeFileHashMismatch file");
  assertEquals(of({ artifact_id: other }), "27 IdentityMismatch file");
  assertEquals(of({ whole_file: other }), "27 WholeFileHashMismatch file");
});
