/** Stages 12 to 16: where the sections stand (section 2), and the gaps before them. */
import type { Code, LimitName, Section } from "../contract.ts";
import type { Artifact, Place } from "./artifact.ts";
import { type Fault, reject, SOURCE_IO } from "./fault.ts";
import { alignUp, type Check, checkRow, type Field, Rows } from "./fields.ts";
import type { Header } from "./header.ts";
import { AUXILIARY_SIZE, BLOB_SIZE, H, HEADER_SIZE, QUANT_SIZE, TENSOR_SIZE } from "./layouts.ts";
import { MAX, overLimit, within } from "./limits.ts";
import { Manifest } from "./manifest.ts";

/** Section 2: each section begins at a multiple of this. */
const SECTION_ALIGNMENT = 64;

interface Measured {
  readonly section: Section;
  readonly offset: Field;
}
/** A section that states its length. */
interface Span extends Measured {
  readonly length: Field;
  readonly limit?: LimitName;
}
/** A section of equal records. */
interface Table extends Measured {
  readonly count: Field;
  readonly recordSize: Field;
  readonly record: number;
  readonly limit: LimitName;
}
const MANIFEST: Span = {
  section: "manifest",
  offset: H.manifest_offset,
  length: H.manifest_length,
  limit: "manifest_length",
};
const STRINGS: Span = {
  section: "strings",
  offset: H.string_table_offset,
  length: H.string_table_length,
  limit: "string_table_length",
};
const QUANTS: Table = {
  section: "quant",
  offset: H.quant_table_offset,
  count: H.quant_count,
  recordSize: H.quant_record_size,
  record: QUANT_SIZE,
  limit: "quant_count",
};
const TENSORS: Table = {
  section: "tensors",
  offset: H.tensor_table_offset,
  count: H.tensor_count,
  recordSize: H.tensor_record_size,
  record: TENSOR_SIZE,
  limit: "tensor_count",
};
const BLOBS: Table = {
  section: "blobs",
  offset: H.blob_table_offset,
  count: H.blob_count,
  recordSize: H.blob_record_size,
  record: BLOB_SIZE,
  limit: "blob_count",
};
const AUXILIARIES: Table = {
  section: "auxiliary",
  offset: H.auxiliary_table_offset,
  count: H.auxiliary_count,
  recordSize: H.auxiliary_record_size,
  record: AUXILIARY_SIZE,
  limit: "auxiliary_count",
};
const PAYLOAD: Span = {
  section: "payload",
  offset: H.payload_offset,
  length: H.payload_length,
};
/** Section 2: the order in which sections stand. */
const SECTIONS: readonly (Span | Table)[] = [
  MANIFEST,
  STRINGS,
  QUANTS,
  TENSORS,
  BLOBS,
  AUXILIARIES,
  PAYLOAD,
];

/** Stage 12 (a): the u64 fields from 48 to 152. */
const RANGE_CHECKS: readonly Check<Header>[] = Object.values(H)
  .filter((field) => field.size === 8 && field.offset >= 48)
  .map((field) => ["IntegerRange", field, (h) => h.get(field) > MAX, "at most 2^53 - 1"]);

function fail(code: Code, field: Field, expected: string): Fault {
  return reject(12, code, "header", field.offset, `${field.name}: ${expected}`);
}

/** Stages 12 to 16. Leaves the tables and the bytes before the payload. */
export function checkSections(artifact: Artifact, header: Header): Fault {
  return checkRow(12, "header", RANGE_CHECKS, header) ?? checkCounts(artifact, header) ??
    checkPlaces(header) ?? loadTables(artifact, header);
}

/** Stage 12 (b), (c). */
function checkCounts({ limits }: Artifact, h: Header): Fault {
  if (h.get(H.manifest_length) === 0) return fail("MissingManifest", H.manifest_length, "a length");
  for (const section of SECTIONS) {
    const fault = "count" in section ? checkTable(section) : checkSpan(section);
    if (fault !== null) return fault;
  }
  const hasObjects = h.get(H.tensor_count) + h.get(H.blob_count) > 0;
  if (hasObjects === (h.get(H.payload_offset) > 0)) return null;
  return fail("PayloadPresence", H.payload_offset, "a payload exactly if there are objects");

  function checkSpan({ section, offset, length, limit }: Span): Fault {
    if (section !== "manifest" && (h.get(offset) === 0) !== (h.get(length) === 0)) {
      const zero = h.get(offset) === 0 ? length : offset;
      return fail("AbsentNotZero", zero, "offset and length both zero or neither");
    }
    if (limit === undefined) return null;
    const code = overLimit(limits, limit, h.get(length));
    return code === null ? null : fail(code, length, within(limits, limit));
  }

  function checkTable({ offset, count, recordSize, record, limit }: Table): Fault {
    if (h.get(count) === 0) {
      if (h.get(offset) !== 0) return fail("AbsentNotZero", offset, "0, as the count");
      if (h.get(recordSize) !== 0) return fail("AbsentNotZero", recordSize, "0, as the count");
      return null;
    }
    if (h.get(recordSize) !== record) return fail("BadRecordSize", recordSize, String(record));
    const code = overLimit(limits, limit, h.get(count));
    return code === null ? null : fail(code, count, within(limits, limit));
  }
}

/** Place of a section that passed stage 12; absent ones have length 0. */
function placeOf(h: Header, fields: Omit<Span, "section"> | Omit<Table, "section">): Place {
  const length = "count" in fields ? h.get(fields.count) * fields.record : h.get(fields.length);
  return { offset: h.get(fields.offset), length };
}

/** Stages 13 to 15: one after the other, each over every present section. */
function checkPlaces(h: Header): Fault {
  const present = SECTIONS
    .map(({ section, ...fields }) => ({ section, field: fields.offset, ...placeOf(h, fields) }))
    .filter(({ length }) => length > 0);
  for (const { section, field, offset, length } of present) {
    if (offset + length > MAX) {
      return reject(13, "SectionOverflow", section, field.offset, "an end of at most 2^53 - 1");
    }
  }
  let end = HEADER_SIZE;
  for (const { section, field, offset, length } of present) {
    if (offset % SECTION_ALIGNMENT !== 0) {
      return reject(14, "SectionMisaligned", section, field.offset, "a multiple of 64");
    }
    const place = alignUp(end, SECTION_ALIGNMENT);
    if (offset !== place) {
      return reject(14, "SectionOutOfPlace", section, field.offset, `offset ${place}`);
    }
    end = offset + length;
  }
  for (const { section, field, offset, length } of present) {
    if (offset + length > h.fileSize) {
      const expected = `an end of at most ${h.fileSize}`;
      return reject(15, "SectionOutOfBounds", section, field.offset, expected);
    }
  }
  if (end < h.fileSize) return reject(15, "TrailingBytes", "file", end, `a file of ${end} bytes`);
  return null;
}

/** Reads what stands before the payload; stage 16. */
function loadTables(artifact: Artifact, h: Header): Fault {
  const { input, memory } = artifact;
  artifact.artifactClass = h.get(H.artifact_class);
  artifact.payload = placeOf(h, PAYLOAD);
  const bytes = memory.bytes(artifact.payload.length > 0 ? artifact.payload.offset : input.size);
  bytes.set(h.rows.bytes);
  if (!input.fill(HEADER_SIZE, bytes.subarray(HEADER_SIZE))) return SOURCE_IO;
  artifact.bytes = bytes;
  artifact.header = new Rows(bytes, 0, 1, HEADER_SIZE);

  let end = HEADER_SIZE;
  for (const described of SECTIONS) {
    const { offset, length } = placeOf(h, described);
    if (length === 0) continue;
    for (let i = end; i < offset; i++) {
      if (bytes[i] !== 0) return reject(16, "NonZeroPadding", described.section, i, "zero");
    }
    end = offset + length;
  }
  const manifest = placeOf(h, MANIFEST);
  artifact.manifest = new Manifest(bytes, manifest.offset, manifest.offset + manifest.length);
  const rows = (table: Table) =>
    new Rows(bytes, h.get(table.offset), h.get(table.count), table.record);
  artifact.quants = rows(QUANTS);
  artifact.tensors = rows(TENSORS);
  artifact.blobs = rows(BLOBS);
  artifact.auxiliaries = rows(AUXILIARIES);
  return null;
}
