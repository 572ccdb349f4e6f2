/** Element types (7.1) and the registered quantization profiles (7.2), as data. */
import { QUANT, record } from "./fields.ts";
import { ident, raw, slmHash } from "./identity.ts";

/** Section 7.1: id and bytes an element. */
export const ELEMENT_TYPES = {
  f32: { id: 1, bytes: 4 },
  f16: { id: 2, bytes: 2 },
  bf16: { id: 3, bytes: 2 },
  f64: { id: 4, bytes: 8 },
  i8: { id: 5, bytes: 1 },
  u8: { id: 6, bytes: 1 },
  i16: { id: 7, bytes: 2 },
  u16: { id: 8, bytes: 2 },
  i32: { id: 9, bytes: 4 },
  u32: { id: 10, bytes: 4 },
  i64: { id: 11, bytes: 8 },
  u64: { id: 12, bytes: 8 },
} as const;
export type ElementName = keyof typeof ELEMENT_TYPES;
/** The element type of a quantized tensor (7.1). */
export const QUANTIZED = 256;
/** The quant_profile_index of a dense tensor (7.3). */
export const DENSE = 0xffff;

/** Section 7.2: `tail_rule`. */
export const TAIL = { pad: 1, exact: 2, row: 3 } as const;

/** The fields of a profile record that its identity covers, without those that are always zero. */
export interface ProfileFields {
  readonly storage_type: number;
  readonly decoded_type: number;
  readonly accumulator_type: number;
  readonly code_bits: number;
  readonly block_elements: number;
  readonly block_bytes: number;
  readonly code_count_per_block: number;
  readonly code_signedness: number;
  readonly packing_order: number;
  readonly scale_type: number;
  readonly scale_count_per_block: number;
  readonly scale_placement: number;
  readonly zero_point_type: number;
  readonly zero_point_count_per_block: number;
  readonly zero_point_placement: number;
  readonly codebook_kind: number;
  readonly tail_rule: number;
  readonly rounding_mode: number;
  readonly saturation_mode: number;
  readonly kernel_contract: number;
  readonly auxiliary_mask: number;
  readonly calibration_mode: number;
  /** 32 bytes; absent: zero */
  readonly calibration_identity?: Uint8Array;
}

/** A profile by name. */
export interface Profile {
  readonly name: string;
  readonly fields: ProfileFields;
}

const F32 = 1, F16 = 2, I8 = 5, U8 = 6;
const IN_BLOCK = { type: F16, count: 1, placement: 1 };
const AUXILIARY = { type: F32, count: 0, placement: 2 };
const NONE = { type: 0, count: 0, placement: 0 };

/** The table of section 7.2: its columns, then the storage type and the rounding mode. */
// deno-fmt-ignore
const FAMILIES = [
  //  name       bits block bytes sign pack scale      zero point contract storage rounding
  ["q8-0.b32",   8,   32,   34,   1,   1,   IN_BLOCK,  NONE,      1,       I8,     1],
  ["q4-0.b32",   4,   32,   18,   2,   2,   IN_BLOCK,  NONE,      2,       U8,     3],
  ["q4-1.b32",   4,   32,   20,   0,   2,   IN_BLOCK,  IN_BLOCK,  3,       U8,     3],
  ["q5-0.b32",   5,   32,   22,   2,   4,   IN_BLOCK,  NONE,      2,       U8,     3],
  ["nf4.b64",    4,   64,   34,   3,   3,   IN_BLOCK,  NONE,      4,       U8,     2],
  ["q8-row",     8,    1,    1,   1,   1,   AUXILIARY, NONE,      5,       I8,     1],
] as const;

const CODEBOOK = 3, NF4 = 1;

function profile(family: typeof FAMILIES[number], tail: keyof typeof TAIL): Profile {
  const [name, bits, block, bytes, sign, packing, scale, zero, contract, storage, rounding] =
    family;
  return {
    name: `${name}.${tail}`,
    fields: {
      storage_type: storage,
      decoded_type: F32,
      accumulator_type: F32,
      code_bits: bits,
      block_elements: block,
      block_bytes: bytes,
      code_count_per_block: block,
      code_signedness: sign,
      packing_order: packing,
      scale_type: scale.type,
      scale_count_per_block: scale.count,
      scale_placement: scale.placement,
      zero_point_type: zero.type,
      zero_point_count_per_block: zero.count,
      zero_point_placement: zero.placement,
      codebook_kind: sign === CODEBOOK ? NF4 : 0,
      tail_rule: TAIL[tail],
      rounding_mode: rounding,
      saturation_mode: 1,
      kernel_contract: contract,
      auxiliary_mask: scale.placement === 2 ? 1 : 0,
      calibration_mode: 0,
    },
  };
}

/** Every registered profile by name: five families under three tail rules, and `q8-row.exact`. */
export const REGISTERED: ReadonlyMap<string, Profile> = new Map(
  FAMILIES.flatMap((family) =>
    family[0] === "q8-row"
      ? [profile(family, "exact")]
      : (["pad", "exact", "row"] as const).map((tail) => profile(family, tail))
  ).map((one) => [one.name, one]),
);

/** Bytes 36..127 of a profile's record: what its identity covers. */
export function profileBody({ fields }: Profile): Uint8Array {
  return record(QUANT, 128, { profile_version: 1, ...fields }).subarray(36);
}

/** `profile_id` (7.2) of a name and bytes 36..127 of its record. */
export function profileId(name: string, body: Uint8Array): Uint8Array {
  return slmHash("quant-profile", ident(name), raw(body));
}
