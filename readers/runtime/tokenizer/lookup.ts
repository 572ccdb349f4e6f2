/**
 * Byte strings to numbers, by exact or by prefix match: entries sorted by their bytes, and
 * binary search. No hash, so no vocabulary can be made to collide, and no memory beyond one
 * number an entry.
 */

/** Byte strings laid end to end: entry i is `bytes[offsets[i] .. offsets[i + 1])`. */
export interface Entries {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The bytes of one entry. */
export function entry({ offsets, bytes }: Entries, index: number): Uint8Array {
  return bytes.subarray(offsets[index], offsets[index + 1]);
}

/** What a match found: which entry, and the end of the match in the text. */
export interface Match {
  readonly index: number;
  readonly end: number;
}

export class Lookup {
  readonly #bytes: Uint8Array;
  /** per sorted entry: its index, and where its bytes begin and end */
  readonly #index: Uint32Array;
  readonly #begin: Uint32Array;
  readonly #end: Uint32Array;
  /** where entries that begin with each byte start in the order */
  readonly #first = new Uint32Array(257);
  readonly #longest: number;

  /**
   * Over the entries for which `use` holds. Empty entries match nothing; of equal entries the
   * lowest index counts (classes.md section 4).
   */
  constructor(entries: Entries, use: (index: number) => boolean) {
    const { offsets, bytes } = entries;
    const chosen: number[] = [];
    for (let i = 0; i + 1 < offsets.length; i++) {
      if (offsets[i] < offsets[i + 1] && use(i)) chosen.push(i);
    }
    const order = (a: number, b: number) => compare(bytes, offsets, a, b) || a - b;
    chosen.sort(order);
    const distinct = chosen.filter((id, k) =>
      k === 0 || compare(bytes, offsets, chosen[k - 1], id) !== 0
    );
    this.#bytes = bytes;
    this.#index = Uint32Array.from(distinct);
    this.#begin = this.#index.map((id) => offsets[id]);
    this.#end = this.#index.map((id) => offsets[id + 1]);
    for (const begin of this.#begin) this.#first[bytes[begin] + 1]++;
    for (let b = 0; b < 256; b++) this.#first[b + 1] += this.#first[b];
    this.#longest = this.#begin.reduce((most, begin, k) => Math.max(most, this.#end[k] - begin), 0);
  }

  /** The entry equal to `text[start .. end)`, or -1. */
  exact(text: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 0 || length > this.#longest) return -1;
    let low = this.#first[text[start]], high = this.#first[text[start] + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#against(middle, text, start, length);
      if (order === 0) return this.#index[middle];
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  #against(k: number, text: Uint8Array, start: number, length: number): number {
    const begin = this.#begin[k], own = this.#end[k] - begin;
    const shared = Math.min(own, length);
    for (let i = 1; i < shared; i++) {
      const order = this.#bytes[begin + i] - text[start + i];
      if (order !== 0) return order;
    }
    return own - length;
  }

  /** Whether any entry begins with `byte`. */
  begins(byte: number): boolean {
    return this.#first[byte] < this.#first[byte + 1];
  }

  /** The longest entry that `text[start .. end)` begins with, or null. */
  longest(text: Uint8Array, start: number, end: number): Match | null {
    if (start >= end || !this.begins(text[start])) return null;
    let found: Match | null = null;
    this.prefixes(text, start, end, (index, at) => found = { index, end: at });
    return found;
  }

  /** Tells `found` each entry that `text[start .. end)` begins with, shortest first. */
  prefixes(
    text: Uint8Array,
    start: number,
    end: number,
    found: (index: number, end: number) => void,
  ): void {
    if (start >= end) return;
    let low = this.#first[text[start]], high = this.#first[text[start] + 1];
    for (let depth = 1; low < high; depth++) {
      // in [low, high) all agree with the text on `depth` bytes; one that ends here is first
      if (this.#end[low] - this.#begin[low] === depth) found(this.#index[low++], start + depth);
      if (start + depth >= end) return;
      const byte = text[start + depth];
      low = this.#lowerBound(low, high, depth, byte);
      high = this.#lowerBound(low, high, depth, byte + 1);
    }
  }

  /** The first in [low, high) whose byte at `depth` is at least `byte`. */
  #lowerBound(low: number, high: number, depth: number, byte: number): number {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bytes[this.#begin[middle] + depth] < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(bytes: Uint8Array, offsets: Uint32Array, a: number, b: number): number {
  const lengthA = offsets[a + 1] - offsets[a], lengthB = offsets[b + 1] - offsets[b];
  const shared = Math.min(lengthA, lengthB);
  for (let i = 0; i < shared; i++) {
    const order = bytes[offsets[a] + i] - bytes[offsets[b] + i];
    if (order !== 0) return order;
  }
  return lengthA - lengthB;
}
