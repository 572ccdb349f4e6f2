/**
 * An input cut into named pieces: fields of header and records as the specification names them
 * (sections 2 and 7, from the writer's tables), items of the manifest by their path, strings and
 * payloads by their index, and what lies between. Offsets of the file are not believed: what is
 * not in the file has no piece.
 */
import {
  BLOB,
  type FieldTable,
  HEADER,
  HEADER_SIZE,
  type RecordKind,
  RECORDS,
  sizeOf,
  TENSOR,
} from "../../corpus/writer/fields.ts";
import { getInteger } from "../../corpus/writer/bytes.ts";
import { manifestSpans } from "./manifest_spans.ts";

export interface Span {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly kind: "integer" | "bytes" | "item";
  /** a hash over other bytes of the file, which differs wherever these do */
  readonly seal?: true;
}

/** Records of a table, and strings, that are taken apart. */
const MOST_RECORDS = 256;

/** Fields that are hashes (sections 7.2 to 7.4). */
const SEALS = new Set(["profile_id", "payload_hash", "content_hash"]);

/** Pieces in rising order, none overlapping another; together they are all of the input. */
export function spansOf(input: Uint8Array): Span[] {
  const found = input.length < HEADER_SIZE ? [] : [
    ...fieldsAt("header", HEADER, 0),
    ...records(input),
    ...manifestSpans(input, u64(input, "manifest_offset"), u64(input, "manifest_length")),
    ...strings(input),
    ...payloads(input),
  ];
  found.sort((a, b) => a.offset - b.offset);
  const spans: Span[] = [];
  let at = 0, before = "";
  const between = (end: number) => {
    if (at < end) {
      const name = before === "" ? "file" : `after ${before}`;
      spans.push({ name, offset: at, size: end - at, kind: "bytes" });
    }
  };
  for (const span of found) {
    if (span.offset < at || span.size === 0) continue;
    between(span.offset);
    spans.push(span);
    at = span.offset + span.size;
    before = span.name;
  }
  between(input.length);
  return spans;
}

/** A field of the header as a number; NaN where it is above 2^53 - 1. */
function u64(input: Uint8Array, name: keyof typeof HEADER): number {
  const value = getInteger(input, HEADER[name][0], sizeOf(HEADER[name][1]));
  return typeof value === "number" ? value : NaN;
}

/** Where each whole record of a table begins. */
function starts(input: Uint8Array, kind: RecordKind): number[] {
  const { size, offset, count } = RECORDS[kind];
  const start = u64(input, offset);
  if (!(start >= HEADER_SIZE)) return [];
  const there = Math.floor((input.length - start) / size);
  const records = Math.max(0, Math.min(u64(input, count), MOST_RECORDS, there));
  return Array.from({ length: records }, (_, i) => start + i * size);
}

function records(input: Uint8Array): Span[] {
  return (Object.keys(RECORDS) as RecordKind[]).flatMap((kind) =>
    starts(input, kind).flatMap((start, i) =>
      fieldsAt(`${kind}[${i}]`, RECORDS[kind].fields, start)
    )
  );
}

function fieldsAt(of: string, fields: FieldTable, base: number): Span[] {
  return Object.entries(fields).map(([name, [offset, type]]) => ({
    name: `${of}.${name}`,
    offset: base + offset,
    size: sizeOf(type),
    kind: typeof type === "string" ? "integer" : "bytes",
    ...(SEALS.has(name) && { seal: true }),
  }));
}

/** Section 6: `u32 count`, `u32 pool_length`, `u32 offsets[count + 1]`, `u8 pool[pool_length]`. */
function strings(input: Uint8Array): Span[] {
  const base = u64(input, "string_table_offset");
  if (!(base >= HEADER_SIZE) || !(u64(input, "string_table_length") >= 8)) return [];
  if (base + 8 > input.length) return [];
  const integer = (name: string, offset: number): Span => ({
    name: `strings.${name}`,
    offset,
    size: 4,
    kind: "integer",
  });
  const spans = [integer("count", base), integer("pool_length", base + 4)];
  const count = Number(getInteger(input, base, 4)), pool = base + 8 + 4 * (count + 1);
  if (pool > input.length) return spans;
  const offset = (i: number) => Number(getInteger(input, base + 8 + 4 * i, 4));
  for (let i = 0; i <= Math.min(count, MOST_RECORDS); i++) {
    spans.push(integer(`offsets[${i}]`, base + 8 + 4 * i));
    if (i === count || offset(i + 1) <= offset(i)) continue;
    const start = pool + offset(i), size = offset(i + 1) - offset(i);
    if (start + size > input.length) continue;
    spans.push({ name: `strings[${i}]`, offset: start, size, kind: "bytes" });
  }
  return spans;
}

/** Payloads of tensors and blobs, where they lie in the file. */
function payloads(input: Uint8Array): Span[] {
  const base = u64(input, "payload_offset");
  if (!(base >= HEADER_SIZE)) return [];
  const of = (kind: "tensor" | "blob") =>
    starts(input, kind).flatMap((start, i): Span[] => {
      const { payload_relative_offset, payload_length } = kind === "tensor" ? TENSOR : BLOB;
      const offset = base + Number(getInteger(input, start + payload_relative_offset[0], 8));
      const size = Number(getInteger(input, start + payload_length[0], 8));
      if (!(size > 0) || !(offset + size <= input.length)) return [];
      return [{ name: `${kind}[${i}].payload`, offset, size, kind: "bytes" }];
    });
  return [...of("tensor"), ...of("blob")];
}
