/**
 * The tolerant model: any bytes as header, sections, records and payload objects, as far as they
 * can be told, and back as a file in which everything stands in its canonical place (sections 2
 * and 7.6). It believes the header as far as the bytes reach, and never throws.
 */
import { AUXILIARY, BLOB, HEADER, HEADER_SIZE, RECORDS, TENSOR } from "../corpus/writer/fields.ts";
import { alignUp, SECTION_ALIGNMENT } from "../corpus/writer/layout.ts";
import { cutter, getU32, getU64, putU32, putU64 } from "./bytes.ts";

/** A tensor or blob record with the payload that it points at. */
export interface Entry {
  record: Uint8Array;
  object: Uint8Array;
}

/**
 * A file in parts. All views are of one private copy, so a mutator may write into them, replace
 * them, or reorder the lists; `layOut` then joins what there is.
 */
export interface Artifact {
  /** 224 bytes, zeros where the file is shorter */
  header: Uint8Array;
  manifest: Uint8Array;
  /** the string table as it stands; `stringsOf` cuts it up */
  strings: Uint8Array;
  quants: Uint8Array[];
  tensors: Entry[];
  blobs: Entry[];
  auxiliaries: Uint8Array[];
}

const u64 = (header: Uint8Array, name: keyof typeof HEADER) => getU64(header, HEADER[name][0]);
const u32 = (header: Uint8Array, name: keyof typeof HEADER) => getU32(header, HEADER[name][0]);

/** Reads what can be told. What comes of it is linear in the file, whatever it claims. */
export function parse(input: Uint8Array): Artifact {
  // the header's copy stands before the file's: one buffer costs less than two
  const copy = new Uint8Array(HEADER_SIZE + input.length);
  copy.set(input, HEADER_SIZE);
  copy.copyWithin(0, HEADER_SIZE, 2 * HEADER_SIZE);
  const header = copy.subarray(0, HEADER_SIZE);
  const part = cutter(copy.subarray(HEADER_SIZE));
  const records = (kind: keyof typeof RECORDS): Uint8Array[] => {
    const { size, offset, count } = RECORDS[kind];
    const table = part(u64(header, offset), u32(header, count) * size);
    const list: Uint8Array[] = [];
    for (let at = 0; at + size <= table.length; at += size) {
      list.push(table.subarray(at, at + size));
    }
    return list;
  };
  const payload = u64(header, "payload_offset");
  const entries = (kind: "tensor" | "blob", offset: number, length: number): Entry[] =>
    records(kind).map((record) => ({
      record,
      object: part(payload + getU64(record, offset), getU64(record, length)),
    }));
  return {
    header,
    manifest: part(u64(header, "manifest_offset"), u64(header, "manifest_length")),
    strings: part(u64(header, "string_table_offset"), u64(header, "string_table_length")),
    quants: records("quant"),
    tensors: entries("tensor", TENSOR.payload_relative_offset[0], TENSOR.payload_length[0]),
    blobs: entries("blob", BLOB.payload_relative_offset[0], BLOB.payload_length[0]),
    auxiliaries: records("auxiliary"),
  };
}

/** The alignment of an object where it is a legal one that keeps files small, else 64. */
function alignmentOf(record: Uint8Array, at: number): number {
  const alignment = getU32(record, at);
  const legal = alignment >= 64 && alignment <= 65536 && (alignment & (alignment - 1)) === 0;
  return legal ? alignment : 64;
}

/** One section in the making: its bytes, and the header fields that say where it stands. */
interface Section {
  readonly parts: readonly Uint8Array[];
  readonly offset: keyof typeof HEADER;
  /** of the sections that state a length */
  readonly length?: keyof typeof HEADER;
  /** of the tables */
  readonly count?: keyof typeof HEADER;
  readonly size?: keyof typeof HEADER;
}

/**
 * Joins the parts: section offsets, lengths, counts, record sizes, file_size and the relative
 * offset of each object are derived; all other fields stay as they are, faults included.
 */
export function layOut(artifact: Artifact): Uint8Array {
  const entries = [...artifact.tensors, ...artifact.blobs];
  const sections: Section[] = [
    { parts: [artifact.manifest], offset: "manifest_offset", length: "manifest_length" },
    { parts: [artifact.strings], offset: "string_table_offset", length: "string_table_length" },
    table("quant", artifact.quants),
    table("tensor", artifact.tensors.map(({ record }) => record)),
    table("blob", artifact.blobs.map(({ record }) => record)),
    table("auxiliary", artifact.auxiliaries),
  ];
  let end = HEADER_SIZE;
  const places: number[] = [];
  const lengths = sections.map(({ parts }) => parts.reduce((sum, part) => sum + part.length, 0));
  for (const bytes of lengths) {
    const place = bytes > 0 ? alignUp(end, SECTION_ALIGNMENT) : 0;
    if (bytes > 0) end = place + bytes;
    places.push(place);
  }
  const payload = alignUp(end, SECTION_ALIGNMENT);
  const objects = placeEntries(artifact, payload);
  const last = objects.length - 1;
  const payload_end = last < 0 ? payload : objects[last] + entries[last].object.length;
  if (payload_end > payload) end = payload_end;

  const file = new Uint8Array(end);
  file.set(artifact.header);
  putU64(file, HEADER.payload_offset[0], payload_end > payload ? payload : 0);
  putU64(file, HEADER.payload_length[0], payload_end - payload);
  putU64(file, HEADER.file_size[0], end);
  for (const [i, { parts, offset, length, count, size }] of sections.entries()) {
    putU64(file, HEADER[offset][0], places[i]);
    if (length) putU64(file, HEADER[length][0], lengths[i]);
    if (count) putU32(file, HEADER[count][0], parts.length);
    if (size) putU32(file, HEADER[size][0], parts.length > 0 ? lengths[i] / parts.length : 0);
    let at = places[i];
    for (const part of parts) {
      file.set(part, at);
      at += part.length;
    }
  }
  for (const [i, { object }] of entries.entries()) {
    if (object.length > 0) file.set(object, objects[i]);
  }
  const relative = (kind: number, field: number, size: number, first: number, count: number) => {
    for (let i = 0; i < count; i++) {
      putU64(file, places[kind] + i * size + field, objects[first + i] - payload);
    }
  };
  const { tensors, blobs } = artifact;
  relative(3, TENSOR.payload_relative_offset[0], RECORDS.tensor.size, 0, tensors.length);
  relative(4, BLOB.payload_relative_offset[0], RECORDS.blob.size, tensors.length, blobs.length);
  return file;
}

const table = (kind: keyof typeof RECORDS, parts: readonly Uint8Array[]): Section => ({
  parts,
  offset: RECORDS[kind].offset,
  count: RECORDS[kind].count,
  size: `${kind}_record_size`,
});

function placeEntries({ tensors, blobs }: Artifact, payload: number): number[] {
  let end = payload;
  const place = (entries: readonly Entry[], alignment: number) =>
    entries.map(({ record, object }) => {
      const at = alignUp(end, alignmentOf(record, alignment));
      end = at + object.length;
      return at;
    });
  return [
    ...place(tensors, TENSOR.payload_alignment[0]),
    ...place(blobs, BLOB.alignment[0]),
  ];
}

/** The strings of a string table, as far as its offsets can be followed. */
export function stringsOf(section: Uint8Array): Uint8Array[] {
  if (section.length < 8) return [];
  const count = Math.min(getU32(section, 0), Math.floor((section.length - 8) / 4));
  const pool = 8 + 4 * (count + 1);
  const list: Uint8Array[] = [];
  const string = cutter(section);
  for (let i = 0; i < count; i++) {
    const from = getU32(section, 8 + 4 * i), to = getU32(section, 12 + 4 * i);
    list.push(string(pool + from, Math.max(0, to - from)));
  }
  return list;
}

/** A string table of strings in the order given (section 6); none gives no table. */
export function stringTable(strings: readonly Uint8Array[]): Uint8Array {
  if (strings.length === 0) return new Uint8Array(0);
  const pool = strings.reduce((sum, one) => sum + one.length, 0);
  const first = 8 + 4 * (strings.length + 1);
  const section = new Uint8Array(first + pool);
  putU32(section, 0, strings.length);
  putU32(section, 4, pool);
  let at = 0;
  for (const [i, one] of strings.entries()) {
    section.set(one, first + at);
    at += one.length;
    putU32(section, 12 + 4 * i, at);
  }
  return section;
}

/** Gives an entry another payload; the lengths in its record follow. */
export function setObject(entry: Entry, kind: "tensor" | "blob", object: Uint8Array): void {
  entry.object = object;
  const fields = kind === "tensor"
    ? [TENSOR.payload_length, TENSOR.stored_bytes]
    : [BLOB.payload_length, BLOB.logical_length];
  for (const [at] of fields) putU64(entry.record, at, object.length);
}

/** Every reference of a record to the string table, as offsets of u32 fields. */
export const STRING_IDS = {
  quant: [32],
  tensor: [TENSOR.semantic_role_string_id[0], TENSOR.canonical_name_string_id[0]],
  blob: [BLOB.canonical_name_string_id[0], BLOB.media_type_string_id[0]],
} as const;

/** The u32 fields of an auxiliary record that are indexes of tensors. */
export const TENSOR_INDEXES = [AUXILIARY.owner[0], AUXILIARY.target[0]] as const;
