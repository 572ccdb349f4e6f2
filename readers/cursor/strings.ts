/** Stage 19: the string table (section 6). */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { ascii, BitSet, compareRanges, spells, u32 } from "./bytes.ts";
import { reject } from "./fault.ts";
import { isIdentifier } from "./identifier.ts";

/**
 * A checked string table. Its strings stand in strictly increasing order, so ids compare as
 * their bytes do.
 */
export class Strings {
  readonly #pool: number;

  /**
   * @param bytes the file from its first byte
   * @param at offset of the table
   * @param count strings in it; 0 where the table is absent
   * @param referred which strings some record has referred to
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly at: number,
    readonly count: number,
    readonly referred: BitSet,
  ) {
    this.#pool = at + 8 + 4 * (count + 1);
  }

  /** Offset in the file of the first byte of string `id`. */
  start(id: number): number {
    return this.#pool + u32(this.bytes, this.at + 8 + 4 * id);
  }

  /** Offset in the file after the last byte of string `id`. */
  end(id: number): number {
    return this.start(id + 1);
  }

  /** The string's text; identifiers are ASCII. */
  text(id: number): string {
    return ascii(this.bytes, this.start(id), this.end(id));
  }

  is(id: number, name: string): boolean {
    return spells(this.bytes, this.start(id), this.end(id), name);
  }

  /** Notes a reference; whether there is such a string. */
  refer(id: number): boolean {
    if (id >= this.count) return false;
    this.referred.add(id);
    return true;
  }

  /** The id of the string in `[from, to)` of `bytes`, or -1. */
  find(bytes: Uint8Array, from: number, to: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const start = this.start(middle);
      const length = this.end(middle) - start;
      let order = 0;
      for (let i = 0; order === 0 && i < length && i < to - from; i++) {
        order = this.bytes[start + i] - bytes[from + i];
      }
      if (order === 0) order = length - (to - from);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }
}

function fault(code: Code, at: number, expected: string): Reject {
  return reject(19, code, "strings", at, expected);
}

/** Stage 19. */
export function checkStrings(artifact: Artifact): Reject | null {
  const { bytes, memory, sections: { strings: { offset, size } } } = artifact;
  if (size === 0) return null;
  if (size < 8) return fault("StringTableSize", offset, "at least 8 bytes");
  const count = u32(bytes, offset);
  const poolLength = u32(bytes, offset + 4);
  if (8 + 4 * (count + 1) + poolLength !== size || count === 0) {
    return fault("StringTableSize", offset, "at least one string, and the table's length");
  }
  const offsets = offset + 8;
  if (u32(bytes, offsets) !== 0) return fault("StringOffsets", offsets, "0");
  for (let i = 1; i <= count; i++) {
    const at = offsets + 4 * i;
    if (u32(bytes, at) <= u32(bytes, at - 4)) return fault("StringOffsets", at, "a greater offset");
  }
  if (u32(bytes, offsets + 4 * count) !== poolLength) {
    return fault("StringOffsets", offsets + 4 * count, `${poolLength}`);
  }
  const referred = new BitSet(memory.bytes(BitSet.size(count)));
  const strings = new Strings(bytes, offset, count, referred);
  for (let id = 0, previous = 0; id < count; id++) {
    const start = strings.start(id);
    const end = strings.end(id);
    if (!isIdentifier(bytes, start, end)) {
      return fault("StringInvalid", start, "a machine identifier");
    }
    if (id > 0) {
      const order = compareRanges(bytes, previous, start, start, end);
      if (order === 0) return fault("StringDuplicate", start, "another string");
      if (order > 0) return fault("StringOrder", start, "a greater string");
    }
    previous = start;
  }
  artifact.strings = strings;
  return null;
}
