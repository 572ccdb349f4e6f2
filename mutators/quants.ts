/** Quantization profiles (7.2), with the tensors that use them following. */
import { patch, QUANT, record, TENSOR } from "../corpus/writer/fields.ts";
import { compare } from "../corpus/writer/bytes.ts";
import { DENSE, profileBody, QUANTIZED, REGISTERED } from "../corpus/writer/profiles.ts";
import { type Artifact, layOut, parse } from "./artifact.ts";
import { getU16, getU32, putU16, putU32 } from "./bytes.ts";
import { addStrings } from "./descriptors.ts";
import type { Mutator } from "./mutator.ts";
import { FIELDS } from "./places.ts";
import type { Random } from "./random.ts";
import { follow } from "./tensors.ts";

/** The seven fields of a tensor that repeat its profile's (7.3), as [tensor, profile, size]. */
const REPEATED = [
  [TENSOR.block_elements[0], QUANT.block_elements[0], 4],
  [TENSOR.block_bytes[0], QUANT.block_bytes[0], 4],
  [TENSOR.scale_type[0], QUANT.scale_type[0], 2],
  [TENSOR.zero_point_type[0], QUANT.zero_point_type[0], 2],
  [TENSOR.packing_order[0], QUANT.packing_order[0], 1],
  [TENSOR.accumulator_type[0], QUANT.accumulator_type[0], 2],
  [TENSOR.tail_rule[0], QUANT.tail_rule[0], 2],
] as const;

/** Gives a tensor's record the fields that repeat its profile's. */
export function repeatProfile(record: Uint8Array, profile: Uint8Array): void {
  for (const [to, from, size] of REPEATED) {
    record.fill(0, to, to + 2);
    record.set(profile.subarray(from, from + size), to);
  }
}

/** Gives every tensor of profile `index` that profile's fields, and a payload of its size. */
function followProfile({ quants, tensors }: Artifact, index: number, random: Random): void {
  const profile = quants[index];
  for (const entry of tensors) {
    const { record } = entry;
    if (getU16(record, TENSOR.quant_profile_index[0]) !== index) continue;
    repeatProfile(record, profile);
    follow(entry, random);
  }
}

/** Bytes of a scale or zero point by its type: none, f32, f16. */
const FACTOR_BYTES = [0, 4, 2];
/** Bits of a code by packing order 1 to 4. */
const CODE_BITS = [8, 4, 4, 5];
/** Elements of a block by packing order, to the limit and one step past it. */
const PAIRS = [2, 4, 32, 64, 4096, 4098];
const BLOCKS = [[1, 31, 32, 4095, 4096, 4097], PAIRS, PAIRS, [32]];
const IN_BLOCK = 1, CODEBOOK_SIGN = 3, CODEBOOK_CONTRACT = 4;

/** Every field of a profile as the rules of 7.2 have them together, registered or not. */
function anyProfile(random: Random) {
  const packing_order = random.between(1, 4), code_bits = CODE_BITS[packing_order - 1];
  const block_elements = random.pick(BLOCKS[packing_order - 1]);
  const scale = random.below(3), zero = random.below(3);
  const [scale_type, zero_point_type] = [scale, zero].map((placement) =>
    placement === 0 ? 0 : random.between(1, 2)
  );
  const inBlock = (placement: number, type: number) =>
    placement === IN_BLOCK ? FACTOR_BYTES[type] : 0;
  const codebook = random.oneIn(4);
  return {
    code_bits,
    packing_order,
    block_elements,
    code_count_per_block: block_elements,
    block_bytes: inBlock(scale, scale_type) + inBlock(zero, zero_point_type) +
      Math.ceil(code_bits * block_elements / 8),
    scale_type,
    scale_count_per_block: scale === IN_BLOCK ? 1 : 0,
    scale_placement: scale,
    zero_point_type,
    zero_point_count_per_block: zero === IN_BLOCK ? 1 : 0,
    zero_point_placement: zero,
    codebook_kind: codebook ? 1 : 0,
    code_signedness: codebook ? CODEBOOK_SIGN : random.below(CODEBOOK_SIGN),
    kernel_contract: codebook ? CODEBOOK_CONTRACT : random.pick([1, 2, 3, 5]),
    auxiliary_mask: (scale === 2 ? 1 : 0) | (zero === 2 ? 2 : 0),
  };
}

const ENUMS = FIELDS.quant.filter(({ at, size }) => at >= 40 && at < 86 && size <= 2);

const withProfile = (
  name: string,
  reason: string,
  change: (profile: Uint8Array, random: Random) => void,
): Mutator => ({
  name,
  reason,
  mutate(input, random) {
    const artifact = parse(input);
    if (artifact.quants.length === 0) return null;
    const index = random.below(artifact.quants.length);
    change(artifact.quants[index], random);
    if (random.oneIn(2)) followProfile(artifact, index, random);
    return layOut(artifact);
  },
});

/** Adds a registered profile with its name, unless it is there. @returns its index */
export function addProfile(artifact: Artifact, random: Random): number {
  const profile = random.pick([...REGISTERED.values()]);
  const name = new TextEncoder().encode(profile.name);
  const all = addStrings(artifact, [name]);
  const id = all.findIndex((one) => compare(one, name) === 0);
  const there = artifact.quants.findIndex((one) =>
    getU32(one, QUANT.canonical_name_string_id[0]) === id
  );
  if (there >= 0) return there;
  const made = record(QUANT, 128, { canonical_name_string_id: id });
  made.set(profileBody(profile), 36);
  return artifact.quants.push(made) - 1;
}

export const quants: readonly Mutator[] = [
  withProfile(
    "quant-enum",
    "each enumeration of a profile at every value, legal and next to it",
    (profile, random) => {
      const { at, size } = random.pick(ENUMS);
      const value = random.below(7);
      if (size === 1) profile[at] = value;
      else putU16(profile, at, value);
    },
  ),
  withProfile(
    "quant-block",
    "blocks that are empty, too large, odd, or do not hold their codes",
    (profile, random) => {
      const elements = random.pick([0, 1, 2, 31, 32, 33, 64, 4095, 4096, 4097]);
      const bits = getU16(profile, QUANT.code_bits[0]);
      const codes = (n: number) => Math.ceil(bits * n / 8);
      const inBlock = getU32(profile, QUANT.block_bytes[0]) -
        codes(getU32(profile, QUANT.block_elements[0]));
      putU32(profile, QUANT.block_elements[0], elements);
      if (!random.oneIn(4)) putU16(profile, QUANT.code_count_per_block[0], elements);
      if (random.oneIn(4)) return;
      const wrong = random.oneIn(4) ? random.pick([1, 2, 4, -1]) : 0;
      putU32(profile, QUANT.block_bytes[0], Math.max(0, inBlock) + codes(elements) + wrong);
    },
  ),
  withProfile(
    "quant-whole",
    "a profile whose fields hold together in another way: what one is computed of is another's",
    (profile, random) => {
      const whole = anyProfile(random), names = Object.keys(whole) as (keyof typeof whole)[];
      for (const name of names) patch(profile, QUANT, name, whole[name]);
      if (random.oneIn(2)) return;
      const name = random.pick(names);
      patch(profile, QUANT, name, anyProfile(random)[name]);
    },
  ),
  withProfile("quant-tail", "the same blocks under another tail rule", (profile, random) => {
    putU16(profile, QUANT.tail_rule[0], random.between(1, 3));
  }),
  withProfile(
    "quant-mask",
    "masks and placements that ask for auxiliaries, or for none",
    (profile, random) => {
      putU16(profile, QUANT.auxiliary_mask[0], random.pick([0, 1, 2, 3, 4, 8, 16, 31, 32, 33]));
      if (random.oneIn(2)) {
        putU16(
          profile,
          random.pick([QUANT.scale_placement[0], QUANT.zero_point_placement[0]]),
          random.below(4),
        );
      }
    },
  ),
  withProfile(
    "quant-calibration",
    "calibration mode and identity hold together",
    (profile, random) => {
      putU16(profile, QUANT.calibration_mode[0], random.below(3));
      if (random.oneIn(2)) profile.set(random.bytes(32), QUANT.calibration_identity[0]);
    },
  ),
  {
    name: "quant-unused",
    reason: "a good profile that no tensor refers to",
    mutate(input, random) {
      const artifact = parse(input);
      if (artifact.tensors.length === 0) return null;
      addProfile(artifact, random);
      return layOut(artifact);
    },
  },
  {
    name: "quant-quantize",
    reason: "a tensor under a profile that it was not made for: tails, rows, padding",
    mutate(input, random) {
      const artifact = parse(input);
      if (artifact.tensors.length === 0) return null;
      const index = addProfile(artifact, random);
      const { record } = random.pick(artifact.tensors);
      putU16(record, TENSOR.element_type[0], QUANTIZED);
      putU16(record, TENSOR.quant_profile_index[0], random.oneIn(16) ? DENSE : index);
      followProfile(artifact, index, random);
      return layOut(artifact);
    },
  },
];
