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
export function encodeInteger(value: number | bigint, form: Form): Uint8Array | null {
  const bytes = new Uint8Array(form.width);
  return putInteger(value, form, bytes) ? bytes : null;
}

/** As `encodeInteger`, into `bytes`, which are as long as the form is wide. @returns if it fits */
export function putInteger(value: number | bigint, form: Form, bytes: Uint8Array): boolean {
  const { width, little } = form;
  if (typeof value === "bigint" || value < 0) return putWide(BigInt(value), form, bytes);
  if (value >= 2 ** (8 * width)) return false;
  for (let i = 0, rest = value; i < width; i++, rest = Math.floor(rest / 256)) {
    bytes[little ? i : width - 1 - i] = rest;
  }
  return true;
}

function putWide(value: bigint, { width, little }: Form, bytes: Uint8Array): boolean {
  const bits = BigInt(8 * width);
  if (value >= 1n << bits || value < -(1n << (bits - 1n))) return false;
  for (let i = 0, rest = value; i < width; i++, rest >>= 8n) {
    bytes[little ? i : width - 1 - i] = Number(rest & 255n);
  }
  return true;
}
