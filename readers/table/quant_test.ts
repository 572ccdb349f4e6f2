import { assertEquals } from "@std/assert";
import type { Policy } from "../contract.ts";
import { Q } from "./layouts.ts";
import { table } from "./reader.ts";
import { fill32, le, memory, short } from "./testing.ts";
import { build, type Draft, type QuantDraft, type TensorDraft } from "./testing_build.ts";
import { floats, pack, quants } from "./testing_models.ts";

const verdict = (draft: Draft, policy?: Policy) =>
  short(table.read({ source: memory(build(draft)), policy }).verdict);

function withQuant(set: QuantDraft["set"]): Draft {
  const draft = pack();
  return { ...draft, quants: draft.quants?.map((q, i) => i === 0 ? { ...q, set } : q) };
}
/** One profile whose record has other fields, sealed; a tensor of it only where stages go on. */
function profile(name: string, values: { [field in keyof typeof Q]?: number | Uint8Array }): Draft {
  const [{ record }] = quants(name);
  const copy = record.slice();
  for (const [field, value] of Object.entries(values)) {
    const { offset, size } = Q[field as keyof typeof Q];
    copy.set(value instanceof Uint8Array ? value : le(value, size), offset);
  }
  return { ...pack(), quants: [{ name: "test", record: copy }], aux: [], tensors: [dense("a")] };
}
function dense(name: string, more: Partial<TensorDraft> = {}): TensorDraft {
  return { role: "a", name, shape: [1], data: floats(1), ...more };
}

Deno.test("stage 20: quantization profiles", () => {
  const far = withQuant({ canonical_name_string_id: 99, profile_version: 2, flags: 1 });
  assertEquals(verdict(far), "20 BadStringId [quant]");
  const cases: [string, QuantDraft["set"]][] = [
    ["20 BadRecordVersion [quant]", { profile_version: 2, flags: 1 }],
    ["20 NonZeroFlags [quant]", { flags: 1, reserved_0: 1 }],
    ["20 NonZeroReserved [quant]", { reserved_0: 1, storage_type: 0 }],
    ["20 NonZeroReserved [quant]", { reserved_1: 2n ** 63n, storage_type: 0 }],
    ["20 QuantFieldInvalid [quant]", { storage_type: 1, profile_id: fill32(9) }],
    ["20 ProfileIdMismatch [quant]", { profile_id: fill32(9) }],
    ["20 ProfileIdMismatch [quant]", { canonical_name_string_id: 0 }],
  ];
  for (const [expected, set] of cases) assertEquals(verdict(withQuant(set)), expected);

  const draft = pack();
  const swapped = { ...draft, quants: draft.quants?.toReversed() };
  assertEquals(verdict(swapped), "20 DescriptorOrder [quant]");
  const twice = {
    ...draft,
    quants: [...(draft.quants ?? []), draft.quants?.[1] ?? quants("x")[0]],
  };
  assertEquals(verdict(twice), "20 DescriptorDuplicate [quant]");
  // all checks of record 0 before any of record 1
  const first = withQuant({ profile_id: fill32(9) });
  const both = {
    ...first,
    quants: first.quants?.map((q, i) => i === 1 ? { ...q, set: { flags: 1 } } : q),
  };
  assertEquals(verdict(both), "20 ProfileIdMismatch [quant]");
});

Deno.test("stage 20: every rule about profile fields", () => {
  const invalid = "20 QuantFieldInvalid [quant]";
  const unused = "24 UnreferencedProfile [quant]";
  const q8 = "q8-0.b32.row";
  const q5 = "q5-0.b32.row";
  const nf4 = "nf4.b64.row";
  const row = "q8-row.exact";
  const cases: [string, string, { [field in keyof typeof Q]?: number | Uint8Array }][] = [
    [unused, q8, {}],
    [unused, q8, { storage_type: 6 }],
    [invalid, q8, { storage_type: 4 }],
    [invalid, q8, { decoded_type: 2 }],
    [invalid, q8, { accumulator_type: 4 }],
    [invalid, q8, { code_bits: 7 }],
    [invalid, q8, { block_elements: 0, code_count_per_block: 0, block_bytes: 2 }],
    [invalid, q8, { block_elements: 4097, code_count_per_block: 4097, block_bytes: 4099 }],
    [unused, q8, { block_elements: 4096, code_count_per_block: 4096, block_bytes: 4098 }],
    [invalid, q8, { code_count_per_block: 31 }],
    [invalid, q8, { block_bytes: 33 }],
    [invalid, q8, { code_signedness: 4 }],
    [invalid, q8, { code_signedness: 3 }],
    [invalid, q8, { packing_order: 0 }],
    [invalid, q8, { packing_order: 5 }],
    [invalid, q8, { packing_order: 2 }],
    [invalid, "q4-0.b32.row", { packing_order: 1 }],
    [unused, "q4-0.b32.row", { packing_order: 3 }],
    [invalid, "q4-0.b32.row", { block_elements: 31, code_count_per_block: 31, block_bytes: 18 }],
    [invalid, "q4-0.b32.row", { packing_order: 4 }],
    [invalid, q5, { packing_order: 2 }],
    [invalid, q5, { block_elements: 64, code_count_per_block: 64, block_bytes: 42 }],
    [invalid, q8, { scale_type: 3 }],
    [unused, q8, { scale_type: 1, block_bytes: 36 }],
    [invalid, q8, { scale_type: 0 }],
    [invalid, q8, { scale_type: 0, scale_placement: 0, block_bytes: 32 }],
    [unused, q8, { scale_type: 0, scale_placement: 0, scale_count_per_block: 0, block_bytes: 32 }],
    [invalid, q8, { scale_count_per_block: 2 }],
    [invalid, q8, { scale_placement: 3 }],
    [invalid, q8, { scale_placement: 2, scale_count_per_block: 0, block_bytes: 32 }],
    [
      unused,
      q8,
      { scale_placement: 2, scale_count_per_block: 0, block_bytes: 32, auxiliary_mask: 1 },
    ],
    [invalid, q8, { zero_point_type: 2 }],
    [invalid, q8, { zero_point_type: 2, zero_point_placement: 1, zero_point_count_per_block: 1 }],
    [
      unused,
      q8,
      {
        zero_point_type: 2,
        zero_point_placement: 1,
        zero_point_count_per_block: 1,
        block_bytes: 36,
      },
    ],
    [invalid, q8, { codebook_kind: 1 }],
    [invalid, nf4, { codebook_kind: 2 }],
    [invalid, nf4, { codebook_kind: 0 }],
    [invalid, nf4, { kernel_contract: 1 }],
    [invalid, nf4, { code_signedness: 0 }],
    [invalid, q8, { tail_rule: 0 }],
    [invalid, q8, { tail_rule: 4 }],
    [invalid, q8, { rounding_mode: 0 }],
    [invalid, q8, { rounding_mode: 4 }],
    [invalid, q8, { saturation_mode: 0 }],
    [invalid, q8, { kernel_contract: 0 }],
    [invalid, q8, { kernel_contract: 6 }],
    [unused, q8, { kernel_contract: 5 }],
    [invalid, q8, { auxiliary_mask: 1 }],
    [invalid, q8, { auxiliary_mask: 2 }],
    [unused, q8, { auxiliary_mask: 28 }],
    [invalid, q8, { auxiliary_mask: 32 }],
    [invalid, row, { auxiliary_mask: 0 }],
    [invalid, q8, { calibration_mode: 1 }],
    [invalid, q8, { calibration_mode: 2, calibration_identity: fill32(1) }],
    [invalid, q8, { calibration_identity: fill32(1) }],
    [unused, q8, { calibration_mode: 1, calibration_identity: fill32(1) }],
  ];
  for (const [expected, name, values] of cases) {
    assertEquals(verdict(profile(name, values)), expected, `${name} ${JSON.stringify(values)}`);
  }
});
