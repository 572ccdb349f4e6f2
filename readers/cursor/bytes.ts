/**
 * Little-endian integers and byte ranges (section 1). Fields are assembled byte by byte
 * from an offset in a buffer; nothing is cast from an unaligned view.
 */

/** Section 1: every position, length, product and count is at most this. */
export const MAX = Number.MAX_SAFE_INTEGER;

export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at] + bytes[at + 1] * 0x100;
}

export function u32(bytes: Uint8Array, at: number): number {
  return bytes[at] + bytes[at + 1] * 0x100 + bytes[at + 2] * 0x10000 + bytes[at + 3] * 0x1000000;
}

export function i32(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) | 0;
}

/**
 * A `u64`, exact up to `MAX`. Above it the sum is rounded, but never down to `MAX`
 * (rounding is monotone), so a comparison with any value up to `MAX` stays right.
 */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) + u32(bytes, at + 4) * 0x100000000;
}

/** The least multiple of `to` that is >= `x` (section 1), exact for x up to `MAX`. */
export function alignUp(x: number, to: number): number {
  const over = x % to;
  return over === 0 ? x : x + (to - over);
}

/** `ceil(x / by)` without the rounding of a division, for x up to `MAX`. */
export function ceilDiv(x: number, by: number): number {
  const over = x % by;
  return (x - over) / by + (over === 0 ? 0 : 1);
}

/** Position of the first nonzero byte in `[from, to)`, or -1. */
export function firstNonZero(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return i;
  return -1;
}

/** Bytewise order of two ranges of one buffer, a prefix first: negative, 0 or positive. */
export function compareRanges(
  bytes: Uint8Array,
  a: number,
  aEnd: number,
  b: number,
  bEnd: number,
): number {
  const n = Math.min(aEnd - a, bEnd - b);
  for (let i = 0; i < n; i++) {
    const d = bytes[a + i] - bytes[b + i];
    if (d !== 0) return d;
  }
  return (aEnd - a) - (bEnd - b);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Whether the range of `bytes` spells the ASCII text `name`. */
export function spells(bytes: Uint8Array, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** The range of `bytes` as a string, one character a byte (for ASCII). */
export function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let i = from; i < to; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** Lowercase hexadecimal of `bytes[from, from + length)`. */
export function hex(bytes: Uint8Array, from = 0, length = bytes.length - from): string {
  return bytes.subarray(from, from + length).toHex();
}

/** A set of small integers, one bit each. */
export class BitSet {
  readonly #bits: Uint8Array;

  /** `bits` must be zeroed and hold `BitSet.size(count)` bytes. */
  constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  /** Bytes for a set of integers below `count`. */
  static size(count: number): number {
    return ceilDiv(count, 8);
  }

  has(i: number): boolean {
    return (this.#bits[(i - i % 8) / 8] & (1 << i % 8)) !== 0;
  }

  add(i: number): void {
    this.#bits[(i - i % 8) / 8] |= 1 << i % 8;
  }

  /** The least integer below `count` that is not in the set, or -1. */
  firstMissing(count: number): number {
    for (let i = 0; i < count; i++) {
      if (i % 8 === 0 && this.#bits[i / 8] === 0xff) i += 7;
      else if (!this.has(i)) return i;
    }
    return -1;
  }
}
