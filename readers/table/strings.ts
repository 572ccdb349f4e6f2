/** The string table (section 6) and stage 19. */
import type { Code } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { type Fault, reject } from "./fault.ts";
import { compareRanges, layout, Rows } from "./fields.ts";
import { isIdentifier } from "./identifier.ts";
import { H } from "./layouts.ts";
import { decodeText } from "./manifest.ts";

const HEAD_SIZE = 8;
const HEAD = layout({ count: [0, 4], pool_length: [4, 4] });
const OFFSET_SIZE = 4;
const { offset: OFFSET } = layout({ offset: [0, 4] });

/** A checked table: strings by id. The ids stand in bytewise order of their strings. */
export class Strings {
  constructor(
    readonly bytes: Uint8Array,
    readonly count: number,
    /** absolute offset of the pool */
    readonly pool: number,
    /** relative to the pool */
    readonly offsets: Rows,
  ) {}

  start(id: number): number {
    return this.pool + this.offsets.get(id, OFFSET);
  }
  end(id: number): number {
    return this.start(id + 1);
  }
  /** A view. */
  raw(id: number): Uint8Array {
    return this.bytes.subarray(this.start(id), this.end(id));
  }
  text(id: number): string {
    return decodeText(this.raw(id));
  }
  is(id: number, ascii: string): boolean {
    const start = this.start(id);
    if (this.end(id) - start !== ascii.length) return false;
    for (let i = 0; i < ascii.length; i++) {
      if (this.bytes[start + i] !== ascii.charCodeAt(i)) return false;
    }
    return true;
  }

  /** The id of a string, or -1. */
  find(string: Uint8Array): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const d = compareBytes(this.raw(middle), string);
      if (d === 0) return middle;
      if (d < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

function fail(code: Code, offset: number, expected: string): Fault {
  return reject(19, code, "strings", offset, expected);
}

/** Stage 19. An absent table holds 0 strings (section 8). */
export function checkStrings(artifact: Artifact): Fault {
  const { bytes, header, memory } = artifact;
  const at = header.get(0, H.string_table_offset);
  const length = header.get(0, H.string_table_length);
  let count = 0;
  let fault: Fault = null;
  if (length > 0) {
    if (length < HEAD_SIZE) return fail("StringTableSize", at, "at least 8 bytes");
    const head = new Rows(bytes, at, 1, HEAD_SIZE);
    count = head.get(0, HEAD.count);
    const poolLength = head.get(0, HEAD.pool_length);
    if (HEAD_SIZE + OFFSET_SIZE * (count + 1) + poolLength !== length || count === 0) {
      return fail("StringTableSize", at, "at least one string, and sizes that fill the table");
    }
    const offsets = new Rows(bytes, at + HEAD_SIZE, count + 1, OFFSET_SIZE);
    const pool = at + HEAD_SIZE + OFFSET_SIZE * (count + 1);
    artifact.strings = new Strings(bytes, count, pool, offsets);
    fault = checkOffsets(offsets, poolLength) ?? checkOrder(artifact.strings);
  } else artifact.strings = new Strings(bytes, 0, at, new Rows(bytes, at, 0, OFFSET_SIZE));
  artifact.stringMarks = memory.bytes(count);
  return fault;
}

function checkOffsets(offsets: Rows, poolLength: number): Fault {
  let previous = -1;
  for (let i = 0; i < offsets.count; i++) {
    const offset = offsets.get(i, OFFSET);
    const isRight = offset > previous && (i > 0 || offset === 0) &&
      (i < offsets.count - 1 || offset === poolLength);
    if (!isRight) {
      return fail("StringOffsets", offsets.where(i, OFFSET), "offsets that rise from 0 to the end");
    }
    previous = offset;
  }
  return null;
}

function checkOrder(strings: Strings): Fault {
  const { bytes, count } = strings;
  for (let id = 0; id < count; id++) {
    const start = strings.start(id);
    const end = strings.end(id);
    if (!isIdentifier(bytes, start, end)) return fail("StringInvalid", start, "an identifier");
    if (id === 0) continue;
    const d = compareRanges(bytes, strings.start(id - 1), start, start, end);
    if (d === 0) return fail("StringDuplicate", start, "a string of its own");
    if (d > 0) return fail("StringOrder", start, "strings in ascending order");
  }
  return null;
}
