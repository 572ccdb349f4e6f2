/** The field tables of sections 2 and 7, and the tables of ids that they refer to. */
import { layout } from "./fields.ts";

/** Section 2. */
export const HEADER_SIZE = 224;
export const H = layout({
  magic: [0, 8],
  format_id: [8, 16],
  header_size: [24, 4],
  version_major: [28, 2],
  version_minor: [30, 2],
  byte_order_marker: [32, 4],
  artifact_class: [36, 2],
  header_flags: [38, 2],
  file_size: [40, 8],
  manifest_offset: [48, 8],
  manifest_length: [56, 8],
  string_table_offset: [64, 8],
  string_table_length: [72, 8],
  quant_table_offset: [80, 8],
  quant_count: [88, 4],
  quant_record_size: [92, 4],
  tensor_table_offset: [96, 8],
  tensor_count: [104, 4],
  tensor_record_size: [108, 4],
  blob_table_offset: [112, 8],
  blob_count: [120, 4],
  blob_record_size: [124, 4],
  auxiliary_table_offset: [128, 8],
  auxiliary_count: [136, 4],
  auxiliary_record_size: [140, 4],
  payload_offset: [144, 8],
  payload_length: [152, 8],
  reserved: [160, 64],
});

/** Section 7.2. */
export const QUANT_SIZE = 128;
export const Q = layout({
  profile_id: [0, 32],
  canonical_name_string_id: [32, 4],
  profile_version: [36, 2],
  flags: [38, 2],
  storage_type: [40, 2],
  decoded_type: [42, 2],
  accumulator_type: [44, 2],
  code_bits: [46, 2],
  block_elements: [48, 4],
  block_bytes: [52, 4],
  code_count_per_block: [56, 2],
  code_signedness: [58, 1],
  packing_order: [59, 1],
  scale_type: [60, 2],
  scale_count_per_block: [62, 2],
  scale_placement: [64, 2],
  zero_point_type: [66, 2],
  zero_point_count_per_block: [68, 2],
  zero_point_placement: [70, 2],
  codebook_kind: [72, 2],
  tail_rule: [74, 2],
  rounding_mode: [76, 2],
  saturation_mode: [78, 2],
  kernel_contract: [80, 2],
  auxiliary_mask: [82, 2],
  calibration_mode: [84, 2],
  reserved_0: [86, 2],
  calibration_identity: [88, 32],
  reserved_1: [120, 8],
});

/** Section 7.3. */
export const TENSOR_SIZE = 192;
export const T = layout({
  record_version: [0, 2],
  rank: [2, 1],
  flags: [3, 1],
  element_type: [4, 2],
  quant_profile_index: [6, 2],
  semantic_role_string_id: [8, 4],
  canonical_name_string_id: [12, 4],
  layer: [16, 4, "signed"],
  subindex_0: [20, 4, "signed"],
  subindex_1: [24, 4, "signed"],
  reserved_0: [28, 4],
  shape: [32, 64],
  logical_element_count: [96, 8],
  stored_bytes: [104, 8],
  payload_relative_offset: [112, 8],
  payload_length: [120, 8],
  payload_alignment: [128, 4],
  block_elements: [132, 4],
  block_bytes: [136, 4],
  scale_type: [140, 2],
  zero_point_type: [142, 2],
  packing_order: [144, 2],
  accumulator_type: [146, 2],
  tail_rule: [148, 2],
  flags_2: [150, 2],
  auxiliary_first: [152, 4],
  auxiliary_count: [156, 4],
  payload_hash: [160, 32],
});
/** The eight entries of `shape`. */
export const DIMENSIONS = Object.values(layout({
  shape_0: [32, 8],
  shape_1: [40, 8],
  shape_2: [48, 8],
  shape_3: [56, 8],
  shape_4: [64, 8],
  shape_5: [72, 8],
  shape_6: [80, 8],
  shape_7: [88, 8],
}));

/** Section 7.4. */
export const BLOB_SIZE = 96;
export const B = layout({
  record_version: [0, 2],
  blob_kind: [2, 2],
  flags: [4, 4],
  canonical_name_string_id: [8, 4],
  media_type_string_id: [12, 4],
  payload_relative_offset: [16, 8],
  payload_length: [24, 8],
  logical_length: [32, 8],
  alignment: [40, 4],
  codec: [44, 2],
  reserved_0: [46, 2],
  content_hash: [48, 32],
  auxiliary_first: [80, 4],
  auxiliary_count: [84, 4],
  reserved_1: [88, 8],
});

/** Section 7.5. */
export const AUXILIARY_SIZE = 32;
export const A = layout({
  owner: [0, 4],
  kind: [4, 2],
  flags: [6, 2],
  target: [8, 4],
  axis: [12, 4, "signed"],
  group_size: [16, 4],
  block_stride: [20, 4],
  reserved: [24, 8],
});

/** Section 7.1: bytes of an element, by type. */
export const ELEMENT_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 4],
  [2, 2],
  [3, 2],
  [4, 8],
  [5, 1],
  [6, 1],
  [7, 2],
  [8, 2],
  [9, 4],
  [10, 4],
  [11, 8],
  [12, 8],
]);
/** Section 7.1: element types that rules name. */
export const F32 = 1;
export const F16 = 2;
export const BF16 = 3;
export const U64 = 12;
export const QUANTIZED = 256;
/** Section 7.3: the profile index of a dense tensor. */
export const DENSE = 0xffff;

type Presence = "required" | "optional" | "no";
interface ClassRow {
  readonly tensors: Presence;
  readonly quant: Presence;
  readonly blobs: Presence;
  readonly auxiliary: Presence;
  readonly domain: string;
}
function row(
  tensors: Presence,
  quant: Presence,
  blobs: Presence,
  auxiliary: Presence,
  domain: string,
): ClassRow {
  return { tensors, quant, blobs, auxiliary, domain };
}
/** Section 3. */
export const CLASSES: ReadonlyMap<number, ClassRow> = new Map([
  [1, row("required", "optional", "no", "optional", "model")],
  [2, row("required", "optional", "no", "optional", "model")],
  [3, row("required", "optional", "no", "optional", "adapter")],
  [4, row("no", "no", "required", "no", "tokenizer")],
  [5, row("no", "no", "optional", "no", "chat-template")],
  [6, row("no", "no", "no", "no", "composition")],
  [7, row("required", "no", "no", "no", "kv-cache")],
  [8, row("required", "optional", "required", "optional", "retrieval-index")],
  [9, row("no", "no", "required", "no", "piece-set")],
  [10, row("no", "no", "no", "no", "signature-envelope")],
  [11, row("no", "no", "optional", "no", "license-provenance")],
  [12, row("no", "no", "optional", "no", "evaluation-receipt")],
  [13, row("no", "no", "no", "no", "catalog-announcement")],
]);
