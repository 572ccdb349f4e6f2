/** Codes inside the blocks of a quantized tensor, and the padded lanes of a run's last block (7.2). */
import { type ProfileFields, TAIL } from "./profiles.ts";
import { elementsOf } from "./storage.ts";

/** Section 7.2: packing orders. */
const IN_ORDER = 1, SPLIT_HALVES = 2, PAIRS = 3;

const UNSIGNED = 0, TWOS_COMPLEMENT = 1, BIASED = 2;
/** The index of NF4's level 0. */
const NF4_ZERO = 7;

/** The code of a padded lane: what decodes to zero whatever the scale, or 0 where none does. */
export function zeroCode({ code_signedness, code_bits }: ProfileFields): number {
  if (code_signedness === UNSIGNED || code_signedness === TWOS_COMPLEMENT) return 0;
  return code_signedness === BIASED ? 2 ** (code_bits - 1) : NF4_ZERO;
}

const IN_BLOCK = 1;
/** Of the scale and of the zero point: both are f16 in every block that has them. */
const IN_BLOCK_BYTES = 2;
const PLANE_BYTES = 4;

/** Sets the code of one lane of a block. @param code unsigned, of `code_bits` bits */
export function setCode(
  block: Uint8Array,
  lane: number,
  code: number,
  fields: ProfileFields,
): void {
  const { packing_order, block_elements, scale_placement, zero_point_placement } = fields;
  const codes = (scale_placement === IN_BLOCK ? IN_BLOCK_BYTES : 0) +
    (zero_point_placement === IN_BLOCK ? IN_BLOCK_BYTES : 0);
  if (packing_order === IN_ORDER) {
    block[codes + lane] = code;
    return;
  }
  if (packing_order === PAIRS) {
    setNibble(block, codes + Math.floor(lane / 2), lane % 2 === 1, code);
    return;
  }
  const half = block_elements / 2;
  const nibbles = packing_order === SPLIT_HALVES ? codes : codes + PLANE_BYTES;
  setNibble(block, nibbles + lane % half, lane >= half, code & 15);
  if (packing_order !== SPLIT_HALVES) {
    const at = codes + Math.floor(lane / 8), bit = 1 << (lane % 8);
    block[at] = code & 16 ? block[at] | bit : block[at] & ~bit;
  }
}

function setNibble(block: Uint8Array, at: number, high: boolean, code: number): void {
  block[at] = high ? (block[at] & 0x0f) | (code << 4) : (block[at] & 0xf0) | code;
}

/** Sets every padded lane of a tensor's payload to the code that it must have. */
export function clearPadding(
  payload: Uint8Array,
  shape: readonly number[],
  fields: ProfileFields,
): void {
  const { block_elements, block_bytes, tail_rule } = fields;
  const elements = Number(elementsOf(shape));
  const run = tail_rule === TAIL.row ? shape.at(-1) ?? 1 : elements;
  const blocks = Math.ceil(run / block_elements);
  for (let row = 0; row < elements / run; row++) {
    const last = (row + 1) * blocks - 1;
    const block = payload.subarray(last * block_bytes, (last + 1) * block_bytes);
    for (let lane = run - (blocks - 1) * block_elements; lane < block_elements; lane++) {
      setCode(block, lane, zeroCode(fields), fields);
    }
  }
}
