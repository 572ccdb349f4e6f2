/**
 * A good file taken apart and put together again, so that a recipe can change one thing and
 * have everything that depends on it repaired: offsets, counts, lengths and payload hashes.
 */
import { concat, getInteger, integer } from "../writer/bytes.ts";
import {
  BLOB,
  type FieldTable,
  type FieldValue,
  HEADER,
  patch,
  type RecordKind,
  RECORDS,
  setField,
  TENSOR,
} from "../writer/fields.ts";
import { blobPayload, tensorPayload } from "../writer/identity.ts";
import { type Extent, layOut, placeObjects, placeSections } from "../writer/layout.ts";

export interface Parts {
  artifact_class: number;
  manifest: Uint8Array;
  strings: Uint8Array;
  quant: Uint8Array[];
  tensor: Uint8Array[];
  blob: Uint8Array[];
  auxiliary: Uint8Array[];
  /** tensors' payloads, then blobs' */
  payloads: Uint8Array[];
}

/** The integer of a record's field. */
export function fieldOf<T extends FieldTable>(bytes: Uint8Array, fields: T, name: keyof T): number {
  const [offset, type] = fields[name];
  const size = { u8: 1, u16: 2, u32: 4, u64: 8, i32: 4 }[type as "u8"];
  return Number(getInteger(bytes, offset, size));
}

/** Takes a good file apart. Nothing is shared with it. */
export function open(file: Uint8Array): Parts {
  const header = (name: keyof typeof HEADER) => fieldOf(file, HEADER, name);
  const table = (kind: RecordKind) => {
    const { size, offset, count } = RECORDS[kind];
    const start = header(offset);
    return Array.from(
      { length: header(count) },
      (_, i) => file.slice(start + i * size, start + (i + 1) * size),
    );
  };
  const section = (offset: number, length: number) => file.slice(offset, offset + length);
  const tensor = table("tensor"), blob = table("blob");
  const payload = (fields: FieldTable) => (record: Uint8Array) =>
    section(
      header("payload_offset") + fieldOf(record, fields, "payload_relative_offset"),
      fieldOf(record, fields, "payload_length"),
    );
  return {
    artifact_class: header("artifact_class"),
    manifest: section(header("manifest_offset"), header("manifest_length")),
    strings: section(header("string_table_offset"), header("string_table_length")),
    quant: table("quant"),
    tensor,
    blob,
    auxiliary: table("auxiliary"),
    payloads: [...tensor.map(payload(TENSOR)), ...blob.map(payload(BLOB))],
  };
}

/** The strings of a good string table (section 6). */
export function stringsOf(table: Uint8Array): string[] {
  const count = Number(getInteger(table, 0, 4));
  const at = (i: number) => Number(getInteger(table, 8 + 4 * i, 4));
  const pool = 8 + 4 * (count + 1);
  const text = new TextDecoder();
  return Array.from(
    { length: count },
    (_, i) => text.decode(table.subarray(pool + at(i), pool + at(i + 1))),
  );
}

/** Where each payload object stands. */
function placed(parts: Parts): { payload_offset: number; objects: readonly Extent[] } {
  const { tensor, blob, payloads } = parts;
  const { payload_offset } = placeSections({
    manifest: parts.manifest.length,
    strings: parts.strings.length,
    quant: parts.quant.length * RECORDS.quant.size,
    tensor: tensor.length * RECORDS.tensor.size,
    blob: blob.length * RECORDS.blob.size,
    auxiliary: parts.auxiliary.length * RECORDS.auxiliary.size,
  });
  const alignment = (i: number) =>
    i < tensor.length
      ? fieldOf(tensor[i], TENSOR, "payload_alignment")
      : fieldOf(blob[i - tensor.length], BLOB, "alignment");
  const objects = payloads.map(({ length }, i) => ({ length, alignment: alignment(i) }));
  return { payload_offset, objects: placeObjects(payload_offset, objects) };
}

/** Writes into each record where its payload stands, how long it is, and its hash. */
export function seal(parts: Parts): void {
  const { payload_offset, objects } = placed(parts);
  const strings = parts.strings.length > 0 ? stringsOf(parts.strings) : [];
  const { tensor, blob } = parts;
  for (const [i, { offset, length }] of objects.entries()) {
    const isTensor = i < tensor.length;
    const record = isTensor ? tensor[i] : blob[i - tensor.length];
    const fields: FieldTable = isTensor ? TENSOR : BLOB;
    patch(record, fields, "payload_relative_offset", offset - payload_offset);
    patch(record, fields, "payload_length", length);
    if (!isTensor) patch(record, BLOB, "logical_length", length);
    const hasher = isTensor
      ? tensorHasher(parts, record, strings, length)
      : blobHasher(parts, record, strings, length);
    hasher.update(parts.payloads[i]);
    patch(record, fields, isTensor ? "payload_hash" : "content_hash", hasher.finish());
  }
}

function tensorHasher(parts: Parts, record: Uint8Array, strings: string[], length: number) {
  const field = (name: keyof typeof TENSOR) => fieldOf(record, TENSOR, name);
  const profile = parts.quant[field("quant_profile_index")];
  const axes = ["0", "1", "2", "3", "4", "5", "6", "7"] as const;
  return tensorPayload(parts.artifact_class, {
    role: strings[field("semantic_role_string_id")],
    name: strings[field("canonical_name_string_id")],
    layer: 0,
    subindex_0: 0,
    subindex_1: 0,
    shape: axes.slice(0, field("rank")).map((axis) => field(`shape_${axis}`)),
    element_type: field("element_type"),
    profile_id: profile ? profile.slice(0, 32) : null,
    elements: field("logical_element_count"),
  }, length);
}

function blobHasher(parts: Parts, record: Uint8Array, strings: string[], length: number) {
  const field = (name: keyof typeof BLOB) => fieldOf(record, BLOB, name);
  return blobPayload(parts.artifact_class, {
    kind: field("blob_kind"),
    name: strings[field("canonical_name_string_id")],
    media_type: strings[field("media_type_string_id")],
  }, length);
}

/** Puts a file together; the header is derived, the records stay as they are. */
export function close(parts: Parts): Uint8Array {
  const { payload_offset, objects } = placed(parts);
  const last = objects.at(-1);
  const end = last ? last.offset + last.length : 0;
  const head = layOut(parts.artifact_class, {
    manifest: parts.manifest,
    strings: parts.strings,
    quant: concat(...parts.quant),
    tensor: concat(...parts.tensor),
    blob: concat(...parts.blob),
    auxiliary: concat(...parts.auxiliary),
  }, last ? end - payload_offset : 0);
  if (!last) return head;
  const file = new Uint8Array(end);
  file.set(head);
  for (const [i, { offset }] of objects.entries()) file.set(parts.payloads[i], offset);
  return file;
}

/** A copy of a good file after `change` was made to its parts, everything else repaired. */
export function remade(file: Uint8Array, change: (parts: Parts) => void): Uint8Array {
  const parts = open(file);
  change(parts);
  seal(parts);
  return close(parts);
}

/** The same, with the payload hashes as they were. */
export function rebuilt(file: Uint8Array, change: (parts: Parts) => void): Uint8Array {
  const parts = open(file);
  change(parts);
  return close(parts);
}

/** A copy with other manifest bytes. */
export const withManifest = (file: Uint8Array, manifest: Uint8Array): Uint8Array =>
  remade(file, (parts) => void (parts.manifest = manifest));

/** A copy in which the fields have other values, and nothing is repaired. */
export function withFields(
  file: Uint8Array,
  fields: { readonly [path: string]: FieldValue },
): Uint8Array {
  const copy = file.slice();
  for (const [path, value] of Object.entries(fields)) setField(copy, path, value);
  return copy;
}

/** A copy in which `bytes` stand at `offset`. */
export function withBytes(file: Uint8Array, offset: number, bytes: Uint8Array): Uint8Array {
  const copy = file.slice();
  copy.set(bytes, offset);
  return copy;
}

/** A copy with the bits of `mask` in the byte at `offset` turned over. */
export const flipped = (file: Uint8Array, offset: number, mask = 0xff): Uint8Array =>
  withBytes(file, offset, new Uint8Array([file[offset] ^ mask]));

/** A copy with its declared file_size set to its size. */
export const resized = (file: Uint8Array): Uint8Array =>
  withBytes(file, HEADER.file_size[0], integer(file.length, 8));
