/**
 * Field tables: a header or record is a list of rows (name, offset, size), and a rule about it
 * is a row too (code, field, predicate). Everything positional in this reader is built on these.
 */
import type { Code, Section, Stage } from "../contract.ts";
import { type Fault, reject } from "./fault.ts";

/** One field: `size` in bytes; integers of 1, 2, 4 and 8 bytes are little-endian. */
export interface Field {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly signed: boolean;
}

type FieldRow = readonly [offset: number, size: number, sign?: "signed"];

/** Names the rows of a field table. */
export function layout<T extends Record<string, FieldRow>>(rows: T): { [name in keyof T]: Field } {
  const fields: Record<string, Field> = {};
  for (const [name, [offset, size, sign]] of Object.entries(rows)) {
    fields[name] = { name, offset, size, signed: sign === "signed" };
  }
  return fields as { [name in keyof T]: Field };
}

/** The least multiple of `a` that is >= `x` (section 1). */
export function alignUp(x: number, a: number): number {
  const over = x % a;
  return over === 0 ? x : x + (a - over);
}

/** Bytewise order of two ranges of one buffer: negative, 0 or positive. A prefix comes first. */
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

/** Equal length and bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lowercase hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}
const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

/**
 * A table of equal records inside `bytes`, whose index 0 is the first byte of the file, so that
 * an index is an absolute offset.
 */
export class Rows {
  readonly #view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    readonly offset: number,
    readonly count: number,
    readonly size: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Absolute offset of a field. */
  where(row: number, field: Field): number {
    return this.offset + row * this.size + field.offset;
  }

  /**
   * An integer field. A u64 above 2^53 comes out rounded but never below 2^53, so that a
   * comparison with anything up to `MAX` is exact.
   */
  get(row: number, field: Field): number {
    const at = this.offset + row * this.size + field.offset;
    switch (field.size) {
      case 1:
        return this.bytes[at];
      case 2:
        return this.#view.getUint16(at, true);
      case 4:
        return field.signed ? this.#view.getInt32(at, true) : this.#view.getUint32(at, true);
      default:
        return this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
    }
  }

  /** A field as bytes: a view, not a copy. */
  raw(row: number, field: Field): Uint8Array {
    const at = this.where(row, field);
    return this.bytes.subarray(at, at + field.size);
  }

  /** Whether every byte of a field is zero. */
  isZero(row: number, field: Field): boolean {
    const at = this.where(row, field);
    for (let i = at; i < at + field.size; i++) if (this.bytes[i] !== 0) return false;
    return true;
  }

  /** Order of two records under a sort key; fields wider than 8 bytes compare as bytes. */
  compare(key: readonly Field[], a: number, b: number): number {
    for (const field of key) {
      const d = field.size > 8
        ? compareRanges(
          this.bytes,
          this.where(a, field),
          this.where(a, field) + field.size,
          this.where(b, field),
          this.where(b, field) + field.size,
        )
        : this.get(a, field) - this.get(b, field);
      if (d !== 0) return d;
    }
    return 0;
  }
}

/** One record under judgement; `index` moves from record to record. */
export class Row {
  index = 0;

  constructor(readonly rows: Rows) {}

  get(field: Field): number {
    return this.rows.get(this.index, field);
  }
  raw(field: Field): Uint8Array {
    return this.rows.raw(this.index, field);
  }
  isZero(field: Field): boolean {
    return this.rows.isZero(this.index, field);
  }
  /** Order of this record against the one before it; the first is greater than nothing. */
  order(key: readonly Field[]): number {
    return this.index === 0 ? 1 : this.rows.compare(key, this.index, this.index - 1);
  }
}

/** One rule: the code it gives, the field it points at, when it fails, what a good file has. */
export type Check<R extends Row> = readonly [
  code: Code,
  field: Field,
  fails: (row: R) => boolean,
  expected: string,
];

/** Runs the checks over one record, in order. */
export function checkRow<R extends Row>(
  stage: Stage,
  section: Section,
  checks: readonly Check<R>[],
  row: R,
): Fault {
  for (const [code, field, fails, expected] of checks) {
    if (fails(row)) {
      const where = row.rows.where(row.index, field);
      return reject(stage, code, section, where, `${field.name}: ${expected}`);
    }
  }
  return null;
}

/** Runs all checks of record i before any of record i + 1 (section 1). */
export function checkRows<R extends Row>(
  stage: Stage,
  section: Section,
  checks: readonly Check<R>[],
  row: R,
  accepted: (row: R) => void,
): Fault {
  for (row.index = 0; row.index < row.rows.count; row.index++) {
    const fault = checkRow(stage, section, checks, row);
    if (fault !== null) return fault;
    accepted(row);
  }
  return null;
}

/** The two rows that close a table's checks: its sort key, strictly increasing. */
export function sorted<R extends Row>(key: readonly Field[]): readonly Check<R>[] {
  const names = key.map((field) => field.name).join(", ");
  return [
    ["DescriptorDuplicate", key[0], (row) => row.order(key) === 0, `a new (${names})`],
    ["DescriptorOrder", key[0], (row) => row.order(key) < 0, `ascending (${names})`],
  ];
}
