/** Integers as they stand in bytes. */

/** How an integer is written: how many bytes, and which end comes first. */
export interface Form {
  readonly width: 1 | 2 | 4 | 8;
  readonly little: boolean;
}

export const FORMS: readonly Form[] = [
  { width: 8, little: true },
  { width: 4, little: true },
  { width: 2, little: true },
  { width: 8, little: false },
  { width: 4, little: false },
  { width: 2, little: false },
  { width: 1, little: true },
];

/** The bytes of `value` in a form, or null where it does not fit. Negative: two's complement. */
export function encodeInteger(value: number | bigint, { width, little }: Form): Uint8Array | null {
  if (typeof value === "bigint" || value < 0) return encodeWide(BigInt(value), width, little);
  if (value >= 2 ** (8 * width)) return null;
  const bytes = new Uint8Array(width);
  for (let i = 0, rest = value; rest > 0; i++, rest = Math.floor(rest / 256)) {
    bytes[little ? i : width - 1 - i] = rest;
  }
  return bytes;
}

function encodeWide(value: bigint, width: number, little: boolean): Uint8Array | null {
  const bits = BigInt(8 * width);
  if (value >= 1n << bits || value < -(1n << (bits - 1n))) return null;
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), little);
  return little ? bytes.subarray(0, width) : bytes.subarray(8 - width);
}
