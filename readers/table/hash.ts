/** SLM_HASH (section 9): BLAKE3-256 over a domain and typed fields. */
import { Blake3, blake3 } from "./blake3.ts";

/** Section 9, field types. */
const RAW = 1;
const IDENT = 2;
const UINT = 3;
const DIGEST = 4;
const DIGESTS = 5;
const CBOR = 6;

const PREFIX = ascii("SLM2-HASH\0");
const DOMAINS = new Map<string, Uint8Array>();

/** The bytes of an ASCII constant of this reader. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/**
 * One hash in the making: `begin`, then exactly the announced fields, then `end`. Bytes are
 * gathered in a buffer of whole blocks, which spares BLAKE3 unaligned and tiny updates: a short
 * message is hashed in one call.
 */
export class SlmHash {
  readonly #buffer: Uint8Array;
  readonly #view: DataView;
  #used = 0;
  readonly #hasher = new Blake3();
  /** whether `#hasher` has taken a part of this hash */
  #begun = false;

  /** @param length of the buffer, a multiple of 64 */
  constructor(length = 4096) {
    this.#buffer = new Uint8Array(length);
    this.#view = new DataView(this.#buffer.buffer);
  }

  begin(domain: string, fields: number): this {
    let name = DOMAINS.get(domain);
    if (name === undefined) DOMAINS.set(domain, name = ascii(domain));
    this.#used = 0;
    this.#abandon();
    return this.add(PREFIX).#uint(name.length, 2).add(name).#uint(fields, 4);
  }

  /** A `raw` field whose `length` bytes follow by `add` or `put`. */
  open(length: number): this {
    return this.#field(RAW, length);
  }
  raw(bytes: Uint8Array): this {
    return this.#field(RAW, bytes.length).add(bytes);
  }
  ident(bytes: Uint8Array): this {
    return this.#field(IDENT, bytes.length).add(bytes);
  }
  u16(n: number): this {
    return this.#field(UINT, 2).#uint(n, 2);
  }
  u32(n: number): this {
    return this.#field(UINT, 4).#uint(n, 4);
  }
  u64(n: number | bigint): this {
    return this.#field(UINT, 8).#uint(n, 8);
  }
  /** Null is an absent digest: zero length. */
  digest(bytes: Uint8Array | null): this {
    return bytes === null ? this.#field(DIGEST, 0) : this.#field(DIGEST, bytes.length).add(bytes);
  }
  /** A `digests` field of `count` entries, which follow by `add`. */
  digests(count: number): this {
    return this.#field(DIGESTS, 8 + 32 * count).#uint(count, 8);
  }
  cbor(bytes: Uint8Array): this {
    return this.#field(CBOR, bytes.length).add(bytes);
  }
  /** A `cbor` field whose `length` bytes follow by `add`. */
  openCbor(length: number): this {
    return this.#field(CBOR, length);
  }

  /** An integer inside an open field, little-endian; negative ones as two's complement. */
  put(n: number, size: 1 | 2 | 4 | 8): this {
    return this.#uint(n, size);
  }

  add(bytes: Uint8Array): this {
    const { length } = bytes;
    const room = this.#buffer.length - this.#used;
    if (length <= room) {
      this.#buffer.set(bytes, this.#used);
      this.#used += length;
      return this;
    }
    let at = 0;
    while (at < length) {
      if (this.#used === this.#buffer.length) this.#flush();
      const n = Math.min(this.#buffer.length - this.#used, length - at);
      this.#buffer.set(bytes.subarray(at, at + n), this.#used);
      this.#used += n;
      at += n;
    }
    return this;
  }

  end(): Uint8Array {
    const rest = this.#buffer.subarray(0, this.#used);
    if (!this.#begun) return blake3(rest);
    this.#begun = false;
    return this.#hasher.update(rest).digest();
  }

  #flush(): void {
    this.#hasher.update(this.#buffer);
    this.#begun = true;
    this.#used = 0;
  }

  /** Forgets a hash that was begun and never ended. */
  #abandon(): void {
    if (this.#begun) this.#hasher.digest();
    this.#begun = false;
  }

  #field(type: number, length: number): this {
    return this.#uint(type, 2).#uint(length, 8);
  }

  #uint(n: number | bigint, size: 1 | 2 | 4 | 8): this {
    if (this.#buffer.length - this.#used < size) {
      const spill = new DataView(new ArrayBuffer(8));
      spill.setBigInt64(0, BigInt.asIntN(64, BigInt(n)), true);
      return this.add(new Uint8Array(spill.buffer, 0, size));
    }
    const view = this.#view;
    const at = this.#used;
    this.#used += size;
    if (typeof n === "bigint") view.setBigUint64(at, n, true);
    else if (size === 1) view.setUint8(at, n);
    else if (size === 2) view.setUint16(at, n, true);
    else if (size === 4) view.setUint32(at, n, true);
    else {
      view.setUint32(at, n % 2 ** 32, true);
      view.setUint32(at + 4, Math.floor(n / 2 ** 32), true);
    }
    return this;
  }
}

/** For hashes that begin and end within one statement. */
export const once = new SlmHash();
/** The three hashes that grow while payload streams: the file, a piece, an object. */
export const wholeFile = new SlmHash(16_384);
export const piece = new SlmHash(16_384);
export const object = new SlmHash(16_384);
/** Bytes of the four buffers. */
export const HASH_BUFFERS = 4096 + 3 * 16_384;

/** Digest equality. */
export function sameDigest(bytes: Uint8Array, at: number, digest: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) if (bytes[at + i] !== digest[i]) return false;
  return true;
}
