/** Entries of a tokenizer's vocabulary (`classes.md` section 4), for the blobs that name them. */
import type { Vocabulary } from "./artifact.ts";
import { compareRanges } from "./fields.ts";

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
export function u32(view: DataView, at: number): number {
  return view.getUint32(at, true);
}

/** Entries by id; without a vocabulary there are none. */
export class Entries {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly #view: DataView;
  readonly #pool: number;

  constructor(vocabulary: Vocabulary | null) {
    this.bytes = vocabulary?.bytes ?? new Uint8Array(0);
    this.count = vocabulary?.count ?? 0;
    this.#view = viewOf(this.bytes);
    this.#pool = 4 + 4 * (this.count + 1);
  }
  start(id: number): number {
    return this.#pool + u32(this.#view, 4 + 4 * id);
  }
  end(id: number): number {
    return this.start(id + 1);
  }
  length(id: number): number {
    return this.end(id) - this.start(id);
  }
  /** One number for two ids; below 2^48, as a vocabulary has at most 2^24 entries. */
  pair(a: number, b: number): number {
    return a * this.count + b;
  }
}

/** Results as long as this are compared once a content, not once a merge. */
const LONG = 256;

/**
 * Whether a result is left + right. Entries may repeat, so a small file can ask for the same
 * long comparison over and over; long contents get a class, and a pair of classes one answer.
 */
export class Joins {
  #classes: Uint32Array | null = null;
  /** class of the result, by the pair of the parts' classes */
  readonly #known = new Map<number, number>();

  constructor(readonly entries: Entries) {}

  holds(left: number, right: number, result: number): boolean {
    const { entries } = this;
    if (entries.length(result) < LONG) return this.#compare(left, right, result);
    const classes = this.#classes ??= this.#classify();
    const pair = entries.pair(classes[left], classes[right]);
    const known = this.#known.get(pair);
    if (known !== undefined) return known === classes[result];
    const isJoined = this.#compare(left, right, result);
    if (isJoined) this.#known.set(pair, classes[result]);
    return isJoined;
  }

  #compare(left: number, right: number, result: number): boolean {
    const { entries } = this;
    const [start, end] = [entries.start(result), entries.end(result)];
    const middle = start + entries.length(left);
    return middle + entries.length(right) === end &&
      compareRanges(entries.bytes, entries.start(left), entries.end(left), start, middle) === 0 &&
      compareRanges(entries.bytes, entries.start(right), entries.end(right), middle, end) === 0;
  }

  /** Of each entry the first id with its bytes. */
  #classify(): Uint32Array {
    const { entries } = this;
    const first = new Map<string, number>();
    return Uint32Array.from({ length: entries.count }, (_, id) => {
      let key = "";
      const end = entries.end(id);
      for (let at = entries.start(id); at < end; at++) {
        key += String.fromCharCode(entries.bytes[at]);
      }
      const known = first.get(key);
      if (known !== undefined) return known;
      first.set(key, id);
      return id;
    });
  }
}
