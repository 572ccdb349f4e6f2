/** Tensor records (section 7.3) and stage 21. */
import { type Artifact, IS_NAME, REFERENCED } from "./artifact.ts";
import type { Fault } from "./fault.ts";
import { type Check, checkRows, type Field, Row, sorted } from "./fields.ts";
import { DENSE, DIMENSIONS, ELEMENT_BYTES, Q, QUANTIZED, T } from "./layouts.ts";
import { FORMAT, MAX } from "./limits.ts";
import { BY_ROW, EXACT } from "./quant.ts";

/** Section 7.3: a used dimension is at most this. */
const MAX_DIMENSION = 2 ** 32 - 1;

/** Section 7.3 and 7.4: a power of two, 64 to 65,536. */
export function isAlignment(n: number): boolean {
  return n >= 64 && n <= 65_536 && (n & (n - 1)) === 0;
}

/** The sort key of section 7.3; string ids stand in the order of their bytes. */
export const TENSOR_KEY: readonly Field[] = [
  T.semantic_role_string_id,
  T.layer,
  T.subindex_0,
  T.subindex_1,
  T.canonical_name_string_id,
];

/** A tensor record with what follows from its fields. */
export class TensorRow extends Row {
  constructor(readonly artifact: Artifact) {
    super(artifact.tensors);
  }

  /** This row moved to another record. */
  to(index: number): this {
    this.index = index;
    return this;
  }
  get rank(): number {
    return this.get(T.rank);
  }
  dimension(axis: number): number {
    return this.get(DIMENSIONS[axis]);
  }
  get shape(): number[] {
    return DIMENSIONS.slice(0, this.rank).map((field) => this.get(field));
  }
  get isDense(): boolean {
    return this.get(T.element_type) !== QUANTIZED;
  }
  /** Product of the dimensions: exact up to `MAX`, else something above it. */
  get elements(): number {
    return this.#product(this.rank);
  }
  /** Product of all dimensions but the last; a scalar is one row of one element. */
  get rowCount(): number {
    return this.#product(this.rank - 1);
  }
  get columns(): number {
    return this.rank === 0 ? 1 : this.dimension(this.rank - 1);
  }
  #product(axes: number): number {
    let product = 1;
    for (let axis = 0; axis < axes; axis++) {
      product *= this.dimension(axis);
      if (product > MAX) return Infinity;
    }
    return product;
  }
  /** A field of the tensor's profile. */
  profile(field: Field): number {
    return this.artifact.quants.get(this.get(T.quant_profile_index), field);
  }
  /** Elements that are blocked together, and how many such runs there are (tail rules). */
  get run(): { length: number; count: number } {
    return this.profile(Q.tail_rule) === BY_ROW
      ? { length: this.columns, count: this.rowCount }
      : { length: this.elements, count: 1 };
  }
  /** `stored_bytes` as the shape has it; above `MAX` where it is too large. */
  get storedBytes(): number {
    if (this.isDense) return this.elements * (ELEMENT_BYTES.get(this.get(T.element_type)) ?? 0);
    const { length, count } = this.run;
    return count * blocksOf(length, this.profile(Q.block_elements)) * this.profile(Q.block_bytes);
  }
}

/** `ceil(elements / block)`, exact. */
export function blocksOf(elements: number, block: number): number {
  const over = elements % block;
  return (elements - over) / block + (over === 0 ? 0 : 1);
}

/** A dense tensor has zero in these, a quantized one what its profile has (section 7.3). */
const REPEATED: readonly [own: Field, profile: Field][] = [
  [T.block_elements, Q.block_elements],
  [T.block_bytes, Q.block_bytes],
  [T.scale_type, Q.scale_type],
  [T.zero_point_type, Q.zero_point_type],
  [T.packing_order, Q.packing_order],
  [T.accumulator_type, Q.accumulator_type],
  [T.tail_rule, Q.tail_rule],
];

const CHECKS: readonly Check<TensorRow>[] = [
  ["BadRecordVersion", T.record_version, (t) => t.get(T.record_version) !== 1, "1"],
  ["NonZeroFlags", T.flags, (t) => t.get(T.flags) !== 0, "0"],
  ["NonZeroFlags", T.flags_2, (t) => t.get(T.flags_2) !== 0, "0"],
  ["NonZeroReserved", T.reserved_0, (t) => t.get(T.reserved_0) !== 0, "0"],
  ...[T.semantic_role_string_id, T.canonical_name_string_id].map((
    field,
  ): Check<TensorRow> => [
    "BadStringId",
    field,
    (t) => t.get(field) >= t.artifact.strings.count,
    "the id of a string",
  ]),
  ["ShapeInvalid", T.rank, (t) => t.rank > FORMAT.rank, "at most 8"],
  [
    "PolicyLimitExceeded",
    T.rank,
    (t) => t.rank > t.artifact.limits.rank,
    "rank of at most the policy's",
  ],
  ...[T.layer, T.subindex_0, T.subindex_1].map((field): Check<TensorRow> => [
    "TensorFieldInvalid",
    field,
    (t) => t.get(field) < -1,
    "-1 or more",
  ]),
  [
    "UnknownElementType",
    T.element_type,
    (t) => t.isDense && !ELEMENT_BYTES.has(t.get(T.element_type)),
    "1 to 12, or 256",
  ],
  [
    "BadQuantIndex",
    T.quant_profile_index,
    (t) => {
      const index = t.get(T.quant_profile_index);
      return index === DENSE ? !t.isDense : t.isDense || index >= t.artifact.quants.count;
    },
    "0xffff if dense, else the index of a profile",
  ],
  ...DIMENSIONS.map((field, axis): Check<TensorRow> => [
    "ShapeInvalid",
    field,
    (t) => {
      const n = t.get(field);
      return axis < t.rank ? n === 0 || n > MAX_DIMENSION : n !== 0;
    },
    "1 to 2^32 - 1 if used, else 0",
  ]),
  ["ShapeOverflow", T.shape, (t) => t.elements > MAX, "a product of at most 2^53 - 1"],
  [
    "ElementCountMismatch",
    T.logical_element_count,
    (t) => t.get(T.logical_element_count) !== t.elements,
    "the product of the shape",
  ],
  ...REPEATED.map(([own, profile]): Check<TensorRow> => [
    "QuantFieldMismatch",
    own,
    (t) => t.get(own) !== (t.isDense ? 0 : t.profile(profile)),
    "0 if dense, else as in the profile",
  ]),
  [
    "TailRule",
    T.tail_rule,
    (t) =>
      !t.isDense && t.profile(Q.tail_rule) === EXACT &&
      t.elements % t.profile(Q.block_elements) !== 0,
    "whole blocks of elements",
  ],
  ["ShapeOverflow", T.stored_bytes, (t) => t.storedBytes > MAX, "at most 2^53 - 1 bytes"],
  [
    "StoredSizeMismatch",
    T.stored_bytes,
    (t) => t.get(T.stored_bytes) !== t.storedBytes,
    "the size that the shape has",
  ],
  [
    "PayloadLengthMismatch",
    T.payload_length,
    (t) => t.get(T.payload_length) !== t.get(T.stored_bytes),
    "stored_bytes",
  ],
  [
    "BadAlignment",
    T.payload_alignment,
    (t) => !isAlignment(t.get(T.payload_alignment)),
    "a power of two, 64 to 65,536",
  ],
  ["ZeroHash", T.payload_hash, (t) => t.isZero(T.payload_hash), "a hash"],
  ...sorted<TensorRow>(TENSOR_KEY),
  [
    "DuplicateName",
    T.canonical_name_string_id,
    (t) => (t.artifact.stringMarks[t.get(T.canonical_name_string_id)] & IS_NAME) !== 0,
    "a name of its own",
  ],
];

/** Stage 21. */
export function checkTensors(artifact: Artifact): Fault {
  const { stringMarks } = artifact;
  artifact.profileUsed = artifact.memory.bytes(artifact.quants.count);
  return checkRows(21, "tensors", CHECKS, new TensorRow(artifact), (t) => {
    stringMarks[t.get(T.semantic_role_string_id)] |= REFERENCED;
    stringMarks[t.get(T.canonical_name_string_id)] |= REFERENCED | IS_NAME;
    if (!t.isDense) artifact.profileUsed[t.get(T.quant_profile_index)] = 1;
  });
}
