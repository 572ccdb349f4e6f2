/** Quantization profiles (section 7.2) and stage 20. */
import type { Artifact } from "./artifact.ts";
import type { Fault } from "./fault.ts";
import { type Check, checkRows, type Field, Row, sameBytes, sorted } from "./fields.ts";
import { once } from "./hash.ts";
import { F16, F32, Q, QUANT_SIZE } from "./layouts.ts";
import { REFERENCED } from "./artifact.ts";

/** Ids of the enumerations that rules name. */
export const IN_BLOCK = 1;
export const IN_AUXILIARY = 2;
const CODEBOOK_CONTRACT = 4;
export const ROW_CONTRACT = 5;
export const PAD = 1;
export const EXACT = 2;
export const BY_ROW = 3;
export const ONE_A_BYTE = 1;
export const SPLIT_HALVES = 2;
export const PAIRS = 3;
export const FIFTH_BIT_PLANE = 4;
const CODEBOOK_INDEX = 3;
/** What `profile_id` covers. */
const HASHED_FROM = 36;

/** Bytes of a scale or zero point that stands in the block. */
export function inBlockBytes(type: number, placement: number): number {
  if (placement !== IN_BLOCK) return 0;
  return type === F32 ? 4 : 2;
}

/** `profile_id` of a name and the 128 bytes of a record. */
export function profileId(name: Uint8Array, record: Uint8Array): Uint8Array {
  return once.begin("quant-profile", 2).ident(name).raw(record.subarray(HASHED_FROM, QUANT_SIZE))
    .end();
}

class Profile extends Row {
  constructor(readonly artifact: Artifact) {
    super(artifact.quants);
  }
  is(field: Field, ...values: number[]): boolean {
    return values.includes(this.get(field));
  }
}

/** `QuantFieldInvalid`: a field and what holds of it; the order among these never shows. */
const FIELD_RULES: readonly [Field, (p: Profile) => boolean, string][] = [
  [Q.storage_type, (p) => p.is(Q.storage_type, 5, 6), "5 (i8) or 6 (u8)"],
  [Q.decoded_type, (p) => p.is(Q.decoded_type, F32), "1 (f32)"],
  [Q.accumulator_type, (p) => p.is(Q.accumulator_type, F32), "1 (f32)"],
  [Q.code_bits, (p) => p.is(Q.code_bits, 4, 5, 8), "4, 5 or 8"],
  [
    Q.block_elements,
    (p) => p.get(Q.block_elements) >= 1 && p.get(Q.block_elements) <= 4096,
    "1 to 4096",
  ],
  [
    Q.block_bytes,
    (p) =>
      p.get(Q.block_bytes) ===
        inBlockBytes(p.get(Q.scale_type), p.get(Q.scale_placement)) +
          inBlockBytes(p.get(Q.zero_point_type), p.get(Q.zero_point_placement)) +
          Math.ceil(p.get(Q.code_bits) * p.get(Q.block_elements) / 8),
    "scale, zero point and codes",
  ],
  [
    Q.code_count_per_block,
    (p) => p.get(Q.code_count_per_block) === p.get(Q.block_elements),
    "block_elements",
  ],
  [Q.code_signedness, (p) => p.is(Q.code_signedness, 0, 1, 2, CODEBOOK_INDEX), "0 to 3"],
  [Q.packing_order, fitsPacking, "a packing that fits the code bits and the block"],
  [Q.scale_type, (p) => p.is(Q.scale_type, 0, F32, F16), "0, 1 or 2"],
  [
    Q.scale_count_per_block,
    (p) => p.get(Q.scale_count_per_block) === (p.is(Q.scale_placement, IN_BLOCK) ? 1 : 0),
    "1 exactly if the scale is in the block",
  ],
  [
    Q.scale_placement,
    (p) =>
      p.is(Q.scale_placement, 0, IN_BLOCK, IN_AUXILIARY) &&
      p.is(Q.scale_placement, 0) === p.is(Q.scale_type, 0),
    "0 to 2, and 0 exactly if the type is 0",
  ],
  [Q.zero_point_type, (p) => p.is(Q.zero_point_type, 0, F32, F16), "0, 1 or 2"],
  [
    Q.zero_point_count_per_block,
    (p) => p.get(Q.zero_point_count_per_block) === (p.is(Q.zero_point_placement, IN_BLOCK) ? 1 : 0),
    "1 exactly if the zero point is in the block",
  ],
  [
    Q.zero_point_placement,
    (p) =>
      p.is(Q.zero_point_placement, 0, IN_BLOCK, IN_AUXILIARY) &&
      p.is(Q.zero_point_placement, 0) === p.is(Q.zero_point_type, 0),
    "0 to 2, and 0 exactly if the type is 0",
  ],
  [
    Q.codebook_kind,
    (p) =>
      p.is(Q.codebook_kind, 0, 1) &&
      !p.is(Q.codebook_kind, 0) === p.is(Q.code_signedness, CODEBOOK_INDEX) &&
      !p.is(Q.codebook_kind, 0) === p.is(Q.kernel_contract, CODEBOOK_CONTRACT),
    "1 with signedness 3 and contract 4, else 0",
  ],
  [Q.tail_rule, (p) => p.is(Q.tail_rule, PAD, EXACT, BY_ROW), "1 to 3"],
  [Q.rounding_mode, (p) => p.is(Q.rounding_mode, 1, 2, 3), "1 to 3"],
  [Q.saturation_mode, (p) => p.is(Q.saturation_mode, 1), "1"],
  [Q.kernel_contract, (p) => p.is(Q.kernel_contract, 1, 2, 3, 4, 5), "1 to 5"],
  [
    Q.auxiliary_mask,
    (p) => {
      const mask = p.get(Q.auxiliary_mask);
      return mask < 32 && (mask & 1) === (p.is(Q.scale_placement, IN_AUXILIARY) ? 1 : 0) &&
        (mask & 2) === (p.is(Q.zero_point_placement, IN_AUXILIARY) ? 2 : 0);
    },
    "the kinds that placements ask for, below 32",
  ],
  [
    Q.calibration_mode,
    (p) =>
      p.is(Q.calibration_mode, 0, 1) &&
      p.is(Q.calibration_mode, 0) === p.isZero(Q.calibration_identity),
    "0 with an all-zero identity, or 1 with another",
  ],
];

function fitsPacking(p: Profile): boolean {
  const bits = p.get(Q.code_bits);
  const block = p.get(Q.block_elements);
  switch (p.get(Q.packing_order)) {
    case ONE_A_BYTE:
      return bits === 8;
    case SPLIT_HALVES:
    case PAIRS:
      return bits === 4 && block % 2 === 0;
    case FIFTH_BIT_PLANE:
      return bits === 5 && block === 32;
    default:
      return false;
  }
}

const CHECKS: readonly Check<Profile>[] = [
  [
    "BadStringId",
    Q.canonical_name_string_id,
    (p) => p.get(Q.canonical_name_string_id) >= p.artifact.strings.count,
    "the id of a string",
  ],
  ["BadRecordVersion", Q.profile_version, (p) => p.get(Q.profile_version) !== 1, "1"],
  ["NonZeroFlags", Q.flags, (p) => p.get(Q.flags) !== 0, "0"],
  ["NonZeroReserved", Q.reserved_0, (p) => p.get(Q.reserved_0) !== 0, "0"],
  ["NonZeroReserved", Q.reserved_1, (p) => !p.isZero(Q.reserved_1), "0"],
  ...FIELD_RULES.map(([field, holds, expected]): Check<Profile> => [
    "QuantFieldInvalid",
    field,
    (p) => !holds(p),
    expected,
  ]),
  [
    "ProfileIdMismatch",
    Q.profile_id,
    (p) => {
      const name = p.artifact.strings.raw(p.get(Q.canonical_name_string_id));
      const record = p.rows.bytes.subarray(p.rows.where(p.index, Q.profile_id));
      return !sameBytes(p.raw(Q.profile_id), profileId(name, record));
    },
    "the hash of name and fields",
  ],
  ...sorted<Profile>([Q.profile_id]),
];

/** Stage 20. */
export function checkQuants(artifact: Artifact): Fault {
  return checkRows(20, "quant", CHECKS, new Profile(artifact), (p) => {
    artifact.stringMarks[p.get(Q.canonical_name_string_id)] |= REFERENCED;
  });
}
