/** How a tensor's elements are stored (sections 7.1 to 7.3). */
import {
  DENSE,
  ELEMENT_TYPES,
  type Profile,
  type ProfileFields,
  QUANTIZED,
  REGISTERED,
  TAIL,
} from "./profiles.ts";

/** What a tensor's `type` names. */
export interface Storage {
  /** section 7.1; 0 where the name means nothing */
  readonly element_type: number;
  /** null where dense */
  readonly profile: Profile | null;
}

/** Finds an element type, a registered profile or one of `custom` by name. */
export function storageOf(type: string, custom: readonly Profile[] = []): Storage {
  if (Object.hasOwn(ELEMENT_TYPES, type)) {
    return { element_type: ELEMENT_TYPES[type as keyof typeof ELEMENT_TYPES].id, profile: null };
  }
  const profile = custom.find(({ name }) => name === type) ?? REGISTERED.get(type) ?? null;
  return { element_type: profile ? QUANTIZED : 0, profile };
}

/** The product of all dimensions, 1 for a scalar; exact. */
export const elementsOf = (shape: readonly number[]): bigint =>
  shape.reduce((product, n) => product * BigInt(n), 1n);

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** `stored_bytes` (7.3), exact. */
export function storedBytes(shape: readonly number[], { element_type, profile }: Storage): bigint {
  const elements = elementsOf(shape);
  if (profile === null) {
    const dense = Object.values(ELEMENT_TYPES).find(({ id }) => id === element_type);
    return elements * BigInt(dense?.bytes ?? 0);
  }
  const { tail_rule, block_elements, block_bytes } = profile.fields;
  const block = BigInt(block_elements);
  const row = tail_rule === TAIL.row ? BigInt(shape.at(-1) ?? 1) : elements;
  const rows = row === 0n ? 0n : elements / row;
  return rows * divideUp(row, block) * BigInt(block_bytes);
}

/** Section 7.2, tail rule 2: the element count is a multiple of the block. */
export const meetsTailRule = (shape: readonly number[], fields: ProfileFields): boolean =>
  fields.tail_rule !== TAIL.exact || elementsOf(shape) % BigInt(fields.block_elements) === 0n;

/** The seven fields `block_elements` .. `tail_rule` of a tensor record, and its profile index. */
export function quantFields({ profile }: Storage, index: number) {
  if (profile === null) return { quant_profile_index: DENSE };
  const { block_elements, block_bytes, scale_type, zero_point_type } = profile.fields;
  const { packing_order, accumulator_type, tail_rule } = profile.fields;
  return {
    quant_profile_index: index,
    block_elements,
    block_bytes,
    scale_type,
    zero_point_type,
    packing_order,
    accumulator_type,
    tail_rule,
  };
}
