import { assertEquals } from "@std/assert";
import type { Policy } from "../contract.ts";
import { table } from "./reader.ts";
import { concat, fill32, le, memory, patched, short, utf8 } from "./testing.ts";
import {
  type AuxDraft,
  type BlobDraft,
  build,
  type Draft,
  type TensorDraft,
} from "./testing_build.ts";
import { floats, pack, q8Block, quants } from "./testing_models.ts";
import { retrieval, tokenizer } from "./testing_samples.ts";

const verdict = (draft: Draft, policy?: Policy) =>
  short(table.read({ source: memory(build(draft)), policy }).verdict);

/** The pack with fields of one record overridden. */
function withTensor(
  index: number,
  set: TensorDraft["set"],
  more: Partial<TensorDraft> = {},
): Draft {
  const draft = pack();
  const tensors = draft.tensors?.map((t, i) => i === index ? { ...t, ...more, set } : t);
  return { ...draft, tensors };
}
function dense(name: string, more: Partial<TensorDraft> = {}): TensorDraft {
  return { role: "a", name, shape: [1], data: floats(1), ...more };
}

Deno.test("stage 21: tensors", () => {
  const huge = concat(...[0, 1, 2, 3].map(() => le(65536, 8)), new Uint8Array(32));
  const shape = (...dims: number[]) =>
    concat(...dims.map((d) => le(d, 8)), new Uint8Array(64 - 8 * dims.length));
  const cases: [string, Draft, Policy?][] = [
    ["21 BadRecordVersion [tensors]", withTensor(0, { record_version: 2, flags: 1 })],
    ["21 NonZeroFlags [tensors]", withTensor(0, { flags: 1, reserved_0: 1 })],
    ["21 NonZeroFlags [tensors]", withTensor(0, { flags_2: 1, reserved_0: 1 })],
    ["21 NonZeroReserved [tensors]", withTensor(0, { reserved_0: 1, rank: 9 })],
    ["21 BadStringId [tensors]", withTensor(0, { semantic_role_string_id: 99, rank: 9 })],
    ["21 BadStringId [tensors]", withTensor(0, { canonical_name_string_id: 2 ** 32 - 1, rank: 9 })],
    ["21 ShapeInvalid [tensors]", withTensor(0, { rank: 9, layer: -2 })],
    ["21 ShapeInvalid [tensors]", withTensor(0, { rank: 255, layer: -2 })],
    ["21 PolicyLimitExceeded [tensors]", withTensor(0, { layer: -2 }), { rank: 1 }],
    ["21 ShapeInvalid [tensors]", withTensor(0, { rank: 9 }), { rank: 1 }],
    ["21 TensorFieldInvalid [tensors]", withTensor(0, { layer: -2, element_type: 0 })],
    ["21 TensorFieldInvalid [tensors]", withTensor(0, { subindex_0: -2, element_type: 0 })],
    ["21 TensorFieldInvalid [tensors]", withTensor(0, { subindex_1: -(2 ** 31) })],
    ["21 UnknownElementType [tensors]", withTensor(0, { element_type: 0, quant_profile_index: 0 })],
    ["21 UnknownElementType [tensors]", withTensor(0, { element_type: 13 })],
    ["21 UnknownElementType [tensors]", withTensor(0, { element_type: 257 })],
    ["21 BadQuantIndex [tensors]", withTensor(0, { element_type: 256 })],
    ["21 BadQuantIndex [tensors]", withTensor(0, { quant_profile_index: 0 })],
    ["21 BadQuantIndex [tensors]", withTensor(1, { quant_profile_index: 2 })],
    ["21 ShapeInvalid [tensors]", withTensor(0, { shape: shape(0, 3) })],
    ["21 ShapeInvalid [tensors]", withTensor(0, { shape: shape(2 ** 32, 3) })],
    ["21 ShapeInvalid [tensors]", withTensor(0, { shape: shape(2, 3, 1) })],
    ["21 ShapeInvalid [tensors]", withTensor(4, { shape: shape(1) })],
    [
      "21 ShapeOverflow [tensors]",
      withTensor(0, {
        rank: 4,
        shape: huge,
        logical_element_count: 0,
        stored_bytes: 0,
        payload_length: 0,
      }),
    ],
    ["21 ElementCountMismatch [tensors]", withTensor(0, { logical_element_count: 7 })],
    ["21 ElementCountMismatch [tensors]", withTensor(0, { logical_element_count: 2n ** 63n })],
    ["21 QuantFieldMismatch [tensors]", withTensor(0, { block_elements: 32, stored_bytes: 1 })],
    ["21 QuantFieldMismatch [tensors]", withTensor(0, { tail_rule: 1 })],
    ["21 QuantFieldMismatch [tensors]", withTensor(1, { packing_order: 0x0101 })],
    ["21 QuantFieldMismatch [tensors]", withTensor(1, { accumulator_type: 0 })],
    ["21 StoredSizeMismatch [tensors]", withTensor(0, { stored_bytes: 23, payload_length: 23 })],
    ["21 PayloadLengthMismatch [tensors]", withTensor(0, { payload_length: 23 })],
    ["21 BadAlignment [tensors]", withTensor(0, { payload_alignment: 32 })],
    ["21 BadAlignment [tensors]", withTensor(0, { payload_alignment: 96 })],
    ["21 BadAlignment [tensors]", withTensor(0, { payload_alignment: 131_072 })],
    [
      "21 BadAlignment [tensors]",
      withTensor(0, { payload_alignment: 2 ** 31, payload_hash: fill32(0) }),
    ],
    ["21 ZeroHash [tensors]", withTensor(0, { payload_hash: fill32(0) })],
  ];
  for (const [i, [expected, draft, policy]] of cases.entries()) {
    assertEquals(verdict(draft, policy), expected, `case ${i}`);
  }
  const wide = shape(2 ** 21, 2 ** 31); // 2^52 elements, 2^54 bytes
  assertEquals(
    verdict(withTensor(0, { shape: wide, logical_element_count: 2n ** 52n })),
    "21 ShapeOverflow [tensors]",
  );
});

Deno.test("stage 21: order and names", () => {
  const of = (...tensors: TensorDraft[]): Draft => ({ ...pack(), quants: [], aux: [], tensors });
  const order = "21 DescriptorOrder [tensors]";
  assertEquals(verdict(of(dense("a"), dense("b"))), "accept");
  assertEquals(verdict(of(dense("b"), dense("a"))), order);
  assertEquals(verdict(of(dense("a"), dense("a"))), "21 DescriptorDuplicate [tensors]");
  assertEquals(verdict(of(dense("b", { layer: 0 }), dense("a", { layer: 1 }))), "accept");
  assertEquals(verdict(of(dense("a", { layer: 1 }), dense("b", { layer: 0 }))), order);
  assertEquals(verdict(of(dense("b"), dense("a", { layer: 0 }))), "accept"); // -1 below 0
  assertEquals(
    verdict(of(dense("b", { set: { subindex_0: 0 } }), dense("a", { set: { subindex_1: 0 } }))),
    order,
  );
  // the pair is not adjacent
  const names = [
    dense("x", { role: "a" }),
    dense("y", { role: "b" }),
    dense("x", { role: "c" }),
  ];
  assertEquals(verdict(of(...names)), "21 DuplicateName [tensors]");
  assertEquals(verdict(of(dense("a", { role: "a" }))), "accept"); // a role is no name
});

Deno.test("stages 21 and 26: tail rules and padded lanes", () => {
  const one = (name: string, shape: number[], data: Uint8Array): Draft => ({
    ...pack(),
    quants: quants(name),
    aux: [],
    tensors: [{ role: "a", name: "t", shape, quant: 0, data }],
  });
  const blocks = (...used: number[]) => concat(...used.map(q8Block));
  const row = blocks(32, 1, 32, 1, 32, 1);
  assertEquals(row.length, 204);
  assertEquals(verdict(one("q8-0.b32.row", [3, 33], row)), "accept");
  assertEquals(verdict(one("q8-0.b32.pad", [3, 33], blocks(32, 32, 32, 3))), "accept");
  assertEquals(verdict(one("q8-0.b32.exact", [3, 33], row)), "21 TailRule [tensors]");
  assertEquals(verdict(one("q8-0.b32.exact", [3, 32], blocks(32, 32, 32))), "accept");
  const stored = "21 StoredSizeMismatch [tensors]";
  assertEquals(verdict(one("q8-0.b32.row", [3, 33], blocks(32, 32, 32, 3))), stored);
  assertEquals(verdict(one("q8-0.b32.row", [], q8Block(1))), "accept");

  const infinite = q8Block(32);
  infinite.set([0x00, 0x7c]); // readers do not judge scales
  assertEquals(verdict(one("q8-0.b32.exact", [32], infinite)), "accept");

  const lane = "26 PaddedLane [payload]";
  for (const [block, byte] of [[1, 3], [3, 33], [5, 10]]) {
    const bad = row.slice();
    bad[34 * block + byte] = 1;
    assertEquals(verdict(one("q8-0.b32.row", [3, 33], bad)), lane);
  }
  assertEquals(verdict(one("q8-0.b32.pad", [3, 33], blocks(32, 32, 32, 4))), lane);
  // the hash comes first
  const wrong = one("q8-0.b32.pad", [1], q8Block(2));
  const set = { payload_hash: fill32(1) };
  const unhashed = { ...wrong, tensors: wrong.tensors?.map((t) => ({ ...t, set })) };
  assertEquals(verdict(unhashed), "26 PayloadHashMismatch [payload]");

  // code 8 in each padded nibble: lane 0 is low in byte 0, lane 16 high in it
  const q4 = (first: number, rest: number, head = 2) =>
    concat(new Uint8Array(head), le(first, 1), new Uint8Array(15).fill(rest));
  assertEquals(verdict(one("q4-0.b32.pad", [1], q4(0x83, 0x88))), "accept");
  assertEquals(verdict(one("q4-0.b32.pad", [1], q4(0x03, 0x88))), lane);
  assertEquals(verdict(one("q4-0.b32.pad", [1], q4(0x83, 0x08))), lane);
  assertEquals(verdict(one("q4-0.b32.pad", [17], q4(0x13, 0x83))), "accept");
  assertEquals(verdict(one("q4-0.b32.pad", [17], q4(0x13, 0x73))), lane);
  assertEquals(verdict(one("q4-1.b32.pad", [1], q4(0x03, 0, 4))), "accept");
  assertEquals(verdict(one("q4-1.b32.pad", [1], q4(0x83, 0, 4))), lane);
  // q5-0: code 16 is bit 4 alone
  const q5 = (plane: number, first: number) =>
    concat(new Uint8Array(2), le(plane, 4), le(first, 1), new Uint8Array(15));
  assertEquals(verdict(one("q5-0.b32.pad", [1], q5(0xfffffffe, 0x0f))), "accept");
  assertEquals(verdict(one("q5-0.b32.pad", [1], q5(0xffffffff, 0x0f))), "accept");
  assertEquals(verdict(one("q5-0.b32.pad", [1], q5(0x7ffffffe, 0x0f))), lane);
  assertEquals(verdict(one("q5-0.b32.pad", [1], q5(0xfffffffe, 0x1f))), lane);
  // nf4: index 7, pairs
  const nf4 = (first: number) =>
    concat(new Uint8Array(2), le(first, 1), new Uint8Array(31).fill(0x77));
  assertEquals(verdict(one("nf4.b64.row", [1], nf4(0x72))), "accept");
  assertEquals(verdict(one("nf4.b64.row", [1], nf4(0x82))), lane);
  assertEquals(verdict(one("nf4.b64.row", [2], nf4(0x82))), "accept");
});

Deno.test("stage 22: blobs", () => {
  const draft = tokenizer();
  const withBlob = (set: BlobDraft["set"], index = 0): Draft => ({
    ...draft,
    blobs: draft.blobs?.map((b, i) => i === index ? { ...b, set } : b),
  });
  const cases: [string, BlobDraft["set"], number?][] = [
    ["22 BadRecordVersion [blobs]", { record_version: 0, blob_kind: 99 }],
    ["22 BlobKindNotPermitted [blobs]", { blob_kind: 99, flags: 1 }],
    ["22 BlobKindNotPermitted [blobs]", { blob_kind: 0 }],
    ["22 BlobKindNotPermitted [blobs]", { blob_kind: 16, flags: 1 }],
    ["22 NonZeroFlags [blobs]", { flags: 1, reserved_0: 1 }],
    ["22 NonZeroReserved [blobs]", { reserved_0: 1, canonical_name_string_id: 99 }],
    ["22 NonZeroReserved [blobs]", { reserved_1: 2n ** 63n, canonical_name_string_id: 99 }],
    ["22 NonZeroReserved [blobs]", { auxiliary_first: 1, canonical_name_string_id: 99 }],
    ["22 NonZeroReserved [blobs]", { auxiliary_count: 1, canonical_name_string_id: 99 }],
    ["22 BadStringId [blobs]", { canonical_name_string_id: 99, codec: 1 }],
    ["22 BadStringId [blobs]", { media_type_string_id: 99, codec: 1 }],
    ["22 UnsupportedCodec [blobs]", { codec: 1, payload_length: 0 }],
    ["22 BlobLength [blobs]", { payload_length: 0, logical_length: 0 }],
    ["22 BlobLength [blobs]", { payload_length: 64 * 2 ** 20 + 1, logical_length: 1 }],
    ["22 BlobLength [blobs]", { payload_length: 2n ** 64n - 1n }],
    ["24 PayloadOutOfBounds [payload]", {
      payload_length: 64 * 2 ** 20,
      logical_length: 64 * 2 ** 20,
    }],
    ["22 LogicalLengthMismatch [blobs]", { logical_length: 1, alignment: 1 }],
    ["22 BadAlignment [blobs]", { alignment: 0, content_hash: fill32(0) }],
    ["22 ZeroHash [blobs]", { content_hash: fill32(0) }, 1],
    ["22 DescriptorOrder [blobs]", { blob_kind: 6 }],
    ["22 DescriptorDuplicate [blobs]", { blob_kind: 1, canonical_name_string_id: 5 }, 1],
  ];
  for (const [i, [expected, set, index]] of cases.entries()) {
    assertEquals(verdict(withBlob(set, index)), expected, `case ${i}`);
  }
  const same = retrieval();
  assertEquals(
    verdict({ ...same, blobs: same.blobs?.map((b) => ({ ...b, name: "vectors" })) }),
    "22 DuplicateName [blobs]",
  );
});

Deno.test("stage 23: auxiliary records and runs", () => {
  const draft = pack();
  const withAux = (...aux: AuxDraft[]): Draft => ({ ...draft, aux });
  const row: AuxDraft = { owner: 2, kind: 1, target: 3 };
  const cases: [string, Draft][] = [
    ["accept", withAux(row)],
    ["23 AuxIndex [auxiliary]", withAux({ ...row, owner: 5, kind: 0 })],
    ["23 AuxIndex [auxiliary]", withAux({ ...row, target: 2 ** 32 - 1, kind: 0 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, kind: 0, target: 2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, kind: 6, target: 2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, set: { flags: 1 }, target: 2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, axis: -2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, axis: 1 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, set: { reserved: 2n ** 63n } })],
    ["23 AuxSelfReference [auxiliary]", withAux({ ...row, target: 2 })],
    ["23 AuxTarget [auxiliary]", withAux({ ...row, target: 1 })],
    // the target owns a record that comes later
    [
      "23 AuxTarget [auxiliary]",
      withAux({ ...row, target: 4, axis: -1 }, { owner: 4, kind: 1, target: 0 }),
    ],
    ["23 DescriptorDuplicate [auxiliary]", withAux(row, row)],
    ["23 DescriptorOrder [auxiliary]", withAux({ ...row, axis: 0 }, { ...row, axis: -1 })],
    ["23 DescriptorOrder [auxiliary]", withAux(row, { ...row, owner: 1 })],
    ["23 AuxRun [auxiliary]", withTensor(2, { auxiliary_first: 1 })],
    ["23 AuxRun [auxiliary]", withTensor(2, { auxiliary_count: 2 })],
    ["23 AuxRun [auxiliary]", withTensor(0, { auxiliary_first: 1 })],
    ["23 AuxRun [auxiliary]", { ...withTensor(2, {}, { run: [0, 1] }), aux: [] }],
    ["23 AuxMask [auxiliary]", { ...withTensor(2, {}, { run: [0, 0] }), aux: [] }],
    ["23 AuxMask [auxiliary]", {
      ...withTensor(2, {}, { run: [0, 2] }),
      aux: [row, { ...row, target: 4, axis: -1 }],
    }],
    ["23 AuxMask [auxiliary]", withAux({ ...row, kind: 2 })],
    [
      "23 AuxMask [auxiliary]",
      { ...withTensor(0, {}, { run: [0, 1] }), aux: [{ owner: 0, kind: 1, target: 3 }, row] },
    ],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, axis: -1, group: 2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, group: 2 })],
    ["23 AuxFieldInvalid [auxiliary]", withAux({ ...row, stride: 1 })],
    ["23 AuxTarget [auxiliary]", withAux({ ...row, target: 0 })],
    ["23 AuxTarget [auxiliary]", withTensor(3, {}, { shape: [3], data: floats(3) })],
    ["23 AuxTarget [auxiliary]", withTensor(3, {}, { shape: [2], type: 10 })],
  ];
  for (const [i, [expected, draft]] of cases.entries()) {
    assertEquals(verdict(draft), expected, `case ${i}`);
  }
});

Deno.test("stage 24: the payload", () => {
  const cases: [string, Draft][] = [
    ["24 PayloadOutOfPlace [payload]", withTensor(1, { payload_relative_offset: 0 })],
    ["24 PayloadOutOfPlace [payload]", withTensor(1, { payload_relative_offset: 128 })],
    ["24 PayloadOutOfPlace [payload]", withTensor(0, { payload_relative_offset: 2n ** 64n - 64n })],
    [
      "24 PayloadOutOfBounds [payload]",
      withTensor(4, {
        shape: concat(le(2, 8), new Uint8Array(56)),
        rank: 1,
        logical_element_count: 2,
        stored_bytes: 8,
        payload_length: 8,
      }),
    ],
    ["24 UnreferencedString [strings]", { ...pack(), strings: ["zz"] }],
  ];
  for (const [i, [expected, draft]] of cases.entries()) {
    assertEquals(verdict(draft), expected, `case ${i}`);
  }
  const good = build(pack());
  const payload = Number(new DataView(good.buffer).getBigUint64(144, true));
  const read = (bytes: Uint8Array) => short(table.read({ source: memory(bytes) }).verdict);
  const gap = patched(good, [payload + 24, utf8("x")]);
  assertEquals(read(gap), "24 NonZeroPadding [payload]");
  // a gap before any hash, a profile after the gaps
  assertEquals(read(patched(gap, [payload, utf8("x")])), "24 NonZeroPadding [payload]");
  assertEquals(read(patched(good, [payload, utf8("x")])), "26 PayloadHashMismatch [payload]");
  const longer = concat(good, new Uint8Array(1));
  const size = Number(new DataView(good.buffer).getBigUint64(152, true));
  const trailing = patched(longer, [40, le(longer.length, 8)], [152, le(size + 1, 8)]);
  assertEquals(read(trailing), "24 PayloadTrailing [payload]");
});
