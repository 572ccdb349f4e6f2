/** The capability registry: the quantization profiles of section 7.2 that a reader knows. */
import { hex } from "./bytes.ts";
import { profileId } from "./identities.ts";
import {
  AUXILIARY,
  IN_BLOCK,
  PROFILE,
  QUANT_RECORD,
  TAIL_EXACT,
  TAIL_PAD,
  TAIL_ROW,
} from "./records.ts";
import { F16, F32 } from "./types.ts";

const I8 = 5;
const U8 = 6;

/** A family as its row in the table has it; `scale` and `zero_point` are type and placement. */
interface Family {
  readonly name: string;
  readonly storage: number;
  readonly bits: number;
  readonly block: number;
  readonly bytes: number;
  readonly signedness: number;
  readonly packing: number;
  readonly scale: readonly [type: number, placement: number];
  readonly zero_point: readonly [type: number, placement: number];
  readonly contract: number;
  readonly rounding: number;
  readonly codebook: number;
  readonly mask: number;
  readonly tails: readonly number[];
  /** the code of a padded lane */
  readonly padding: number;
}

const B32 = {
  storage: U8,
  block: 32,
  scale: [F16, IN_BLOCK],
  zero_point: [0, 0],
  rounding: 3,
  codebook: 0,
  mask: 0,
  tails: [TAIL_PAD, TAIL_EXACT, TAIL_ROW],
} as const;

const FAMILIES: readonly Family[] = [
  {
    ...B32,
    name: "q8-0.b32",
    storage: I8,
    bits: 8,
    bytes: 34,
    signedness: 1,
    packing: 1,
    contract: 1,
    rounding: 1,
    padding: 0,
  },
  {
    ...B32,
    name: "q4-0.b32",
    bits: 4,
    bytes: 18,
    signedness: 2,
    packing: 2,
    contract: 2,
    padding: 8,
  },
  {
    ...B32,
    name: "q4-1.b32",
    bits: 4,
    bytes: 20,
    signedness: 0,
    packing: 2,
    zero_point: [F16, IN_BLOCK],
    contract: 3,
    padding: 0,
  },
  {
    ...B32,
    name: "q5-0.b32",
    bits: 5,
    bytes: 22,
    signedness: 2,
    packing: 4,
    contract: 2,
    padding: 16,
  },
  {
    ...B32,
    name: "nf4.b64",
    bits: 4,
    block: 64,
    bytes: 34,
    signedness: 3,
    packing: 3,
    contract: 4,
    rounding: 2,
    codebook: 1,
    padding: 7,
  },
  {
    ...B32,
    name: "q8-row",
    storage: I8,
    bits: 8,
    block: 1,
    bytes: 1,
    signedness: 1,
    packing: 1,
    scale: [F32, AUXILIARY],
    contract: 5,
    rounding: 1,
    mask: 1,
    tails: [TAIL_EXACT],
    padding: 0,
  },
];

const TAIL_NAMES: Readonly<Record<number, string>> = {
  [TAIL_PAD]: "pad",
  [TAIL_EXACT]: "exact",
  [TAIL_ROW]: "row",
};

/** The 128 bytes of a profile but for its id and its name's string id, which are zero. */
function recordOf(family: Family, tail: number): Uint8Array {
  const record = new Uint8Array(QUANT_RECORD);
  const view = new DataView(record.buffer);
  const set = (at: number, value: number) => view.setUint16(at, value, true);
  const count = (placement: number) => placement === IN_BLOCK ? 1 : 0;
  set(PROFILE.profile_version, 1);
  set(PROFILE.storage_type, family.storage);
  set(PROFILE.decoded_type, F32);
  set(PROFILE.accumulator_type, F32);
  set(PROFILE.code_bits, family.bits);
  set(PROFILE.block_elements, family.block);
  set(PROFILE.block_bytes, family.bytes);
  set(PROFILE.code_count_per_block, family.block);
  record[PROFILE.code_signedness] = family.signedness;
  record[PROFILE.packing_order] = family.packing;
  set(PROFILE.scale_type, family.scale[0]);
  set(PROFILE.scale_count_per_block, count(family.scale[1]));
  set(PROFILE.scale_placement, family.scale[1]);
  set(PROFILE.zero_point_type, family.zero_point[0]);
  set(PROFILE.zero_point_count_per_block, count(family.zero_point[1]));
  set(PROFILE.zero_point_placement, family.zero_point[1]);
  set(PROFILE.codebook_kind, family.codebook);
  set(PROFILE.tail_rule, tail);
  set(PROFILE.rounding_mode, family.rounding);
  set(PROFILE.saturation_mode, 1);
  set(PROFILE.kernel_contract, family.contract);
  set(PROFILE.auxiliary_mask, family.mask);
  return record;
}

/** The code of a padded lane, by profile_id as hexadecimal, of every registered profile. */
export const REGISTRY: ReadonlyMap<string, number> = new Map(
  FAMILIES.flatMap((family) =>
    family.tails.map((tail): [string, number] => {
      const name = new TextEncoder().encode(`${family.name}.${TAIL_NAMES[tail]}`);
      const id = profileId(name, 0, name.length, recordOf(family, tail), 0);
      return [hex(id), family.padding];
    })
  ),
);
