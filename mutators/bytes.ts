/**
 * Little-endian integers in bytes that nobody has checked, and cuts that never fail. Fast, and
 * exact only where it says so; the writer's exact ones are in `corpus/writer/bytes.ts`.
 */

export const getU16 = (b: Uint8Array, at: number): number => b[at] | (b[at + 1] << 8);

export const getU32 = (b: Uint8Array, at: number): number =>
  (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0;

/** A u64; rounded above 2^53. */
export const getU64 = (b: Uint8Array, at: number): number =>
  getU32(b, at) + getU32(b, at + 4) * 2 ** 32;

export function putU16(b: Uint8Array, at: number, n: number): void {
  b[at] = n;
  b[at + 1] = n >>> 8;
}

export function putU32(b: Uint8Array, at: number, n: number): void {
  b[at] = n;
  b[at + 1] = n >>> 8;
  b[at + 2] = n >>> 16;
  b[at + 3] = n >>> 24;
}

/** @param n up to 2^53 - 1 */
export function putU64(b: Uint8Array, at: number, n: number): void {
  putU32(b, at, n % 2 ** 32);
  putU32(b, at + 4, Math.floor(n / 2 ** 32));
}

/** `length` bytes from `offset` on, or what there is of them. */
export function cut(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  const start = Math.min(offset, bytes.length);
  return bytes.subarray(start, Math.min(start + length, bytes.length));
}

/** Cuts that may lie over one another: once they take twice the length of `bytes`, the rest are empty. */
export function cutter(bytes: Uint8Array): (offset: number, length: number) => Uint8Array {
  let room = 2 * bytes.length;
  return (offset, length) => {
    const part = cut(bytes, offset, Math.min(length, room));
    room -= part.length;
    return part;
  };
}

/** `bytes` with `part` instead of the `removed` bytes from `at` on, as far as there are so many. */
export function splice(
  bytes: Uint8Array,
  at: number,
  removed: number,
  part: Uint8Array,
): Uint8Array {
  const start = Math.max(0, Math.min(at, bytes.length));
  const rest = Math.min(start + removed, bytes.length);
  const result = new Uint8Array(start + part.length + bytes.length - rest);
  result.set(bytes.subarray(0, start));
  result.set(part, start);
  result.set(bytes.subarray(rest), start + part.length);
  return result;
}

/** Whether two views hold the same bytes. */
export function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
