/**
 * Faults that were found in readers of other formats, each tried on both readers with the
 * verdict that the spec gives it. One row a trial; every file is otherwise valid.
 */
import { assertEquals } from "@std/assert";
import { concat, u32 } from "../corpus/writer/bytes.ts";
import { retrievalIndex } from "../corpus/writer/build/retrieval.ts";
import { tensorPack } from "../corpus/writer/build/model.ts";
import type { Description, ExtensionDescription } from "../corpus/writer/description.ts";
import { getField, setField } from "../corpus/writer/fields.ts";
import type { Source } from "../readers/contract.ts";
import { memorySource } from "../readers/source.ts";
import {
  dense,
  file,
  identitiesOf,
  type Outcome,
  patched as overwritten,
  READERS,
  RECEIPT,
  sentences,
} from "./sentences/sentences.ts";
import { WatchedAllocator } from "./watchdog/allocator.ts";

const trial = (name: string, file: () => Uint8Array, expected: Outcome): void =>
  sentences("trial", [[name, file, expected]]);

const tensor = (role: string, name: string, shape: readonly number[] = [2, 3]) =>
  dense(role, name, shape);

/** A good file of three tensors, with the given fields overwritten. */
function patched(fields: Record<string, number | bigint>): Uint8Array {
  const good = file(tensorPack([tensor("a", "x"), tensor("b", "y"), tensor("c", "z")]));
  return overwritten(good, fields);
}

// Dimension products and size sums that wrap.
trial("a product of 2^64 is an overflow, not 0", () =>
  patched({
    "tensor[0].rank": 4,
    ...Object.fromEntries([0, 1, 2, 3].map((axis) => [`tensor[0].shape_${axis}`, 65536])),
    "tensor[0].logical_element_count": 0,
    "tensor[0].stored_bytes": 0,
    "tensor[0].payload_length": 0,
  }), "21 ShapeOverflow [tensors]");

// The low 32 bits of a 64-bit offset, halves joined by shifts, rounding above 2^53.
trial("2^32 more than the string table's place", () => {
  const offset = Number(getField(patched({}), "header.string_table_offset"));
  return patched({ "header.string_table_offset": offset + 2 ** 32 });
}, "14 SectionOutOfPlace [strings]");
trial(
  "manifest_offset 2^53 - 1",
  () => patched({ "header.manifest_offset": 2 ** 53 - 1 }),
  "13 SectionOverflow [manifest]",
);
for (const offset of [2n ** 53n, 2n ** 53n + 1n]) {
  trial(
    `manifest_offset ${offset}`,
    () => patched({ "header.manifest_offset": offset }),
    "12 IntegerRange [header]",
  );
}
trial(
  "file_size 2^64 - 1",
  () => patched({ "header.file_size": 2n ** 64n - 1n }),
  "11 FileSizeMismatch [header]",
);

// A rank that bounds a loop over a fixed array.
for (const rank of [9, 255]) {
  trial(
    `rank ${rank} before a bad layer`,
    () => patched({ "tensor[0].rank": rank, "tensor[0].layer": -2 }),
    "21 ShapeInvalid [tensors]",
  );
}

// Two things of one name.
trial(
  "a name used twice, not adjacent",
  () => file(tensorPack([tensor("a", "x"), tensor("b", "y"), tensor("c", "x")])),
  "21 DuplicateName [tensors]",
);
trial("a tensor and a blob of one name", () => {
  const index = retrieval();
  return file({ ...index, blobs: index.blobs!.map((blob) => ({ ...blob, name: "vectors" })) });
}, "22 DuplicateName [blobs]");

/** An index of two documents. */
function retrieval(): Description {
  const reference = { class: 6, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };
  return retrievalIndex({
    embedding: reference,
    tokenizer: { ...reference, class: 4 },
    chunking: "whole/1",
    corpus_revision: new Uint8Array(32).fill(3),
    metric: "dot",
    documents: ["one", "two"],
    dim: 2,
    type: "f32",
    vectors: new Uint8Array(16),
  });
}

// Offsets that are judged while they stream by.
trial("documents whose last offset leaves text over", () => {
  const index = retrieval();
  const payload = concat(u32(2), u32(0), u32(0), u32(0), Uint8Array.of(0x61, 0x62));
  return file({ ...index, blobs: index.blobs!.map((blob) => ({ ...blob, payload })) });
}, "26 BlobContent [payload]");

// A declared extent that passes the end of the file.
trial("the last tensor grown by a row", () =>
  patched({
    "tensor[2].shape_0": 3,
    "tensor[2].logical_element_count": 9,
    "tensor[2].stored_bytes": 36,
    "tensor[2].payload_length": 36,
  }), "24 PayloadOutOfBounds [payload]");
trial("the last byte cut off", () => patched({}).slice(0, -1), "11 FileSizeMismatch [header]");

// Names that would be paths.
for (const name of ["a/../b", "a//b", "..", "a/", "A", "/a"]) {
  trial(
    `the string ${JSON.stringify(name)}`,
    () => file(tensorPack([tensor("zz", name)])),
    "19 StringInvalid [strings]",
  );
}

// Quantised rows whose size counts elements, and their padded lanes.
function quantised(tail: string, bytes: number, lane?: number): Uint8Array {
  const payload = new Uint8Array(bytes);
  if (lane !== undefined) payload[lane] = 1;
  return file(
    tensorPack([{ role: "w", name: "w", shape: [3, 33], type: `q8-0.b32.${tail}`, payload }]),
  );
}
trial("q8-0 [3, 33] by rows takes 204 bytes", () => quantised("row", 204), "accept");
trial("q8-0 [3, 33] as one run takes 136 bytes", () => quantised("pad", 136), "accept");
trial(
  "q8-0 [3, 33] fills no whole blocks",
  () => quantised("exact", 136),
  "21 TailRule [tensors]",
);
trial("a padded lane that is not zero", () => quantised("row", 204, 67), "26 PaddedLane [payload]");
trial("an infinite scale is for a runtime to refuse", () => {
  const payload = new Uint8Array(34);
  payload.set([0x00, 0x7c]);
  return file(tensorPack([{ role: "w", name: "w", shape: [32], type: "q8-0.b32.pad", payload }]));
}, "accept");

// Manifests. `hex` stands for the value of the one key of an extension's payload.
const MARK = 0xfa_ce_b0;
/** A good file whose extension payload {"n": value} has its value's encoding replaced. */
function withValue(encoding: string): Uint8Array {
  return withPayload(
    concat(Uint8Array.of(0xa1, 0x61, 0x6e), Uint8Array.fromHex(encoding.replaceAll(" ", ""))),
  );
}
/** The same with the payload's whole encoding replaced; the file is laid out anew. */
function withPayload(encoding: Uint8Array): Uint8Array {
  const extension: ExtensionDescription = {
    id: "org.example/x",
    version: 1,
    critical: false,
    payload: { n: MARK },
  };
  const marked = Uint8Array.of(0xa1, 0x61, 0x6e, 0x1a, 0x00, 0xfa, 0xce, 0xb0);
  const bytes = file({ ...RECEIPT, extensions: [extension] });
  const at = bytes.toHex().indexOf(marked.toHex()) / 2;
  const whole = concat(bytes.subarray(0, at), encoding, bytes.subarray(at + marked.length));
  setField(whole, "header.file_size", whole.length);
  setField(whole, "header.manifest_length", whole.length - 256);
  return whole;
}

for (
  const [encoding, expected] of [
    ["3b 0000000e96848f5f", "accept"],
    ["3b 7fffffffffffffff", "accept"],
    ["3b 8000000000000000", "17 CborIntegerRange [manifest]"],
    ["1b ffffffffffffffff", "accept"],
    ["9f", "17 CborIndefiniteLength [manifest]"],
    ["1f", "17 CborReservedInfo [manifest]"],
    ["f7", "17 CborForbiddenType [manifest]"],
    ["f9 7e00", "17 CborForbiddenType [manifest]"],
    ["c1", "17 CborForbiddenType [manifest]"],
    ["18 00", "17 CborNotShortest [manifest]"],
    ["9b ffffffffffffffff", "17 FormatLimitExceeded [manifest]"],
    ["99 4001", "17 FormatLimitExceeded [manifest]"],
    ["5a 00100001", "17 FormatLimitExceeded [manifest]"],
    ["99 4000", "17 CborTruncated [manifest]"],
    ["68 f0918da6f0918f8e", "17 CborNotNfc [manifest]"],
    ["68 f0918f82f0918eb8", "17 CborNotNfc [manifest]"],
    ["63 efbfbf", "17 CborUnassigned [manifest]"],
    ["63 ee8080", "accept"],
  ]
) trial(`the manifest value ${encoding}`, () => withValue(encoding), expected);

trial(
  "ff as a key",
  () => withPayload(Uint8Array.of(0xa1, 0xff, 0x00)),
  "17 CborKeyNotText [manifest]",
);
trial(
  "an empty key and U+FEFF are two keys",
  () => withPayload(Uint8Array.fromHex("a26000" + "63efbbbf" + "00")),
  "accept",
);
// payload is the fourth level: manifest, extensions, extension, payload
trial(
  "sixteen levels",
  () => withPayload(Uint8Array.fromHex("a1616e" + "81".repeat(11) + "80")),
  "accept",
);
trial(
  "the seventeenth level",
  () => withPayload(Uint8Array.fromHex("a1616e" + "81".repeat(12) + "80")),
  "17 FormatLimitExceeded [manifest]",
);
trial("200,000 nested arrays", () => {
  const bytes = withPayload(new Uint8Array(200_000).fill(0x81));
  return bytes;
}, "17 FormatLimitExceeded [manifest]");

// A file that lies about a size that it has: 200 GiB, all holes.
Deno.test("trial: a 200 GiB file with a lying header costs a few small reads", () => {
  const good = patched({});
  const size = 200 * 2 ** 30;
  setField(good, "header.file_size", size);
  setField(good, "header.tensor_count", 65_536);
  let bytes = 0;
  const source: Source = {
    size: () => size,
    read(offset, into) {
      bytes += into.length;
      into.fill(0);
      into.set(good.subarray(offset, offset + into.length));
      return into.length;
    },
  };
  for (const reader of READERS) {
    bytes = 0;
    const allocator = new WatchedAllocator();
    const { verdict } = reader.read({
      source,
      allocator,
    });
    assertEquals(verdict.verdict, "reject");
    assertEquals(
      [bytes <= 2 ** 20, allocator.held <= 2 ** 20],
      [true, true],
      `${reader.name} ${bytes} ${allocator.held}`,
    );
  }
});

// Checks that are linear in the records, and what they hold.
Deno.test("trial: 65,536 one-element tensors are accepted within the memory of section 8", () => {
  const tensors = Array.from({ length: 65_536 }, (_, i) => tensor("w", `t${i}`, [1]));
  const bytes = file(tensorPack(tensors));
  const structure = Number(getField(bytes, "header.payload_offset"));
  for (const reader of READERS) {
    const allocator = new WatchedAllocator();
    const { verdict } = reader.read({
      source: memorySource(bytes),
      pieces: false,
      allocator,
    });
    assertEquals(verdict.verdict, "accept", reader.name);
    assertEquals(
      allocator.held <= 2 ** 20 + 16 * structure,
      true,
      `${reader.name} holds ${allocator.held} bytes`,
    );
  }
});

// The same bytes as a view into a larger buffer.
Deno.test("trial: a view's surroundings do not matter", () => {
  const good = patched({});
  const results = [0xaa, 0x55].map((fill) => {
    const buffer = new Uint8Array(good.length + 64).fill(fill);
    buffer.set(good, 13);
    const view = buffer.subarray(13, 13 + good.length);
    return READERS.map((reader) => reader.read({ source: memorySource(view) }).verdict);
  });
  const alone = READERS.map((reader) => reader.read({ source: memorySource(good) }).verdict);
  assertEquals(results, [alone, alone]);
});

// Fields side by side without lengths.
Deno.test("trial: a byte that moves from role to name changes the identities", () => {
  const ids = [["ab", "c"], ["a", "bc"]].map(([role, name]) => {
    const { tensors, tensor_layout, artifact_id } = identitiesOf(
      file(tensorPack([tensor(role, name)])),
    );
    return [...tensors, tensor_layout, artifact_id];
  });
  assertEquals(ids[0].filter((id, i) => id === ids[1][i]), []);
});
