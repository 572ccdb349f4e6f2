/**
 * A manifest that passed stage 17, read in place: an item is known by the offset of its first
 * byte. Every item is well-formed here, so nothing is checked twice.
 */
import type { Value } from "../contract.ts";
import { compareRanges, sameBytes } from "./fields.ts";
import { ARRAY, BYTES, FALSE, MAP, NEGATIVE, NULL, SIMPLE, TEXT, TRUE, UNSIGNED } from "./cbor.ts";
import type { Fault } from "./fault.ts";
import { Utf8 } from "./utf8.ts";

/** Offset of an item. */
export type Item = number;

export class Manifest {
  readonly #view: DataView;

  /** The item in [root, end) of `bytes`. */
  constructor(readonly bytes: Uint8Array, readonly root: Item, readonly end: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Major type. */
  type(at: Item): number {
    return this.bytes[at] >> 5;
  }
  isNull(at: Item): boolean {
    return this.bytes[at] === (SIMPLE << 5 | NULL);
  }
  isBool(at: Item): boolean {
    return this.isTrue(at) || this.bytes[at] === (SIMPLE << 5 | FALSE);
  }
  isTrue(at: Item): boolean {
    return this.bytes[at] === (SIMPLE << 5 | TRUE);
  }

  /** Offset after the head. */
  content(at: Item): number {
    const info = this.bytes[at] & 31;
    return at + 1 + (info < 24 || info > 27 ? 0 : 1 << (info - 24));
  }

  /** The argument of a length or count. */
  count(at: Item): number {
    const info = this.bytes[at] & 31;
    if (info < 24) return info;
    if (info === 24) return this.bytes[at + 1];
    if (info === 25) return this.#view.getUint16(at + 1);
    if (info === 26) return this.#view.getUint32(at + 1);
    return this.#view.getUint32(at + 1) * 2 ** 32 + this.#view.getUint32(at + 5);
  }

  /** An integer, exact. */
  integer(at: Item): number | bigint {
    const n = this.count(at);
    const isNegative = this.type(at) === NEGATIVE;
    if (n < Number.MAX_SAFE_INTEGER) return isNegative ? -1 - n : n;
    const exact = this.#view.getBigUint64(at + 1);
    if (isNegative) return -1n - exact;
    return exact > Number.MAX_SAFE_INTEGER ? exact : n;
  }

  /** Offset after a text or byte string. */
  #stringEnd(at: Item): number {
    return this.content(at) + this.count(at);
  }

  /** Offset after the item with all that it holds. */
  next(at: Item): number {
    let pending = 1;
    while (pending > 0) {
      pending--;
      const type = this.type(at);
      if (type === BYTES || type === TEXT) at = this.#stringEnd(at);
      else {
        if (type === ARRAY) pending += this.count(at);
        else if (type === MAP) pending += 2 * this.count(at);
        at = this.content(at);
      }
    }
    return at;
  }

  /** The content of a text or byte string: a view. */
  string(at: Item): Uint8Array {
    return this.bytes.subarray(this.content(at), this.#stringEnd(at));
  }

  /** The encoding of an item: a view. */
  encoding(at: Item): Uint8Array {
    return this.bytes.subarray(at, this.next(at));
  }

  /** Whether a text is this ASCII one. */
  isText(at: Item, ascii: string): boolean {
    if (this.type(at) !== TEXT || this.count(at) !== ascii.length) return false;
    const from = this.content(at);
    for (let i = 0; i < ascii.length; i++) {
      if (this.bytes[from + i] !== ascii.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Whether two items have one encoding, and so one value. */
  same(a: Item, b: Item): boolean {
    return this.compare(a, b) === 0;
  }

  /** Bytewise order of two encodings. */
  compare(a: Item, b: Item): number {
    return compareRanges(this.bytes, a, this.next(a), b, this.next(b));
  }

  /** Whether a byte string holds these bytes. */
  holds(at: Item, bytes: Uint8Array): boolean {
    return this.type(at) === BYTES && sameBytes(this.string(at), bytes);
  }

  /** The value under a key of a map; the key must be there. */
  get(map: Item, ...path: string[]): Item {
    let at = map;
    for (const key of path) at = this.find(at, key);
    return at;
  }

  /** The value under a key of a map, or -1. */
  find(map: Item, key: string): Item {
    let at = this.content(map);
    for (let i = this.count(map); i > 0; i--) {
      const value = this.next(at);
      if (this.isText(at, key)) return value;
      at = this.next(value);
    }
    return -1;
  }

  /** Visits the elements of an array until one gives a fault. */
  each(array: Item, visit: (item: Item, index: number) => Fault): Fault {
    let at = this.content(array);
    for (let i = 0, n = this.count(array); i < n; i++) {
      const fault = visit(at, i);
      if (fault !== null) return fault;
      at = this.next(at);
    }
    return null;
  }

  /** Visits the entries of a map until one gives a fault. */
  eachEntry(map: Item, visit: (key: Item, value: Item) => Fault): Fault {
    let at = this.content(map);
    for (let i = this.count(map); i > 0; i--) {
      const value = this.next(at);
      const fault = visit(at, value);
      if (fault !== null) return fault;
      at = this.next(value);
    }
    return null;
  }

  /** The item as a value of its own. Recursion ends with the nesting limit of stage 17. */
  value(at: Item = this.root): Value {
    switch (this.type(at)) {
      case UNSIGNED:
      case NEGATIVE:
        return this.integer(at);
      case BYTES:
        return this.string(at).slice();
      case TEXT:
        return decodeText(this.string(at));
      case ARRAY: {
        const values: Value[] = [];
        this.each(at, (item) => {
          values.push(this.value(item));
          return null;
        });
        return values;
      }
      case MAP:
        return this.map(at);
      default:
        return this.isNull(at) ? null : this.isTrue(at);
    }
  }

  /** A map as a value of its own. */
  map(at: Item): ReadonlyMap<string, Value> {
    const entries = new Map<string, Value>();
    this.eachEntry(at, (key, value) => {
      entries.set(decodeText(this.string(key)), this.value(value));
      return null;
    });
    return entries;
  }
}

/** Valid UTF-8 as a string. */
export function decodeText(bytes: Uint8Array): string {
  const utf8 = new Utf8();
  let text = "";
  for (const byte of bytes) {
    const point = utf8.take(byte);
    if (point >= 0) text += String.fromCodePoint(point);
  }
  return text;
}
