/** Stage 21: tensor records (section 7.3). */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { BitSet, ceilDiv, firstNonZero, i32, MAX, u16, u32, u64 } from "./bytes.ts";
import { reject } from "./fault.ts";
import { atMost, FORMAT, overLimit } from "./limits.ts";
import {
  DENSE,
  PAYLOAD_HASH,
  PROFILE,
  QUANT_RECORD,
  rowsOf,
  SHAPE,
  TAIL_EXACT,
  TAIL_ROW,
  tensor,
  TENSOR_RECORD,
} from "./records.ts";
import { elementBytes, QUANTIZED } from "./types.ts";

const MOST_DIMENSION = 2 ** 32 - 1;
const LEAST_ALIGNMENT = 64;
const MOST_ALIGNMENT = 65_536;

/** Fields that repeat the profile's: offset here, size, offset in the profile. */
const REPEATED: readonly (readonly [number, 2 | 4, number])[] = [
  [132, 4, PROFILE.block_elements],
  [136, 4, PROFILE.block_bytes],
  [140, 2, PROFILE.scale_type],
  [142, 2, PROFILE.zero_point_type],
  [144, 2, PROFILE.packing_order],
  [146, 2, PROFILE.accumulator_type],
  [148, 2, PROFILE.tail_rule],
];
/** `block_elements` .. `tail_rule`, zero where the tensor is dense */
const [QUANT_FIELDS, QUANT_FIELDS_END] = [132, 150];

function fault(code: Code, at: number, expected: string): Reject {
  return reject(21, code, "tensors", at, expected);
}

/** Whether `alignment` is a power of two, 64 .. 65,536. */
export function isAlignment(alignment: number): boolean {
  return alignment >= LEAST_ALIGNMENT && alignment <= MOST_ALIGNMENT &&
    (alignment & (alignment - 1)) === 0;
}

/** Stage 21. */
export function checkTensors(artifact: Artifact): Reject | null {
  const { memory, sections, strings } = artifact;
  artifact.names = new BitSet(memory.bytes(BitSet.size(strings.count)));
  artifact.profilesUsed = new BitSet(memory.bytes(BitSet.size(sections.quant.count)));
  for (let i = 0; i < sections.tensors.count; i++) {
    const at = sections.tensors.offset + TENSOR_RECORD * i;
    const wrong = checkFields(artifact, at) ?? checkShape(artifact, at) ??
      checkStorage(artifact, at) ?? checkPlace(artifact, at, i);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** From record_version to the profile's index. */
function checkFields({ bytes, limits, profilesUsed, sections, strings }: Artifact, at: number) {
  if (u16(bytes, at) !== 1) return fault("BadRecordVersion", at, "1");
  if (bytes[at + 3] !== 0) return fault("NonZeroFlags", at + 3, "0");
  if (u16(bytes, at + 150) !== 0) return fault("NonZeroFlags", at + 150, "0");
  if (u32(bytes, at + 28) !== 0) return fault("NonZeroReserved", at + 28, "0");
  for (const id of [at + 8, at + 12]) {
    if (!strings.refer(u32(bytes, id))) return fault("BadStringId", id, `below ${strings.count}`);
  }
  const rank = tensor.rank(bytes, at);
  if (rank > FORMAT.rank) return fault("ShapeInvalid", at + 2, `at most ${FORMAT.rank}`);
  const limited = overLimit(limits, "rank", rank);
  if (limited !== null) return fault(limited, at + 2, atMost(limits, "rank"));
  for (const place of [at + 16, at + 20, at + 24]) {
    if (i32(bytes, place) < -1) return fault("TensorFieldInvalid", place, "at least -1");
  }
  const type = tensor.element_type(bytes, at);
  if (type !== QUANTIZED && elementBytes(type) === 0) {
    return fault("UnknownElementType", at + 4, "1 to 12, or 256");
  }
  const profile = tensor.profile(bytes, at);
  if ((profile === DENSE) === (type === QUANTIZED)) {
    return fault("BadQuantIndex", at + 6, type === QUANTIZED ? "a profile" : "0xffff");
  }
  if (profile !== DENSE) {
    if (profile >= sections.quant.count) {
      return fault("BadQuantIndex", at + 6, `below ${sections.quant.count}`);
    }
    profilesUsed.add(profile);
  }
  return null;
}

/** Dimensions and the element count. */
function checkShape({ bytes }: Artifact, at: number): Reject | null {
  const rank = tensor.rank(bytes, at);
  for (let axis = 0; axis < FORMAT.rank; axis++) {
    const dimension = tensor.dimension(bytes, at, axis);
    const good = axis < rank ? dimension >= 1 && dimension <= MOST_DIMENSION : dimension === 0;
    if (!good) {
      return fault("ShapeInvalid", at + SHAPE + 8 * axis, axis < rank ? "1 to 2^32 - 1" : "0");
    }
  }
  // Exact up to MAX; past it a rounded product is past it too, and no dimension is 0.
  let elements = 1;
  for (let axis = 0; axis < rank; axis++) {
    elements *= tensor.dimension(bytes, at, axis);
    if (elements > MAX) return fault("ShapeOverflow", at + SHAPE, "at most 2^53 - 1 elements");
  }
  return tensor.elements(bytes, at) === elements
    ? null
    : fault("ElementCountMismatch", at + 96, `${elements}`);
}

/** Quant fields, tail rule, stored size and payload length. */
function checkStorage({ bytes, sections }: Artifact, at: number): Reject | null {
  const profile = tensor.profile(bytes, at);
  const elements = tensor.elements(bytes, at);
  let stored: number;
  if (profile === DENSE) {
    const nonZero = firstNonZero(bytes, at + QUANT_FIELDS, at + QUANT_FIELDS_END);
    if (nonZero >= 0) return fault("QuantFieldMismatch", nonZero, "0 in a dense tensor");
    stored = elements * elementBytes(tensor.element_type(bytes, at));
  } else {
    const its = sections.quant.offset + QUANT_RECORD * profile;
    for (const [here, size, there] of REPEATED) {
      const value = size === 4 ? u32(bytes, at + here) : u16(bytes, at + here);
      // packing_order is one byte in the profile
      const want = size === 4
        ? u32(bytes, its + there)
        : there === PROFILE.packing_order
        ? bytes[its + there]
        : u16(bytes, its + there);
      if (value !== want) return fault("QuantFieldMismatch", at + here, `${want}`);
    }
    const blockElements = u32(bytes, its + PROFILE.block_elements);
    const tail = u16(bytes, its + PROFILE.tail_rule);
    if (tail === TAIL_EXACT && elements % blockElements !== 0) {
      return fault("TailRule", at + 148, `a multiple of ${blockElements} elements`);
    }
    const rows = tail === TAIL_ROW ? rowsOf(bytes, at) : 1;
    stored = rows * ceilDiv(elements / rows, blockElements) * u32(bytes, its + PROFILE.block_bytes);
  }
  if (stored > MAX) return fault("ShapeOverflow", at + 104, "at most 2^53 - 1 bytes");
  if (u64(bytes, at + 104) !== stored) return fault("StoredSizeMismatch", at + 104, `${stored}`);
  if (tensor.length(bytes, at) !== stored) {
    return fault("PayloadLengthMismatch", at + 120, `${stored}`);
  }
  return null;
}

/** Alignment, hash, order and name. */
function checkPlace({ bytes, names }: Artifact, at: number, index: number): Reject | null {
  if (!isAlignment(tensor.alignment(bytes, at))) {
    return fault("BadAlignment", at + 128, "a power of two, 64 to 65,536");
  }
  if (firstNonZero(bytes, at + PAYLOAD_HASH, at + TENSOR_RECORD) < 0) {
    return fault("ZeroHash", at + PAYLOAD_HASH, "a hash");
  }
  if (index > 0) {
    const order = compareKeys(bytes, at - TENSOR_RECORD, at);
    if (order === 0) return fault("DescriptorDuplicate", at + 8, "another key");
    if (order > 0) return fault("DescriptorOrder", at + 8, "a greater key");
  }
  const name = tensor.name(bytes, at);
  if (names.has(name)) return fault("DuplicateName", at + 12, "another name");
  names.add(name);
  return null;
}

/** Order of two records by (role, layer, subindexes, name); string ids compare as bytes. */
function compareKeys(bytes: Uint8Array, a: number, b: number): number {
  return tensor.role(bytes, a) - tensor.role(bytes, b) ||
    tensor.layer(bytes, a) - tensor.layer(bytes, b) ||
    tensor.subindex_0(bytes, a) - tensor.subindex_0(bytes, b) ||
    tensor.subindex_1(bytes, a) - tensor.subindex_1(bytes, b) ||
    tensor.name(bytes, a) - tensor.name(bytes, b);
}
