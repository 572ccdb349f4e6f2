/** Bytes: joining, comparing, and the little-endian integers of section 1. */

const TEXT = new TextEncoder();

/** Code units of what is encoded here: the encoder's call costs as much as a hundred of them. */
const SHORT = 64;

/** UTF-8 of a text. A lone surrogate becomes U+FFFD: `textFault` refuses it before. */
export function utf8(text: string): Uint8Array {
  const { length } = text;
  if (length > SHORT) return TEXT.encode(text);
  const ascii = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return TEXT.encode(text);
    ascii[i] = unit;
  }
  return ascii;
}

/** `n` modulo 2^(8 x size) as `size` little-endian bytes; negative numbers in two's complement. */
export function integer(n: number | bigint, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  putInteger(bytes, 0, size, n);
  return bytes;
}

/** Writes `n` modulo 2^(8 x size) at `offset`. */
export function putInteger(into: Uint8Array, offset: number, size: number, n: number | bigint) {
  if (typeof n === "number" && n >= 0) {
    for (let i = 0, rest = n; i < size; i++, rest = Math.floor(rest / 256)) {
      into[offset + i] = rest % 256;
    }
  } else {
    for (let i = 0, rest = BigInt(n); i < size; i++, rest >>= 8n) {
      into[offset + i] = Number(rest & 255n);
    }
  }
}

/** The unsigned integer of `size` bytes at `offset`; a bigint where it is above 2^53 - 1. */
export function getInteger(from: Uint8Array, offset: number, size: number): number | bigint {
  let n = 0n;
  for (let i = size - 1; i >= 0; i--) n = (n << 8n) | BigInt(from[offset + i]);
  return n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;
}

export const u16 = (n: number): Uint8Array => integer(n, 2);
export const u32 = (n: number): Uint8Array => integer(n, 4);
export const u64 = (n: number | bigint): Uint8Array => integer(n, 8);

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => join(parts);

/** As `concat`, of a list that may be long. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Bytewise order, a prefix first: negative, 0 or positive. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** Bytes that are put one after another. */
export class ByteList {
  #bytes = new Uint8Array(64);
  #length = 0;

  /** Makes room for `size` bytes more and says where they begin. */
  #grow(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }

  /** An integer, as `integer` has it. */
  integer(n: number | bigint, size: number): this {
    const at = this.#grow(size);
    putInteger(this.#bytes, at, size, n);
    return this;
  }

  put(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  /** Begins anew, in the room that there is. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** All of them, valid until the next change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** All of them, and `room` zeros. */
  finish(room = 0): Uint8Array {
    if (room === 0) return this.#bytes.slice(0, this.#length);
    const all = new Uint8Array(this.#length + room);
    all.set(this.#bytes.subarray(0, this.#length));
    return all;
  }
}
