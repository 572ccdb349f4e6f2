/**
 * A decoded manifest: where each item of SLM-DCBOR-1 stands, in the order of the bytes.
 *
 * Item `i`'s children, if it is an array or a map, begin at item `i + 1`; `next(i)` is the
 * item after all of them. A map's children are key, value, key, value. Values are read from
 * the bytes when asked for: nothing of a file becomes an object before it is needed.
 */
import type { Value } from "../contract.ts";
import { decodeUtf8 } from "./text.ts";
import { spells } from "./bytes.ts";

/** Major types of CBOR (RFC 8949, 3.1) that SLM-DCBOR-1 has. */
export const UINT = 0;
export const NINT = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const SIMPLE = 7;

export const FALSE = 0xf4;
export const TRUE = 0xf5;
export const NULL = 0xf6;

/** Bytes of a head's argument that follow its first byte, by additional information. */
export function argumentSize(info: number): number {
  return info < 24 ? 0 : 1 << (info - 24);
}

export class Tape {
  /** items on the tape */
  count = 0;
  /** two numbers an item: where it begins, and the item after it and its children */
  readonly #items: Int32Array;

  /**
   * @param bytes the file from its first byte; positions are offsets in the file
   * @param capacity the most items that will be written
   */
  constructor(readonly bytes: Uint8Array, capacity: number) {
    this.#items = new Int32Array(2 * capacity + 1);
  }

  /** Bytes that a tape of `capacity` items takes. */
  static size(capacity: number): number {
    return 8 * capacity + 4;
  }

  /** Writes an item that begins at `at` and has no children yet. */
  open(at: number): number {
    this.#items[2 * this.count] = at;
    this.#items[2 * this.count + 1] = this.count + 1;
    return this.count++;
  }

  /** Says that all items written since are children of `item`. */
  close(item: number): void {
    this.#items[2 * item + 1] = this.count;
  }

  /** Says that the last item ends at `end`. */
  finish(end: number): void {
    this.#items[2 * this.count] = end;
  }

  /** The item after `item` and all its children. */
  next(item: number): number {
    return this.#items[2 * item + 1];
  }

  /** Offset of the item's first byte. */
  start(item: number): number {
    return this.#items[2 * item];
  }

  /** Offset after the item's last byte, children included. */
  end(item: number): number {
    return this.#items[2 * this.#items[2 * item + 1]];
  }

  /** The item's canonical encoding. */
  encoding(item: number): Uint8Array {
    return this.bytes.subarray(this.start(item), this.end(item));
  }

  major(item: number): number {
    return this.bytes[this.#items[2 * item]] >> 5;
  }

  /** The first byte of the item: tells `FALSE`, `TRUE` and `NULL` apart. */
  head(item: number): number {
    return this.bytes[this.#items[2 * item]];
  }

  /** Offset of the first byte after the item's head. */
  body(item: number): number {
    const at = this.#items[2 * item];
    return at + 1 + argumentSize(this.bytes[at] & 31);
  }

  /** Length of a string or number of entries; at most 2^20 by the limits of section 4. */
  length(item: number): number {
    return Number(this.#argument(item));
  }

  /** The value of a major type 0 or 1 item: a number where exact, else a bigint. */
  integer(item: number): number | bigint {
    const n = this.#argument(item);
    if (this.major(item) === UINT) return n;
    const value = typeof n === "bigint" ? -1n - n : -1 - n;
    return typeof value === "number" && !Number.isSafeInteger(value) ? -1n - BigInt(n) : value;
  }

  /** The value of a major type 0 item that is known to be small, or rounded. */
  uint(item: number): number {
    return Number(this.#argument(item));
  }

  #argument(item: number): number | bigint {
    const at = this.#items[2 * item];
    const info = this.bytes[at] & 31;
    if (info < 24) return info;
    if (info === 24) return this.bytes[at + 1];
    const high = info === 25 ? bigEndian16(this.bytes, at + 1) : bigEndian32(this.bytes, at + 1);
    if (info < 27) return high;
    const low = bigEndian32(this.bytes, at + 5);
    if (high < 2 ** 21) return high * 2 ** 32 + low;
    return BigInt(high) << 32n | BigInt(low);
  }

  /** The contents of a byte string. */
  string(item: number): Uint8Array {
    return this.bytes.subarray(this.body(item), this.end(item));
  }

  /** The contents of a text string. */
  text(item: number): string {
    return decodeUtf8(this.bytes, this.body(item), this.end(item)) ?? "";
  }

  /** Whether the item is a text that spells `name` (ASCII). */
  isText(item: number, name: string): boolean {
    return this.major(item) === TEXT &&
      spells(this.bytes, this.body(item), this.end(item), name);
  }

  isNull(item: number): boolean {
    return this.head(item) === NULL;
  }

  /** The value of `key` (ASCII) in the map `item`, or -1. */
  find(item: number, key: string): number {
    const end = this.next(item);
    for (let k = item + 1; k < end; k = this.next(k + 1)) {
      if (this.isText(k, key)) return k + 1;
    }
    return -1;
  }

  /** The value of `key` in a map that its schema has proved to have it. */
  get(item: number, key: string): number {
    const found = this.find(item, key);
    if (found < 0) throw new Error(`no ${key}: asked before stage 18`);
    return found;
  }

  /** Whether two items have the same encoding, in this tape or another. */
  equal(item: number, other: Tape, its: number): boolean {
    const a = this.start(item);
    const b = other.start(its);
    const length = this.end(item) - a;
    if (other.end(its) - b !== length) return false;
    for (let i = 0; i < length; i++) if (this.bytes[a + i] !== other.bytes[b + i]) return false;
    return true;
  }

  /** The item as a value. Recurses at most as deep as stage 17 allows. */
  value(item: number): Value {
    switch (this.major(item)) {
      case UINT:
      case NINT:
        return this.integer(item);
      case BYTES:
        return this.string(item).slice();
      case TEXT:
        return this.text(item);
      case ARRAY: {
        const list: Value[] = [];
        for (let i = item + 1; i < this.next(item); i = this.next(i)) list.push(this.value(i));
        return list;
      }
      case MAP:
        return this.map(item);
      default:
        return this.isNull(item) ? null : this.head(item) === TRUE;
    }
  }

  /** The map `item` as a value. */
  map(item: number): ReadonlyMap<string, Value> {
    const map = new Map<string, Value>();
    for (let k = item + 1; k < this.next(item); k = this.next(k + 1)) {
      map.set(this.text(k), this.value(k + 1));
    }
    return map;
  }
}

function bigEndian16(bytes: Uint8Array, at: number): number {
  return bytes[at] * 0x100 + bytes[at + 1];
}

function bigEndian32(bytes: Uint8Array, at: number): number {
  return bigEndian16(bytes, at) * 0x10000 + bigEndian16(bytes, at + 2);
}
