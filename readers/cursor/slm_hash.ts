/** SLM_HASH (section 9): a domain and typed, length-prefixed fields under BLAKE3-256. */
import { Blake3, blake3 } from "./blake3.ts";

const ASCII = new TextEncoder();

/** Field types of section 9. */
const RAW = 1;
const IDENT = 2;
const UINT = 3;
const DIGEST = 4;
const DIGESTS = 5;
const CBOR = 6;

/** A hash of up to this many bytes in all is one call; longer ones go through in parts. */
const SCRATCH = 1024;
/** Copying this many bytes one by one is as fast as a call that copies them. */
const BY_LOOP = 96;

/** The bytes before the first field: `"SLM2-HASH\0" || u16 || domain || u32(field count)`. */
export function domain(name: string, fields: number): Uint8Array {
  const text = ASCII.encode(`SLM2-HASH\0..${name}....`);
  text.set([name.length % 0x100, Math.floor(name.length / 0x100)], 10);
  text.set([fields, 0, 0, 0], text.length - 4);
  return text;
}

/** One hash in the making; `begin` starts the next. Any number may be under way at once. */
export class SlmHash {
  readonly #hasher = new Blake3();
  readonly #scratch = new Uint8Array(SCRATCH);
  #used = 0;
  #flushed = false;

  /** @param head what `domain` gave */
  begin(head: Uint8Array): this {
    this.#scratch.set(head);
    this.#used = head.length;
    this.#flushed = false;
    return this;
  }

  /** Appends `bytes[from, to)` as they are; fields are made of such appendages. */
  append(bytes: Uint8Array, from = 0, to = bytes.length): this {
    const length = to - from;
    if (this.#used + length > SCRATCH) this.#flush();
    if (length <= BY_LOOP) {
      for (let i = from; i < to; i++) this.#scratch[this.#used++] = bytes[i];
      return this;
    }
    const part = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
    if (length > SCRATCH) {
      this.#hasher.update(part);
    } else {
      this.#scratch.set(part, this.#used);
      this.#used += length;
    }
    return this;
  }

  /** Appends the `size` low bytes of a non-negative integer up to 2^53 - 1, little-endian. */
  appendUint(n: number, size: number): this {
    if (this.#used + size > SCRATCH) this.#flush();
    let part = n % 2 ** 32;
    const high = (n - part) / 2 ** 32;
    for (let i = 0; i < size; i++) {
      if (i === 4) part = high;
      this.#scratch[this.#used++] = part; // a byte takes the value modulo 2^8
      part >>>= 8;
    }
    return this;
  }

  #field(type: number, length: number): this {
    return this.appendUint(type, 2).appendUint(length, 8);
  }

  /** Begins a `raw` field of `length` bytes, which `append` then gives. */
  openRaw(length: number): this {
    return this.#field(RAW, length);
  }

  raw(bytes: Uint8Array, from = 0, to = bytes.length): this {
    return this.#field(RAW, to - from).append(bytes, from, to);
  }

  ident(bytes: Uint8Array, from = 0, to = bytes.length): this {
    return this.#field(IDENT, to - from).append(bytes, from, to);
  }

  u16(n: number): this {
    return this.#field(UINT, 2).appendUint(n, 2);
  }

  u32(n: number): this {
    return this.#field(UINT, 4).appendUint(n, 4);
  }

  u64(n: number | bigint): this {
    this.#field(UINT, 8);
    if (typeof n === "number") return this.appendUint(n, 8);
    return this.appendUint(Number(n % 2n ** 32n), 4).appendUint(Number(n / 2n ** 32n), 4);
  }

  /** A digest of 32 bytes, or one that is absent, of none. */
  digest(bytes: Uint8Array | null, from = 0): this {
    return bytes === null ? this.#field(DIGEST, 0) : this.#field(DIGEST, 32).append(
      bytes,
      from,
      from + 32,
    );
  }

  /** Begins a list of `count` digests, which `append` then gives. */
  openDigests(count: number): this {
    return this.#field(DIGESTS, 8 + 32 * count).appendUint(count, 8);
  }

  /** Begins a `cbor` field of `length` bytes, which `append` then gives. */
  openCbor(length: number): this {
    return this.#field(CBOR, length);
  }

  cbor(bytes: Uint8Array, from = 0, to = bytes.length): this {
    return this.#field(CBOR, to - from).append(bytes, from, to);
  }

  /** The hash, 32 fresh bytes. */
  end(): Uint8Array {
    if (!this.#flushed) return blake3(this.#scratch.subarray(0, this.#used));
    this.#flush();
    return this.#hasher.digest();
  }

  #flush(): void {
    if (!this.#flushed) this.#hasher.reset();
    this.#flushed = true;
    this.#hasher.update(this.#scratch.subarray(0, this.#used));
    this.#used = 0;
  }
}
