/**
 * The header and the four kinds of records as tables of named fields (sections 2 and 7):
 * `[offset, type]` as the specification lists them. The names are its own.
 */
import { getInteger, putInteger } from "./bytes.ts";

/** `uN` and `iN` are integers, a number is that many raw bytes. */
export type FieldType = "u8" | "u16" | "u32" | "u64" | "i32" | number;
export type FieldTable = { readonly [name: string]: readonly [offset: number, type: FieldType] };
export type FieldValue = number | bigint | Uint8Array;
export type FieldValues<T extends FieldTable> = { readonly [name in keyof T]?: FieldValue };

const SIZE = { u8: 1, u16: 2, u32: 4, u64: 8, i32: 4 } as const;
export const sizeOf = (type: FieldType): number => typeof type === "number" ? type : SIZE[type];

/** Section 2. */
export const HEADER = {
  magic: [0, 8],
  format_id: [8, 16],
  header_size: [24, "u32"],
  version_major: [28, "u16"],
  version_minor: [30, "u16"],
  byte_order_marker: [32, "u32"],
  artifact_class: [36, "u16"],
  header_flags: [38, "u16"],
  file_size: [40, "u64"],
  manifest_offset: [48, "u64"],
  manifest_length: [56, "u64"],
  string_table_offset: [64, "u64"],
  string_table_length: [72, "u64"],
  quant_table_offset: [80, "u64"],
  quant_count: [88, "u32"],
  quant_record_size: [92, "u32"],
  tensor_table_offset: [96, "u64"],
  tensor_count: [104, "u32"],
  tensor_record_size: [108, "u32"],
  blob_table_offset: [112, "u64"],
  blob_count: [120, "u32"],
  blob_record_size: [124, "u32"],
  auxiliary_table_offset: [128, "u64"],
  auxiliary_count: [136, "u32"],
  auxiliary_record_size: [140, "u32"],
  payload_offset: [144, "u64"],
  payload_length: [152, "u64"],
  reserved: [160, 64],
} as const satisfies FieldTable;

/** Section 7.2. */
export const QUANT = {
  profile_id: [0, 32],
  canonical_name_string_id: [32, "u32"],
  profile_version: [36, "u16"],
  flags: [38, "u16"],
  storage_type: [40, "u16"],
  decoded_type: [42, "u16"],
  accumulator_type: [44, "u16"],
  code_bits: [46, "u16"],
  block_elements: [48, "u32"],
  block_bytes: [52, "u32"],
  code_count_per_block: [56, "u16"],
  code_signedness: [58, "u8"],
  packing_order: [59, "u8"],
  scale_type: [60, "u16"],
  scale_count_per_block: [62, "u16"],
  scale_placement: [64, "u16"],
  zero_point_type: [66, "u16"],
  zero_point_count_per_block: [68, "u16"],
  zero_point_placement: [70, "u16"],
  codebook_kind: [72, "u16"],
  tail_rule: [74, "u16"],
  rounding_mode: [76, "u16"],
  saturation_mode: [78, "u16"],
  kernel_contract: [80, "u16"],
  auxiliary_mask: [82, "u16"],
  calibration_mode: [84, "u16"],
  reserved_0: [86, "u16"],
  calibration_identity: [88, 32],
  reserved_1: [120, 8],
} as const satisfies FieldTable;

/** Section 7.3; `shape[8]` is one field a dimension. */
export const TENSOR = {
  record_version: [0, "u16"],
  rank: [2, "u8"],
  flags: [3, "u8"],
  element_type: [4, "u16"],
  quant_profile_index: [6, "u16"],
  semantic_role_string_id: [8, "u32"],
  canonical_name_string_id: [12, "u32"],
  layer: [16, "i32"],
  subindex_0: [20, "i32"],
  subindex_1: [24, "i32"],
  reserved_0: [28, "u32"],
  shape_0: [32, "u64"],
  shape_1: [40, "u64"],
  shape_2: [48, "u64"],
  shape_3: [56, "u64"],
  shape_4: [64, "u64"],
  shape_5: [72, "u64"],
  shape_6: [80, "u64"],
  shape_7: [88, "u64"],
  logical_element_count: [96, "u64"],
  stored_bytes: [104, "u64"],
  payload_relative_offset: [112, "u64"],
  payload_length: [120, "u64"],
  payload_alignment: [128, "u32"],
  block_elements: [132, "u32"],
  block_bytes: [136, "u32"],
  scale_type: [140, "u16"],
  zero_point_type: [142, "u16"],
  packing_order: [144, "u16"],
  accumulator_type: [146, "u16"],
  tail_rule: [148, "u16"],
  flags_2: [150, "u16"],
  auxiliary_first: [152, "u32"],
  auxiliary_count: [156, "u32"],
  payload_hash: [160, 32],
} as const satisfies FieldTable;

/** Section 7.4. */
export const BLOB = {
  record_version: [0, "u16"],
  blob_kind: [2, "u16"],
  flags: [4, "u32"],
  canonical_name_string_id: [8, "u32"],
  media_type_string_id: [12, "u32"],
  payload_relative_offset: [16, "u64"],
  payload_length: [24, "u64"],
  logical_length: [32, "u64"],
  alignment: [40, "u32"],
  codec: [44, "u16"],
  reserved_0: [46, "u16"],
  content_hash: [48, 32],
  auxiliary_first: [80, "u32"],
  auxiliary_count: [84, "u32"],
  reserved_1: [88, 8],
} as const satisfies FieldTable;

/** Section 7.5. */
export const AUXILIARY = {
  owner: [0, "u32"],
  kind: [4, "u16"],
  flags: [6, "u16"],
  target: [8, "u32"],
  axis: [12, "i32"],
  group_size: [16, "u32"],
  block_stride: [20, "u32"],
  reserved: [24, 8],
} as const satisfies FieldTable;

/** The record kinds: field table, size, and the header fields that say where the table stands. */
export const RECORDS = {
  quant: { fields: QUANT, size: 128, offset: "quant_table_offset", count: "quant_count" },
  tensor: { fields: TENSOR, size: 192, offset: "tensor_table_offset", count: "tensor_count" },
  blob: { fields: BLOB, size: 96, offset: "blob_table_offset", count: "blob_count" },
  auxiliary: {
    fields: AUXILIARY,
    size: 32,
    offset: "auxiliary_table_offset",
    count: "auxiliary_count",
  },
} as const;
export type RecordKind = keyof typeof RECORDS;

/** The size of the header (section 2). */
export const HEADER_SIZE = 224;

/** Where a field of a file stands, and how it is read. */
export interface Place {
  /** from the start of the file, or of the record */
  readonly offset: number;
  readonly size: number;
  readonly type: FieldType;
}

/** A record of `size` bytes with the given fields; all others are zero. */
export function record<T extends FieldTable>(
  fields: T,
  size: number,
  values: FieldValues<T>,
): Uint8Array {
  const bytes = new Uint8Array(size);
  for (const name in values) patch(bytes, fields, name, values[name]!);
  return bytes;
}

/**
 * Overwrites one field of the record that begins at `base`. An integer is taken modulo its
 * width; raw bytes are cut or followed by what was there.
 */
export function patch<T extends FieldTable>(
  bytes: Uint8Array,
  fields: T,
  name: keyof T,
  value: FieldValue,
  base = 0,
): void {
  const [offset, type] = fields[name];
  putValue(bytes, { offset: base + offset, size: sizeOf(type), type }, value);
}

function putValue(bytes: Uint8Array, { offset, size }: Place, value: FieldValue): void {
  if (value instanceof Uint8Array) bytes.set(value.subarray(0, size), offset);
  else putInteger(bytes, offset, size, value);
}

const PATH = /^(?:([a-z]+)\[(\d+)\]|header)\.([a-z0-9_]+)$/;

/**
 * Finds a field by its path in a file whose header can be trusted: `header.file_size`,
 * `quant[0].flags`, `tensor[2].payload_length`, `blob[1].codec`, `auxiliary[0].axis`.
 * @throws RangeError for a path that names no field
 */
export function placeOf(file: Uint8Array, path: string): Place {
  const [, kind, index, name] = PATH.exec(path) ?? [];
  const known = kind === undefined
    ? { fields: HEADER as FieldTable, base: 0 }
    : Object.hasOwn(RECORDS, kind)
    ? tableOf(file, kind as RecordKind, Number(index))
    : undefined;
  if (!known || !name || !Object.hasOwn(known.fields, name)) {
    throw new RangeError(`no field ${path}`);
  }
  const [offset, type] = known.fields[name];
  return { offset: known.base + offset, size: sizeOf(type), type };
}

function tableOf(file: Uint8Array, kind: RecordKind, index: number) {
  const { fields, size, offset } = RECORDS[kind];
  const start = Number(getInteger(file, HEADER[offset][0], 8));
  return { fields: fields as FieldTable, base: start + index * size };
}

/** The value of a field of a file: raw bytes, or an integer with its sign. */
export function getField(file: Uint8Array, path: string): FieldValue {
  const { offset, size, type } = placeOf(file, path);
  if (typeof type === "number") return file.slice(offset, offset + size);
  const n = getInteger(file, offset, size);
  return type === "i32" ? Number(n) | 0 : n;
}

/** Overwrites a field of a file in place. Nothing that depends on it follows. */
export function setField(file: Uint8Array, path: string, value: FieldValue): void {
  putValue(file, placeOf(file, path), value);
}
