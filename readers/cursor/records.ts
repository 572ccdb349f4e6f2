/**
 * The records of section 7, by offset: where each field stands, and how it is read. Readers
 * take the offset of a record in the file; nothing is checked here.
 */
import type { Artifact } from "./artifact.ts";
import { i32, u16, u32, u64 } from "./bytes.ts";

// 7.2 Quantization profile
export const QUANT_RECORD = 128;

/** Offsets of a profile's fields in its record. */
export const PROFILE = {
  canonical_name: 32,
  profile_version: 36,
  flags: 38,
  storage_type: 40,
  decoded_type: 42,
  accumulator_type: 44,
  code_bits: 46,
  block_elements: 48,
  block_bytes: 52,
  code_count_per_block: 56,
  code_signedness: 58,
  packing_order: 59,
  scale_type: 60,
  scale_count_per_block: 62,
  scale_placement: 64,
  zero_point_type: 66,
  zero_point_count_per_block: 68,
  zero_point_placement: 70,
  codebook_kind: 72,
  tail_rule: 74,
  rounding_mode: 76,
  saturation_mode: 78,
  kernel_contract: 80,
  auxiliary_mask: 82,
  calibration_mode: 84,
  reserved_0: 86,
  calibration_identity: 88,
  reserved_1: 120,
} as const;

/** scale_placement, zero_point_placement */
export const IN_BLOCK = 1;
export const AUXILIARY = 2;
/** tail_rule */
export const TAIL_PAD = 1;
export const TAIL_EXACT = 2;
export const TAIL_ROW = 3;
/** kernel_contract whose scales are one a row, in an auxiliary tensor */
export const ROW_SCALES = 5;

// 7.3 Tensor record
export const TENSOR_RECORD = 192;
/** quant_profile_index of a dense tensor */
export const DENSE = 0xffff;
/** Offset of `shape` in the record. */
export const SHAPE = 32;

/** Fields of the tensor record that stands at `at`; proved by stage 21. */
export const tensor = {
  rank: (bytes: Uint8Array, at: number) => bytes[at + 2],
  element_type: (bytes: Uint8Array, at: number) => u16(bytes, at + 4),
  profile: (bytes: Uint8Array, at: number) => u16(bytes, at + 6),
  role: (bytes: Uint8Array, at: number) => u32(bytes, at + 8),
  name: (bytes: Uint8Array, at: number) => u32(bytes, at + 12),
  layer: (bytes: Uint8Array, at: number) => i32(bytes, at + 16),
  subindex_0: (bytes: Uint8Array, at: number) => i32(bytes, at + 20),
  subindex_1: (bytes: Uint8Array, at: number) => i32(bytes, at + 24),
  dimension: (bytes: Uint8Array, at: number, axis: number) => u64(bytes, at + SHAPE + 8 * axis),
  elements: (bytes: Uint8Array, at: number) => u64(bytes, at + 96),
  relativeOffset: (bytes: Uint8Array, at: number) => u64(bytes, at + 112),
  length: (bytes: Uint8Array, at: number) => u64(bytes, at + 120),
  alignment: (bytes: Uint8Array, at: number) => u32(bytes, at + 128),
  auxiliary_first: (bytes: Uint8Array, at: number) => u32(bytes, at + 152),
  auxiliary_count: (bytes: Uint8Array, at: number) => u32(bytes, at + 156),
};
/** Offset of `payload_hash` in the record. */
export const PAYLOAD_HASH = 160;

/** The number of rows (section 7.3): the product of all dimensions but the last. */
export function rowsOf(bytes: Uint8Array, at: number): number {
  const rank = tensor.rank(bytes, at);
  return rank === 0 ? 1 : tensor.elements(bytes, at) / tensor.dimension(bytes, at, rank - 1);
}

// 7.4 Blob record
export const BLOB_RECORD = 96;
/** Offset of `content_hash` in the record. */
export const CONTENT_HASH = 48;

/** Blob kinds (`classes.md` sections 4 and 10). */
export const VOCABULARY = 1;
export const MERGES = 2;
export const UNIGRAM_TABLE = 3;
export const NORMALIZER_TABLE = 4;
export const BYTE_FALLBACK = 5;
export const ADDED_TOKENS = 6;
export const TEMPLATE_LITERAL = 16;
export const PIECE_HASHES = 32;
export const NOTICE_TEXT = 48;
export const RETRIEVAL_DOCUMENTS = 64;
export const EVALUATION_REPORT = 80;

/** What the payload hash of a blob covers; strings by id. */
export interface BlobKey {
  readonly kind: number;
  readonly name: number;
  readonly media_type: number;
  readonly length: number;
}

/** A blob record as stages after 22 use it; `at` is its offset in the file. */
export interface BlobRecord extends BlobKey {
  readonly at: number;
  readonly relativeOffset: number;
  readonly alignment: number;
}

/** Record `index` of the blob table. */
export function blobRecord({ bytes, sections: { blobs } }: Artifact, index: number): BlobRecord {
  const at = blobs.offset + BLOB_RECORD * index;
  return {
    at,
    kind: u16(bytes, at + 2),
    name: u32(bytes, at + 8),
    media_type: u32(bytes, at + 12),
    relativeOffset: u64(bytes, at + 16),
    length: u64(bytes, at + 24),
    alignment: u32(bytes, at + 40),
  };
}

// 7.5 Auxiliary record
export const AUXILIARY_RECORD = 32;

/** Fields of the auxiliary record at `at`. */
export const auxiliary = {
  owner: (bytes: Uint8Array, at: number) => u32(bytes, at),
  kind: (bytes: Uint8Array, at: number) => u16(bytes, at + 4),
  target: (bytes: Uint8Array, at: number) => u32(bytes, at + 8),
  axis: (bytes: Uint8Array, at: number) => i32(bytes, at + 12),
  group_size: (bytes: Uint8Array, at: number) => u32(bytes, at + 16),
  block_stride: (bytes: Uint8Array, at: number) => u32(bytes, at + 20),
};
