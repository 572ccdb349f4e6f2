/** Stage 20: quantization profiles. */
import { assertEquals } from "@std/assert";
import { getField } from "../../corpus/writer/fields.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { cases, described, edited, judged, PACK } from "./testing.ts";

const file = assemble(PACK).bytes;
const get = (path: string) => Number(getField(file, path));

cases(file, "quant", [
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
