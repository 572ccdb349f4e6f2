/** Stages 21 and 24: tensor records and their places. */
import { assertEquals } from "@std/assert";
import { getField } from "../../corpus/writer/fields.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { cases, described, PACK } from "./testing.ts";

const file = assemble(PACK).bytes;
const get = (path: string) => Number(getField(file, path));

const MAX = 2 ** 53 - 1;
// Records of PACK: 0 a [2, 3], 1 q [3, 33], 2 r [4, 8], 3 s [4] (role `s`), 4 z []
cases(file, "tensor", [
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
