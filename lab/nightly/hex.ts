/**
 * An input as rows of named bytes: those at fault and those that differ from a valid artifact, with
 * what stands around them. A hash differs wherever what it covers does, so such rows are told apart.
 */
import { getInteger } from "../../corpus/writer/bytes.ts";
import type { HexRow } from "../../reports/nightly/model.ts";
import { type Span, spansOf } from "./spans.ts";

/** Rows of a view. */
export const MOST_ROWS = 96;

/** Rows kept on either side of one that matters, and from the start where none does. */
const NEIGHBOURS = 2, FIRST = 24;

/** Bytes of a row. */
const ROW_BYTES = 16;

/** Rows of one piece that differ. */
const MOST_PARTS = 8;

/** What stands in a valid artifact where a piece of the input is; null: it has no such piece. */
export type Was = (span: Span) => Uint8Array | null;

/**
 * How an input differs from a parent: place by place where they are of one size, and then named by
 * the parent, which is valid; name by name otherwise, for what follows an inserted byte has moved.
 */
export function against(
  input: Uint8Array,
  parent: Uint8Array,
  spans: readonly Span[] = spansOf(parent),
  own: () => readonly Span[] = () => spansOf(input),
): { spans: readonly Span[]; was: Was; differing: number } {
  const sameSize = input.length === parent.length;
  const named = new Map(spans.map((span) => [span.name, span]));
  const was: Was = ({ name, offset, size }) => {
    if (sameSize) return parent.subarray(offset, offset + size);
    const there = named.get(name);
    return there ? parent.subarray(there.offset, there.offset + there.size) : null;
  };
  const mine = sameSize ? spans : own();
  const differing = mine.filter((span) => span.seal === undefined && differs(input, span, was));
  return { spans: mine, was, differing: differing.length };
}

function differs(input: Uint8Array, { offset, size, ...span }: Span, was: Was): boolean {
  const before = was({ offset, size, ...span });
  if (before === null || before.length !== size) return true;
  for (let i = 0; i < size; i++) if (input[offset + i] !== before[i]) return true;
  return false;
}

/**
 * @param faults offsets in the input that verdicts name
 * @param parent a valid artifact near it
 */
export function hexRows(
  input: Uint8Array,
  faults: readonly number[],
  parent: Uint8Array | null = null,
): { rows: HexRow[]; more: number } {
  const { spans, was } = parent === null
    ? { spans: spansOf(input), was: null }
    : against(input, parent);
  const all = spans.flatMap((span) => rowsOf(input, span, faults, was));
  const matters = new Set<number>();
  for (const [i, { mark }] of all.entries()) {
    if (mark === "sealed") matters.add(i);
    if (mark !== "fault" && mark !== "differs") continue;
    for (let k = i - NEIGHBOURS; k <= i + NEIGHBOURS; k++) matters.add(k);
  }
  const kept = all.filter((_, i) => matters.size > 0 ? matters.has(i) : i < FIRST);
  const rows = kept.length <= MOST_ROWS ? kept : [
    ...kept.slice(0, MOST_ROWS),
    // a place that a verdict names is shown however many rows come before it
    ...kept.slice(MOST_ROWS).filter(({ mark }) => mark === "fault").slice(0, NEIGHBOURS),
  ];
  return { rows, more: all.length - rows.length };
}

/** One row for a piece that is as it should be, or for each of its rows that is not. */
function rowsOf(
  input: Uint8Array,
  span: Span,
  faults: readonly number[],
  was: Was | null,
): HexRow[] {
  const { name, offset, size, kind } = span;
  const before = was?.(span);
  const row = (from: number, length: number): HexRow => {
    const bytes = input.subarray(offset + from, offset + from + length);
    const fault = faults.some((at) => at >= offset + from && at < offset + from + length);
    const other = before?.subarray(from, from + length) ?? (was && new Uint8Array());
    const marked = other === null
      ? []
      : Array.from(bytes.keys()).filter((i) => bytes[i] !== other[i]);
    const changed = other !== null && (marked.length > 0 || other.length > bytes.length);
    return {
      offset: offset + from,
      name: from === 0 ? name : `${name} +${from}`,
      hex: hexOf(bytes),
      value: kind === "integer" ? String(getInteger(bytes, 0, bytes.length)) : printable(bytes),
      mark: fault ? "fault" : !changed ? "" : span.seal ? "sealed" : "differs",
      marked,
      was: !changed ? null : other.length === 0 ? "" : hexOf(other),
    };
  };
  if (size <= ROW_BYTES) return [row(0, size)];
  const parts: HexRow[] = [];
  for (let from = 0; from < size && parts.length < MOST_PARTS; from += ROW_BYTES) {
    const length = Math.min(ROW_BYTES, size - from), end = offset + from + length;
    const here = faults.some((at) => at >= offset + from && at < end);
    if (!here && (was === null || same(input.subarray(offset + from, end), before, from))) continue;
    parts.push(row(from, length));
  }
  if (parts.length > 0) return span.seal ? parts.slice(0, 1) : parts;
  const first = row(0, ROW_BYTES);
  return [{ ...first, hex: `${first.hex} …` }];
}

function same(bytes: Uint8Array, before: Uint8Array | null | undefined, from: number): boolean {
  return before !== null && before !== undefined &&
    bytes.every((byte, i) => byte === before[from + i]);
}

const hexOf = (bytes: Uint8Array) => bytes.toHex().replace(/..(?=.)/g, "$& ");

function printable(bytes: Uint8Array): string {
  const signs = Array.from(
    bytes,
    (byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·",
  );
  return signs.join("");
}
