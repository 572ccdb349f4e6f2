/** Element types (section 7.1). */
export const F32 = 1;
export const F16 = 2;
export const BF16 = 3;
export const U64 = 12;
/** The bytes follow the record's quantization profile. */
export const QUANTIZED = 256;

/** Bytes of a scale or zero point that stands in a block, by type: none, f32, f16. */
export const FACTOR_BYTES: readonly number[] = [0, 4, 2];

/** Bytes of one element, by type; index 0 is no type. */
const BYTES: readonly number[] = [0, 4, 2, 2, 8, 1, 1, 2, 2, 4, 4, 8, 8];

/** Bytes of one element of a dense type; 0 for an unknown type and for `QUANTIZED`. */
export function elementBytes(type: number): number {
  return BYTES[type] ?? 0;
}
