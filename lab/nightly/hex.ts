/**
 * An input as rows of fields, named as the specification names them (sections 2 and 7, from the
 * writer's tables), with the rows marked that hold a byte at fault. Offsets of the file are not
 * believed: a table that is not in the file has no rows.
 */
import {
  type FieldTable,
  HEADER,
  HEADER_SIZE,
  type RecordKind,
  RECORDS,
  sizeOf,
} from "../../corpus/writer/fields.ts";
import { getInteger } from "../../corpus/writer/bytes.ts";
import type { HexRow } from "../../reports/nightly/model.ts";

/** Rows of a view, beyond the marked ones and their neighbours. */
const MOST_ROWS = 160;

/** Rows kept on either side of a marked one. */
const NEIGHBOURS = 6;

/** Bytes of a row of no field, and of a long field that are shown. */
const ROW_BYTES = 16;

/** Records of a table that are taken apart. */
const MOST_RECORDS = 256;

/** Rows that are made at all, whatever the input. */
const MADE = 20_000;

interface Span {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly integer: boolean;
}

/** @param marks offsets in the input of bytes at fault */
export function hexRows(
  input: Uint8Array,
  marks: readonly number[],
): { rows: HexRow[]; more: number } {
  const { all, total } = rowsOf(input, marks);
  const near = new Set<number>();
  for (const [i, { marked }] of all.entries()) {
    if (!marked) continue;
    for (let k = i - NEIGHBOURS; k <= i + NEIGHBOURS; k++) near.add(k);
  }
  const rows = all.filter((_, i) => i < MOST_ROWS || near.has(i)).slice(0, 2 * MOST_ROWS);
  return { rows, more: Math.max(0, total - rows.length) };
}

/** Rows that are made, and how many there would be. */
function rowsOf(input: Uint8Array, marks: readonly number[]) {
  const rows: HexRow[] = [];
  const put = (name: string, offset: number, size: number, integer: boolean) => {
    const bytes = input.subarray(offset, offset + Math.min(size, ROW_BYTES));
    rows.push({
      offset,
      name,
      hex: bytes.toHex().replace(/..(?=.)/g, "$& ") + (size > ROW_BYTES ? " …" : ""),
      value: integer ? String(getInteger(input, offset, size)) : printable(bytes),
      marked: marks.some((mark) => mark >= offset && mark < offset + size),
    });
  };
  let at = 0;
  const plain = (end: number) => {
    while (at < end && rows.length < MADE) {
      const size = Math.min(ROW_BYTES, end - at);
      put("", at, size, false);
      at += size;
    }
  };
  for (const { name, offset, size, integer } of spans(input)) {
    if (offset < at || rows.length >= MADE) continue;
    plain(offset);
    put(name, offset, size, integer);
    at = offset + size;
  }
  // far marks are shown even where the rows before them are too many to be made
  if (rows.length < MADE) plain(input.length);
  const total = rows.length + Math.ceil(Math.max(0, input.length - at) / ROW_BYTES);
  for (const mark of marks) {
    if (mark < at || mark >= input.length) continue;
    const offset = mark - mark % ROW_BYTES;
    if (!rows.some((row) => row.offset === offset)) {
      put("", offset, Math.min(ROW_BYTES, input.length - offset), false);
    }
  }
  return { all: rows, total };
}

/** Fields that lie in the input, in rising order. */
function spans(input: Uint8Array): Span[] {
  if (input.length < HEADER_SIZE) return [];
  const found = fieldsAt("header", HEADER, 0);
  for (const kind of Object.keys(RECORDS) as RecordKind[]) {
    const { fields, size, offset, count } = RECORDS[kind];
    const start = getInteger(input, HEADER[offset][0], 8);
    const records = Number(getInteger(input, HEADER[count][0], 4));
    if (typeof start !== "number" || start < HEADER_SIZE) continue;
    for (let i = 0; i < Math.min(records, MOST_RECORDS); i++) {
      const base = start + i * size;
      if (base + size > input.length) break;
      found.push(...fieldsAt(`${kind}[${i}]`, fields, base));
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

function fieldsAt(of: string, fields: FieldTable, base: number): Span[] {
  return Object.entries(fields).map(([name, [offset, type]]) => ({
    name: `${of}.${name}`,
    offset: base + offset,
    size: sizeOf(type),
    integer: typeof type === "string",
  }));
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")
    .join(
      "",
    );
}
