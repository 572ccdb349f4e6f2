/** The registered quantization profiles (section 7.2) and stage 25's check against them. */
import type { Artifact } from "./artifact.ts";
import { type Fault, reject } from "./fault.ts";
import { type Field, hex } from "./fields.ts";
import { ascii } from "./hash.ts";
import { F16, F32, Q, QUANT_SIZE } from "./layouts.ts";
import {
  BY_ROW,
  EXACT,
  FIFTH_BIT_PLANE,
  IN_AUXILIARY,
  IN_BLOCK,
  ONE_A_BYTE,
  PAD,
  PAIRS,
  profileId,
  SPLIT_HALVES,
} from "./quant.ts";

type Name = keyof typeof Q;
type Values = Partial<Record<Name, number>>;

/** What all rows share. */
const COMMON: Values = {
  profile_version: 1,
  storage_type: 6,
  decoded_type: F32,
  accumulator_type: F32,
  scale_type: F16,
  scale_count_per_block: 1,
  scale_placement: IN_BLOCK,
  saturation_mode: 1,
};
const ROWS: readonly (readonly [name: string, values: Values])[] = [
  ["q8-0.b32", {
    storage_type: 5,
    code_bits: 8,
    block_elements: 32,
    block_bytes: 34,
    code_signedness: 1,
    packing_order: ONE_A_BYTE,
    rounding_mode: 1,
    kernel_contract: 1,
  }],
  ["q4-0.b32", {
    code_bits: 4,
    block_elements: 32,
    block_bytes: 18,
    code_signedness: 2,
    packing_order: SPLIT_HALVES,
    rounding_mode: 3,
    kernel_contract: 2,
  }],
  ["q4-1.b32", {
    code_bits: 4,
    block_elements: 32,
    block_bytes: 20,
    code_signedness: 0,
    packing_order: SPLIT_HALVES,
    zero_point_type: F16,
    zero_point_count_per_block: 1,
    zero_point_placement: IN_BLOCK,
    rounding_mode: 3,
    kernel_contract: 3,
  }],
  ["q5-0.b32", {
    code_bits: 5,
    block_elements: 32,
    block_bytes: 22,
    code_signedness: 2,
    packing_order: FIFTH_BIT_PLANE,
    rounding_mode: 3,
    kernel_contract: 2,
  }],
  ["nf4.b64", {
    code_bits: 4,
    block_elements: 64,
    block_bytes: 34,
    code_signedness: 3,
    packing_order: PAIRS,
    codebook_kind: 1,
    rounding_mode: 2,
    kernel_contract: 4,
  }],
];
const TAILS = [["pad", PAD], ["exact", EXACT], ["row", BY_ROW]] as const;
const ROW_PROFILE: Values = {
  storage_type: 5,
  code_bits: 8,
  block_elements: 1,
  block_bytes: 1,
  code_signedness: 1,
  packing_order: ONE_A_BYTE,
  scale_type: F32,
  scale_count_per_block: 0,
  scale_placement: IN_AUXILIARY,
  tail_rule: EXACT,
  rounding_mode: 1,
  kernel_contract: 5,
  auxiliary_mask: 1,
};

/** A profile's record, but for its id and name. */
function record(values: Values): Uint8Array {
  const bytes = new Uint8Array(QUANT_SIZE);
  const view = new DataView(bytes.buffer);
  const all: Values = { ...COMMON, ...values };
  all.code_count_per_block = all.block_elements;
  for (const [name, value] of Object.entries(all)) {
    const { offset, size }: Field = Q[name as Name];
    if (size === 1) view.setUint8(offset, value);
    else if (size === 2) view.setUint16(offset, value, true);
    else view.setUint32(offset, value, true);
  }
  return bytes;
}

/** The records of the registry by name; id and name fields are zero. */
export const REGISTERED: ReadonlyMap<string, Uint8Array> = new Map([
  ...ROWS.flatMap(([name, values]) =>
    TAILS.map(([suffix, tail_rule]) =>
      [`${name}.${suffix}`, record({ ...values, tail_rule })] as const
    )
  ),
  ["q8-row.exact", record(ROW_PROFILE)],
]);

let ids: ReadonlySet<string> | null = null;

/** `UnsupportedQuantProfile`: a profile_id that no row of the registry has. */
export function profileFault({ quants }: Artifact): Fault {
  ids ??= new Set(
    Array.from(REGISTERED, ([name, record]) => hex(profileId(ascii(name), record))),
  );
  for (let row = 0; row < quants.count; row++) {
    if (!ids.has(hex(quants.raw(row, Q.profile_id)))) {
      const where = quants.where(row, Q.profile_id);
      return reject(25, "UnsupportedQuantProfile", "quant", where, "a registered profile");
    }
  }
  return null;
}
