/** Stages 19 to 25 without a resolver: the string table, the records and what they add up to. */
import { assertEquals } from "@std/assert";
import { type FieldValue, getField } from "../../corpus/writer/fields.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { described, edited, judged, PACK, poked, TEXTS } from "./testing.ts";

const file = assemble(PACK).bytes;
const texts = assemble(TEXTS).bytes;
const get = (path: string) => Number(getField(file, path));

type Edits = Readonly<Record<string, FieldValue>>;
type Case = readonly [name: string, edits: Edits, verdict: string];

function cases(stage: string, base: Uint8Array, list: readonly Case[]): void {
  for (const [name, edits, verdict] of list) {
    Deno.test(`${stage}: ${name}`, () => assertEquals(judged(edited(base, edits)), verdict));
  }
}

Deno.test("strings: a size, offsets, then each string", () => {
  // a, q, q8-0.b32.row, q8-row.exact, r, s, z
  const at = get("header.string_table_offset");
  const count = 7;
  const pool = at + 8 + 4 * (count + 1);
  assertEquals(file[at], count);
  const offset = (i: number) => at + 8 + 4 * i;
  for (
    const [place, byte, verdict] of [
      [at, 0, "19 StringTableSize strings"],
      [at, count + 1, "19 StringTableSize strings"],
      [at + 3, 0xff, "19 StringTableSize strings"],
      [at + 4, 0, "19 StringTableSize strings"],
      [offset(0), 1, "19 StringOffsets strings"],
      [offset(1), 0, "19 StringOffsets strings"],
      [offset(1), 0xff, "19 StringOffsets strings"],
      [offset(count), 0xff, "19 StringOffsets strings"],
      [pool, 0x41, "19 StringInvalid strings"],
      [pool, 0x2f, "19 StringInvalid strings"],
      [pool, 0x62, "26 PayloadHashMismatch payload"], // b for a: a good table
      [pool, 0x71, "19 StringDuplicate strings"],
      [pool, 0x7a, "19 StringOrder strings"],
    ] as [number, number, string][]
  ) {
    assertEquals(judged(poked(file, place, byte)), verdict, `${place}`);
  }
});

Deno.test("strings: identifiers", () => {
  const named = (name: string) => {
    const [first, ...rest] = PACK.tensors ?? [];
    return described({ ...PACK, tensors: [{ ...first, name }, ...rest] });
  };
  for (const name of ["0", "a/b", "a/...", "a..b", "a-", "a".repeat(255), "a/.b", "a_"]) {
    assertEquals(named(name), "accept", name);
  }
  for (
    const name of [
      "a/../b",
      "a//b",
      "..",
      "a/",
      "A",
      "/a",
      ".a",
      "_a",
      "a/.",
      "a/..",
      "a b",
      "\u00e9",
      "a".repeat(256),
    ]
  ) assertEquals(named(name), "19 StringInvalid strings", name);
});

cases("quant", file, [
  ["string id before version", {
    "quant[0].canonical_name_string_id": 99,
    "quant[0].profile_version": 2,
  }, "20 BadStringId quant"],
  [
    "version before flags",
    { "quant[0].profile_version": 2, "quant[0].flags": 1 },
    "20 BadRecordVersion quant",
  ],
  [
    "flags before reserved",
    { "quant[0].flags": 1, "quant[0].reserved_0": 1 },
    "20 NonZeroFlags quant",
  ],
  [
    "reserved_0 before fields",
    { "quant[0].reserved_0": 1, "quant[0].tail_rule": 0 },
    "20 NonZeroReserved quant",
  ],
  [
    "reserved_1",
    { "quant[0].reserved_1": Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1) },
    "20 NonZeroReserved quant",
  ],
  [
    "fields before id",
    { "quant[0].tail_rule": 4, "quant[0].profile_id": new Uint8Array(32) },
    "20 QuantFieldInvalid quant",
  ],
  ["id", { "quant[0].rounding_mode": 2 }, "20 ProfileIdMismatch quant"],
  ["name is in the id", { "quant[0].canonical_name_string_id": 0 }, "20 ProfileIdMismatch quant"],
  [
    "record 0 before record 1",
    { "quant[1].flags": 1, "quant[0].profile_id": new Uint8Array(32) },
    "20 ProfileIdMismatch quant",
  ],
]);

Deno.test("quant: order of profile ids", () => {
  const at = get("header.quant_table_offset");
  const swapped = file.slice();
  swapped.set(file.subarray(at, at + 128), at + 128);
  assertEquals(judged(swapped), "20 DescriptorDuplicate quant");
  swapped.set(file.subarray(at + 128, at + 256), at);
  assertEquals(judged(swapped), "20 DescriptorOrder quant");
});

Deno.test("quant: every enumeration and consistency rule", () => {
  const base = REGISTERED.get("q4-1.b32.row")!.fields;
  /** The profile `fields` in a tensor of one block, its id right; what comes after stage 20. */
  const of = (fields: Partial<typeof base>, payload = 20) =>
    described({
      ...PACK,
      auxiliaries: [],
      profiles: [{ name: "mine", fields: { ...base, ...fields } }],
      tensors: [{
        role: "t",
        name: "t",
        shape: [32],
        type: "mine",
        payload: new Uint8Array(payload),
      }],
    });
  const bad: Partial<typeof base>[] = [
    { storage_type: 1 },
    { decoded_type: 2 },
    { accumulator_type: 2 },
    { code_bits: 3, block_bytes: 16 },
    { block_elements: 4098, code_count_per_block: 4098, block_bytes: 4 + 2049 },
    { code_count_per_block: 31 },
    { code_signedness: 4 },
    { code_signedness: 3 },
    { packing_order: 0 },
    { packing_order: 5 },
    { packing_order: 1 },
    { packing_order: 4 },
    { scale_type: 3 },
    { scale_type: 0 },
    { scale_type: 1 },
    { scale_count_per_block: 0 },
    { scale_count_per_block: 2 },
    { scale_placement: 3 },
    { scale_placement: 0 },
    { scale_placement: 2, scale_count_per_block: 0, block_bytes: 18 },
    { zero_point_type: 0 },
    { zero_point_placement: 2, zero_point_count_per_block: 0, block_bytes: 18, auxiliary_mask: 1 },
    { zero_point_count_per_block: 0 },
    { block_bytes: 21 },
    { codebook_kind: 2 },
    { codebook_kind: 1 },
    { kernel_contract: 4 },
    { kernel_contract: 0 },
    { kernel_contract: 6 },
    { tail_rule: 0 },
    { rounding_mode: 0 },
    { rounding_mode: 4 },
    { saturation_mode: 0 },
    { auxiliary_mask: 1 },
    { auxiliary_mask: 2 },
    { auxiliary_mask: 32 },
    { calibration_mode: 1 },
    { calibration_mode: 2, calibration_identity: new Uint8Array(32).fill(1) },
    { calibration_identity: new Uint8Array(32).fill(1) },
    { block_elements: 31, code_count_per_block: 31 },
    { code_bits: 5, block_bytes: 24 },
    {
      code_bits: 5,
      block_bytes: 14,
      packing_order: 4,
      block_elements: 16,
      code_count_per_block: 16,
    },
  ];
  for (const fields of bad) {
    assertEquals(of(fields), "20 QuantFieldInvalid quant", Deno.inspect(fields));
  }
  const none = { "quant[0].block_elements": 0, "quant[0].code_count_per_block": 0 };
  assertEquals(judged(edited(file, none)), "20 QuantFieldInvalid quant");
  const good: [Partial<typeof base>, number][] = [
    [{}, 20],
    [{ storage_type: 5 }, 20],
    [{ code_bits: 8, block_bytes: 36, packing_order: 1 }, 36],
    [{ code_bits: 5, block_bytes: 24, packing_order: 4 }, 24],
    [{ packing_order: 3 }, 20],
    [{ scale_type: 1, block_bytes: 22 }, 22],
    [{ scale_type: 0, scale_placement: 0, scale_count_per_block: 0, block_bytes: 18 }, 18],
    [{ codebook_kind: 1, code_signedness: 3, kernel_contract: 4 }, 20],
    [{ calibration_mode: 1, calibration_identity: new Uint8Array(32).fill(1) }, 20],
    [{ block_elements: 4096, code_count_per_block: 4096, block_bytes: 2052 }, 2052],
  ];
  for (const [fields, payload] of good) {
    assertEquals(of(fields, payload), "25 UnsupportedQuantProfile quant", Deno.inspect(fields));
  }
});

const MAX = 2 ** 53 - 1;
// Records of PACK: 0 a [2, 3], 1 q [3, 33], 2 r [4, 8], 3 s [4] (role `s`), 4 z []
cases("tensor", file, [
  [
    "version before flags",
    { "tensor[0].record_version": 2, "tensor[0].flags": 1 },
    "21 BadRecordVersion tensors",
  ],
  [
    "flags before reserved",
    { "tensor[0].flags": 1, "tensor[0].reserved_0": 1 },
    "21 NonZeroFlags tensors",
  ],
  [
    "flags_2 before reserved",
    { "tensor[0].flags_2": 1, "tensor[0].reserved_0": 1 },
    "21 NonZeroFlags tensors",
  ],
  [
    "reserved before ids",
    { "tensor[0].reserved_0": 1, "tensor[0].semantic_role_string_id": 99 },
    "21 NonZeroReserved tensors",
  ],
  ["role id", { "tensor[0].semantic_role_string_id": 99 }, "21 BadStringId tensors"],
  ["name id before rank", {
    "tensor[0].canonical_name_string_id": 2 ** 32 - 1,
    "tensor[0].rank": 9,
  }, "21 BadStringId tensors"],
  [
    "rank 9 before layer",
    { "tensor[0].rank": 9, "tensor[0].layer": -2 },
    "21 ShapeInvalid tensors",
  ],
  ["rank 255", { "tensor[0].rank": 255, "tensor[0].layer": -2 }, "21 ShapeInvalid tensors"],
  [
    "layer before type",
    { "tensor[0].layer": -2, "tensor[0].element_type": 0 },
    "21 TensorFieldInvalid tensors",
  ],
  ["subindex_1", { "tensor[0].subindex_1": -2147483648 }, "21 TensorFieldInvalid tensors"],
  [
    "type 0 before quant index",
    { "tensor[0].element_type": 0, "tensor[0].quant_profile_index": 0 },
    "21 UnknownElementType tensors",
  ],
  ["type 13", { "tensor[0].element_type": 13 }, "21 UnknownElementType tensors"],
  ["type 255", { "tensor[0].element_type": 255 }, "21 UnknownElementType tensors"],
  ["dense, but quantized", { "tensor[0].element_type": 256 }, "21 BadQuantIndex tensors"],
  [
    "a profile, but dense",
    { "tensor[0].quant_profile_index": 0, "tensor[0].shape_0": 0 },
    "21 BadQuantIndex tensors",
  ],
  ["profile 2 of 2", { "tensor[1].quant_profile_index": 2 }, "21 BadQuantIndex tensors"],
  ["a dimension of 0", { "tensor[0].shape_1": 0 }, "21 ShapeInvalid tensors"],
  ["a dimension of 2^32", { "tensor[0].shape_1": 2 ** 32 }, "21 ShapeInvalid tensors"],
  ["an unused dimension", { "tensor[0].shape_7": 1 }, "21 ShapeInvalid tensors"],
  ["a scalar with a dimension", { "tensor[4].shape_0": 1 }, "21 ShapeInvalid tensors"],
  ["65536^4 wraps to 0", {
    "tensor[0].rank": 4,
    "tensor[0].shape_0": 65536,
    "tensor[0].shape_1": 65536,
    "tensor[0].shape_2": 65536,
    "tensor[0].shape_3": 65536,
    "tensor[0].logical_element_count": 0,
    "tensor[0].stored_bytes": 0,
    "tensor[0].payload_length": 0,
  }, "21 ShapeOverflow tensors"],
  ["2^53 elements", {
    "tensor[0].shape_0": 2 ** 27,
    "tensor[0].shape_1": 2 ** 26,
    "tensor[0].logical_element_count": 2n ** 53n,
  }, "21 ShapeOverflow tensors"],
  ["2^52 elements are 2^54 bytes", {
    "tensor[0].shape_0": 2 ** 26,
    "tensor[0].shape_1": 2 ** 26,
    "tensor[0].logical_element_count": 2 ** 52,
  }, "21 ShapeOverflow tensors"],
  [
    "count before quant fields",
    { "tensor[0].logical_element_count": 7, "tensor[0].tail_rule": 1 },
    "21 ElementCountMismatch tensors",
  ],
  [
    "count 2^64 - 1",
    { "tensor[0].logical_element_count": 2n ** 64n - 1n },
    "21 ElementCountMismatch tensors",
  ],
  [
    "a quant field of a dense tensor",
    { "tensor[0].block_elements": 1 },
    "21 QuantFieldMismatch tensors",
  ],
  [
    "tail_rule of a dense tensor",
    { "tensor[0].tail_rule": 1, "tensor[0].stored_bytes": 0 },
    "21 QuantFieldMismatch tensors",
  ],
  ["block_bytes", { "tensor[1].block_bytes": 35 }, "21 QuantFieldMismatch tensors"],
  ["accumulator_type", { "tensor[1].accumulator_type": 2 }, "21 QuantFieldMismatch tensors"],
  [
    "packing_order, high byte",
    { "tensor[1].packing_order": 0x101 },
    "21 QuantFieldMismatch tensors",
  ],
  ["stored_bytes before payload_length", {
    "tensor[0].stored_bytes": 25,
    "tensor[0].payload_length": 25,
  }, "21 StoredSizeMismatch tensors"],
  ["payload_length before alignment", {
    "tensor[0].payload_length": 25,
    "tensor[0].payload_alignment": 1,
  }, "21 PayloadLengthMismatch tensors"],
  ["alignment 32 before hash", {
    "tensor[0].payload_alignment": 32,
    "tensor[0].payload_hash": new Uint8Array(32),
  }, "21 BadAlignment tensors"],
  ["alignment 0", { "tensor[0].payload_alignment": 0 }, "21 BadAlignment tensors"],
  ["alignment 96", { "tensor[0].payload_alignment": 96 }, "21 BadAlignment tensors"],
  ["alignment 2^17", { "tensor[0].payload_alignment": 2 ** 17 }, "21 BadAlignment tensors"],
  ["alignment 2^31", { "tensor[0].payload_alignment": 2 ** 31 }, "21 BadAlignment tensors"],
  ["zero hash before order", {
    "tensor[1].payload_hash": new Uint8Array(32),
    "tensor[1].semantic_role_string_id": 0,
  }, "21 ZeroHash tensors"],
  ["same key", {
    "tensor[1].semantic_role_string_id": get("tensor[0].semantic_role_string_id"),
    "tensor[1].canonical_name_string_id": get("tensor[0].canonical_name_string_id"),
  }, "21 DescriptorDuplicate tensors"],
  ["layers as signed", {
    "tensor[0].layer": 0,
    "tensor[1].semantic_role_string_id": get("tensor[0].semantic_role_string_id"),
  }, "21 DescriptorOrder tensors"],
  ["a name again, two records on", {
    "tensor[2].canonical_name_string_id": get("tensor[0].canonical_name_string_id"),
  }, "21 DuplicateName tensors"],
  ["record 0 before record 1", {
    "tensor[0].payload_hash": new Uint8Array(32),
    "tensor[1].record_version": 0,
  }, "21 ZeroHash tensors"],
  ["payload offset", { "tensor[1].payload_relative_offset": 0 }, "24 PayloadOutOfPlace payload"],
  ["payload offset, 2^32 too far", {
    "tensor[1].payload_relative_offset": get("tensor[1].payload_relative_offset") + 2 ** 32,
  }, "24 PayloadOutOfPlace payload"],
  [
    "payload offset 2^64 - 1",
    { "tensor[4].payload_relative_offset": 2n ** 64n - 1n },
    "24 PayloadOutOfPlace payload",
  ],
  ["the last tensor a row longer", {
    "tensor[4].rank": 1,
    "tensor[4].shape_0": 2,
    "tensor[4].logical_element_count": 2,
    "tensor[4].stored_bytes": 8,
    "tensor[4].payload_length": 8,
  }, "24 PayloadOutOfBounds payload"],
  ["the largest tensor that there can be", {
    "tensor[4].rank": 3,
    "tensor[4].element_type": 6,
    "tensor[4].shape_0": 6361,
    "tensor[4].shape_1": 69431,
    "tensor[4].shape_2": 20394401,
    "tensor[4].logical_element_count": MAX,
    "tensor[4].stored_bytes": MAX,
    "tensor[4].payload_length": MAX,
  }, "24 PayloadOutOfBounds payload"],
]);

Deno.test("tensor: row, pad and exact tails", () => {
  const of = (tail: string, shape: number[], stored: number) =>
    described({
      ...PACK,
      auxiliaries: [],
      tensors: [{
        role: "t",
        name: "t",
        shape,
        type: `q8-0.b32.${tail}`,
        payload: new Uint8Array(stored),
      }],
    });
  assertEquals(of("row", [3, 33], 204), "accept");
  assertEquals(of("pad", [3, 33], 136), "accept");
  assertEquals(of("exact", [3, 33], 136), "21 TailRule tensors");
  assertEquals(of("exact", [2, 48], 102), "accept");
  assertEquals(of("row", [], 34), "accept");
  assertEquals(of("row", [2, 2, 1], 136), "accept");
});

// Blobs of TEXTS: 0 one, 1 two
cases("blob", texts, [
  [
    "version before kind",
    { "blob[0].record_version": 0, "blob[0].blob_kind": 1 },
    "22 BadRecordVersion blobs",
  ],
  [
    "a kind of another class before flags",
    { "blob[0].blob_kind": 48, "blob[0].flags": 1 },
    "22 BlobKindNotPermitted blobs",
  ],
  ["kind 0", { "blob[0].blob_kind": 0 }, "22 BlobKindNotPermitted blobs"],
  [
    "flags before reserved",
    { "blob[0].flags": 1, "blob[0].reserved_0": 1 },
    "22 NonZeroFlags blobs",
  ],
  ["reserved_1 before ids", {
    "blob[0].reserved_1": Uint8Array.of(1),
    "blob[0].canonical_name_string_id": 99,
  }, "22 NonZeroReserved blobs"],
  ["auxiliary_count", { "blob[0].auxiliary_count": 1 }, "22 NonZeroReserved blobs"],
  ["name id", { "blob[0].canonical_name_string_id": 99 }, "22 BadStringId blobs"],
  [
    "media id before codec",
    { "blob[0].media_type_string_id": 99, "blob[0].codec": 1 },
    "22 BadStringId blobs",
  ],
  [
    "codec before length",
    { "blob[0].codec": 1, "blob[0].payload_length": 0 },
    "22 UnsupportedCodec blobs",
  ],
  ["length 0", { "blob[0].payload_length": 0, "blob[0].logical_length": 0 }, "22 BlobLength blobs"],
  [
    "length 2^53",
    { "blob[0].payload_length": 2n ** 53n, "blob[0].logical_length": 2n ** 53n },
    "22 BlobLength blobs",
  ],
  [
    "logical length before alignment",
    { "blob[0].logical_length": 1, "blob[0].alignment": 1 },
    "22 LogicalLengthMismatch blobs",
  ],
  [
    "alignment before hash",
    { "blob[0].alignment": 63, "blob[0].content_hash": new Uint8Array(32) },
    "22 BadAlignment blobs",
  ],
  ["zero hash", { "blob[0].content_hash": new Uint8Array(32) }, "22 ZeroHash blobs"],
  ["same name", {
    "blob[1].canonical_name_string_id": Number(getField(texts, "blob[0].canonical_name_string_id")),
  }, "22 DescriptorDuplicate blobs"],
  ["order", {
    "blob[0].canonical_name_string_id": Number(getField(texts, "blob[1].canonical_name_string_id")),
    "blob[1].canonical_name_string_id": 0,
  }, "22 DescriptorOrder blobs"],
  ["places", { "blob[1].payload_relative_offset": 128 }, "24 PayloadOutOfPlace payload"],
]);

cases("auxiliary", file, [
  ["owner", { "auxiliary[0].owner": 5, "auxiliary[0].kind": 0 }, "23 AuxIndex auxiliary"],
  ["target", { "auxiliary[0].target": 2 ** 32 - 1 }, "23 AuxIndex auxiliary"],
  ["kind 0", { "auxiliary[0].kind": 0, "auxiliary[0].target": 2 }, "23 AuxFieldInvalid auxiliary"],
  ["kind 6", { "auxiliary[0].kind": 6 }, "23 AuxFieldInvalid auxiliary"],
  ["flags", { "auxiliary[0].flags": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["axis -2", { "auxiliary[0].axis": -2 }, "23 AuxFieldInvalid auxiliary"],
  ["axis = rank", { "auxiliary[0].axis": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["axis of a scalar", { "auxiliary[0].target": 4 }, "23 AuxFieldInvalid auxiliary"],
  ["reserved", { "auxiliary[0].reserved": Uint8Array.of(1) }, "23 AuxFieldInvalid auxiliary"],
  ["self", { "auxiliary[0].target": 2 }, "23 AuxSelfReference auxiliary"],
  ["a quantized target", { "auxiliary[0].target": 1 }, "23 AuxTarget auxiliary"],
  ["first", { "tensor[2].auxiliary_first": 1 }, "23 AuxRun auxiliary"],
  ["count", { "tensor[2].auxiliary_count": 0 }, "23 AuxRun auxiliary"],
  ["a run of none", { "tensor[0].auxiliary_count": 1 }, "23 AuxRun auxiliary"],
  ["an owner that claims nothing", { "auxiliary[0].owner": 1 }, "23 AuxRun auxiliary"],
  ["another kind", { "auxiliary[0].kind": 2 }, "23 AuxMask auxiliary"],
  ["axis -1 under contract 5", { "auxiliary[0].axis": -1 }, "23 AuxFieldInvalid auxiliary"],
  ["group size", { "auxiliary[0].group_size": 2 }, "23 AuxFieldInvalid auxiliary"],
  ["stride", { "auxiliary[0].block_stride": 1 }, "23 AuxFieldInvalid auxiliary"],
  ["a target of another shape", { "auxiliary[0].target": 0 }, "23 AuxTarget auxiliary"],
]);

Deno.test("auxiliary: more owners and records", () => {
  const [a, q, r, s] = PACK.tensors!;
  const r2 = { ...r, role: "r2", name: "r2" };
  const of = (more: Partial<Description>) => described({ ...PACK, ...more });
  const scales = [{ owner: "r", target: "s" }, { owner: "r2", target: "s" }];
  assertEquals(
    of({ tensors: [a, q, r, r2, s], auxiliaries: scales }),
    "accept",
    "one target for two",
  );
  assertEquals(of({ tensors: [a, q, r, r2, s] }), "23 AuxMask auxiliary", "r2 has none");
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "r", target: "a" }] }),
    "23 AuxMask auxiliary",
    "two of a kind",
  );
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "a", target: "z", kind: 4, axis: -1 }] }),
    "23 AuxMask auxiliary",
    "a dense owner",
  );
  assertEquals(
    of({ auxiliaries: [...PACK.auxiliaries!, { owner: "s", target: "a" }] }),
    "23 AuxTarget auxiliary",
    "a target that owns, seen before its own record",
  );
  const f16 = { ...s, type: "f16", payload: new Uint8Array(8) };
  assertEquals(of({ tensors: [a, q, r, f16] }), "23 AuxTarget auxiliary");
  const rank2 = { ...s, shape: [4, 1] };
  assertEquals(of({ tensors: [a, q, r, rank2] }), "23 AuxTarget auxiliary");
  const none = { ...PACK, tensors: [a, q, r, s], auxiliaries: [] };
  assertEquals(described(none), "23 AuxMask auxiliary", "the table is absent");
  const scalar = { ...r, shape: [], payload: new Uint8Array(1) };
  const one = { ...s, shape: [1], payload: new Uint8Array(4) };
  assertEquals(of({ tensors: [a, q, scalar, one] }), "accept", "a scalar is one row");
});

Deno.test("payload: padding, then strings, then profiles that nothing refers to", () => {
  const q = PACK.tensors![1];
  const mine = { name: "mine", fields: REGISTERED.get(q.type)!.fields };
  const tensors = [
    { ...q, name: "q1" },
    { ...q, name: "q2", type: "mine" },
    { ...PACK.tensors![4], role: "zz" },
  ];
  const whole = assemble({ ...PACK, profiles: [mine], tensors, auxiliaries: [] }).bytes;
  const field = (path: string) => Number(getField(whole, path));
  const profile = { "tensor[1].quant_profile_index": field("tensor[0].quant_profile_index") };
  const string = {
    "tensor[2].semantic_role_string_id": field("tensor[2].canonical_name_string_id"),
  };
  const gap = field("header.payload_offset") + field("tensor[0].payload_length");
  const each = edited(whole, { ...profile, ...string });
  assertEquals(judged(whole), "25 UnsupportedQuantProfile quant");
  assertEquals(judged(poked(each, gap, 1)), "24 NonZeroPadding payload");
  assertEquals(judged(each), "24 UnreferencedString strings");
  assertEquals(judged(edited(whole, profile)), "24 UnreferencedProfile quant");
});

Deno.test("payload: the section longer than its objects", () => {
  const longer = edited(Uint8Array.of(...file, 0), {
    "header.file_size": file.length + 1,
    "header.payload_length": get("header.payload_length") + 1,
  });
  assertEquals(judged(longer), "24 PayloadTrailing payload");
});

Deno.test("payload: gaps in a payload of many windows", () => {
  const tensors = Array.from({ length: 40 }, (_, i) => ({
    role: "t",
    name: `t${100 + i}`,
    shape: [i % 5 === 0 ? 100_000 : 3 + i],
    type: "u8",
    payload: new Uint8Array(i % 5 === 0 ? 100_000 : 3 + i).fill(9),
    alignment: i % 7 === 0 ? 65536 : 64,
  }));
  const big = assemble({ ...PACK, tensors, auxiliaries: [] }).bytes;
  assertEquals(judged(big), "accept");
  const start = Number(getField(big, "header.payload_offset"));
  for (let i = 0; i < 40; i++) {
    const end = start + Number(getField(big, `tensor[${i}].payload_relative_offset`)) +
      Number(getField(big, `tensor[${i}].payload_length`));
    if (end === big.length) continue;
    assertEquals(judged(poked(big, end, 1)), "24 NonZeroPadding payload", `after ${i}`);
    assertEquals(judged(poked(big, end - 1, 1)), "26 PayloadHashMismatch payload", `in ${i}`);
  }
});
