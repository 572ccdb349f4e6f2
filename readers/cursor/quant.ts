/** Stage 20: quantization profiles (section 7.2). */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { ceilDiv, compareRanges, firstNonZero, u16, u32 } from "./bytes.ts";
import { reject } from "./fault.ts";
import { profileId } from "./identities.ts";
import { AUXILIARY, IN_BLOCK, PROFILE, QUANT_RECORD } from "./records.ts";
import { F32, FACTOR_BYTES } from "./types.ts";

/** The values that an enumerated field may have. */
const ENUMERATIONS: readonly (readonly [keyof typeof PROFILE, 1 | 2, readonly number[]])[] = [
  ["storage_type", 2, [5, 6]],
  ["decoded_type", 2, [F32]],
  ["accumulator_type", 2, [F32]],
  ["code_bits", 2, [4, 5, 8]],
  ["code_signedness", 1, [0, 1, 2, 3]],
  ["packing_order", 1, [1, 2, 3, 4]],
  ["scale_type", 2, [0, 1, 2]],
  ["scale_placement", 2, [0, 1, 2]],
  ["zero_point_type", 2, [0, 1, 2]],
  ["zero_point_placement", 2, [0, 1, 2]],
  ["codebook_kind", 2, [0, 1]],
  ["tail_rule", 2, [1, 2, 3]],
  ["rounding_mode", 2, [1, 2, 3]],
  ["saturation_mode", 2, [1]],
  ["kernel_contract", 2, [1, 2, 3, 4, 5]],
  ["calibration_mode", 2, [0, 1]],
];

const MOST_BLOCK_ELEMENTS = 4096;
const MASK_END = 32;
const CODEBOOK_INDEX = 3;
const CODEBOOK_CONTRACT = 4;

function fault(code: Code, at: number, expected: string): Reject {
  return reject(20, code, "quant", at, expected);
}

/** Stage 20. */
export function checkQuant(artifact: Artifact): Reject | null {
  const { bytes, sections: { quant: { offset, count } }, strings } = artifact;
  for (let i = 0; i < count; i++) {
    const at = offset + QUANT_RECORD * i;
    const name = u32(bytes, at + PROFILE.canonical_name);
    if (!strings.refer(name)) {
      return fault("BadStringId", at + PROFILE.canonical_name, `below ${strings.count}`);
    }
    if (u16(bytes, at + PROFILE.profile_version) !== 1) {
      return fault("BadRecordVersion", at + PROFILE.profile_version, "1");
    }
    if (u16(bytes, at + PROFILE.flags) !== 0) return fault("NonZeroFlags", at + PROFILE.flags, "0");
    const reserved = reservedFault(bytes, at);
    if (reserved !== null) return fault("NonZeroReserved", reserved, "zero bytes");
    const field = fieldFault(bytes, at);
    if (field !== null) {
      return fault("QuantFieldInvalid", at + PROFILE[field], `a ${field} that section 7.2 allows`);
    }
    const id = profileId(bytes, strings.start(name), strings.end(name), bytes, at);
    for (let k = 0; k < id.length; k++) {
      if (bytes[at + k] !== id[k]) {
        return fault("ProfileIdMismatch", at, "the hash of name and record");
      }
    }
    if (i > 0) {
      const order = compareRanges(bytes, at - QUANT_RECORD, at - QUANT_RECORD + 32, at, at + 32);
      if (order === 0) return fault("DescriptorDuplicate", at, "another profile");
      if (order > 0) return fault("DescriptorOrder", at, "a greater profile_id");
    }
  }
  return null;
}

/** Offset of the first reserved field that is not zero, or null. */
function reservedFault(bytes: Uint8Array, at: number): number | null {
  if (u16(bytes, at + PROFILE.reserved_0) !== 0) return at + PROFILE.reserved_0;
  const last = firstNonZero(bytes, at + PROFILE.reserved_1, at + QUANT_RECORD);
  return last < 0 ? null : at + PROFILE.reserved_1;
}

/** The first field that an enumeration or a consistency rule of section 7.2 forbids. */
function fieldFault(bytes: Uint8Array, at: number): keyof typeof PROFILE | null {
  for (const [name, size, values] of ENUMERATIONS) {
    const value = size === 1 ? bytes[at + PROFILE[name]] : u16(bytes, at + PROFILE[name]);
    if (!values.includes(value)) return name;
  }
  const get = (name: keyof typeof PROFILE) => u16(bytes, at + PROFILE[name]);
  const elements = u32(bytes, at + PROFILE.block_elements);
  if (elements < 1 || elements > MOST_BLOCK_ELEMENTS) return "block_elements";
  if (get("code_count_per_block") !== elements) return "code_count_per_block";
  const scale = get("scale_placement");
  const zeroPoint = get("zero_point_placement");
  if ((get("scale_type") === 0) !== (scale === 0)) return "scale_type";
  if ((get("zero_point_type") === 0) !== (zeroPoint === 0)) return "zero_point_type";
  if (get("scale_count_per_block") !== (scale === IN_BLOCK ? 1 : 0)) return "scale_count_per_block";
  if (get("zero_point_count_per_block") !== (zeroPoint === IN_BLOCK ? 1 : 0)) {
    return "zero_point_count_per_block";
  }
  const bits = get("code_bits");
  const blockBytes = (scale === IN_BLOCK ? FACTOR_BYTES[get("scale_type")] : 0) +
    (zeroPoint === IN_BLOCK ? FACTOR_BYTES[get("zero_point_type")] : 0) +
    ceilDiv(bits * elements, 8);
  if (u32(bytes, at + PROFILE.block_bytes) !== blockBytes) return "block_bytes";
  if (!isPacked(bytes[at + PROFILE.packing_order], bits, elements)) return "packing_order";
  const codebook = get("codebook_kind") !== 0;
  if ((bytes[at + PROFILE.code_signedness] === CODEBOOK_INDEX) !== codebook) {
    return "code_signedness";
  }
  if ((get("kernel_contract") === CODEBOOK_CONTRACT) !== codebook) return "kernel_contract";
  const mask = get("auxiliary_mask");
  if (
    mask >= MASK_END || (mask % 2 === 1) !== (scale === AUXILIARY) ||
    ((mask >> 1) % 2 === 1) !== (zeroPoint === AUXILIARY)
  ) return "auxiliary_mask";
  const calibrated = firstNonZero(
    bytes,
    at + PROFILE.calibration_identity,
    at + PROFILE.reserved_1,
  ) >= 0;
  return calibrated === (get("calibration_mode") === 1) ? null : "calibration_identity";
}

/** What each packing order needs of the code's bits and of the block. */
function isPacked(order: number, bits: number, elements: number): boolean {
  switch (order) {
    case 1:
      return bits === 8;
    case 4:
      return bits === 5 && elements === 32;
    default: // 2, 3
      return bits === 4 && elements % 2 === 0;
  }
}
