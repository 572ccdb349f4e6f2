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
  if (!fits(value, form)) return null;
  const bytes = new Uint8Array(form.width);
  put(value, form, bytes);
  return bytes;
}

/** As `encodeInteger`, into `bytes`, which are as long as the form is wide. @returns if it fits */
export function putInteger(value: number | bigint, form: Form, bytes: Uint8Array): boolean {
  if (!fits(value, form)) return false;
  put(value, form, bytes);
  return true;
}

/** By width: the least and the first value that no longer fits. */
const LEAST = { 1: -(2 ** 7), 2: -(2 ** 15), 4: -(2 ** 31), 8: -(2 ** 63) } as const;
const END = { 1: 2 ** 8, 2: 2 ** 16, 4: 2 ** 32, 8: 2 ** 64 } as const;

const fits = (value: number | bigint, { width }: Form): boolean =>
  value < END[width] && value >= LEAST[width];

function put(value: number | bigint, form: Form, bytes: Uint8Array): void {
  if (typeof value === "bigint" || value < 0) return putWide(BigInt(value), form, bytes);
  const { width, little } = form;
  let rest = value >>> 0;
  for (let i = 0; i < width; i++, rest >>>= 8) {
    if (i === 4) rest = value / 2 ** 32 >>> 0;
    bytes[little ? i : width - 1 - i] = rest;
  }
}

function putWide(value: bigint, { width, little }: Form, bytes: Uint8Array): void {
  for (let i = 0, rest = value; i < width; i++, rest >>= 8n) {
    bytes[little ? i : width - 1 - i] = Number(rest & 255n);
  }
}
