/**
 * Any tensor as blocks of any profile, its padded lanes right but for one or for none: which byte of
 * a block a lane stands in differs by profile, tail and number of lanes, and so do readers' mistakes.
 */
import { QUANT, TENSOR } from "../corpus/writer/fields.ts";
import { clearPadding, setCode } from "../corpus/writer/padding.ts";
import { type ProfileFields, QUANTIZED, TAIL } from "../corpus/writer/profiles.ts";
import { type Artifact, layOut, parse, setObject } from "./artifact.ts";
import { getU16, getU32, putU16, putU64 } from "./bytes.ts";
import type { Mutator } from "./mutator.ts";
import { addProfile, repeatProfile } from "./quants.ts";
import type { Random } from "./random.ts";
import { shapeOf, storedOf } from "./tensors.ts";
import { anyWindow, LONGEST } from "./windows.ts";

/** One in so many is made as long as a window. */
const LONG = 32;

/** Every profile number that says where a code stands. */
export const profileFields = (record: Uint8Array): ProfileFields => {
  const at = (name: keyof typeof QUANT) => {
    const [offset, type] = QUANT[name];
    return type === "u8"
      ? record[offset]
      : type === "u32"
      ? getU32(record, offset)
      : getU16(record, offset);
  };
  return Object.fromEntries(
    (Object.keys(QUANT) as (keyof typeof QUANT)[]).map((name) => [name, at(name)]),
  ) as unknown as ProfileFields;
};

/** Where the padded lanes of a tensor stand; null where it has none. */
interface Padding {
  /** runs of blocks, the blocks of each, and how many lanes of the last one hold an element */
  readonly runs: number;
  readonly blocks: number;
  readonly used: number;
}

function paddingOf(shape: readonly number[], fields: ProfileFields): Padding | null {
  const { block_elements, tail_rule } = fields;
  const elements = shape.reduce((product, n) => product * n, 1);
  const run = tail_rule === TAIL.row ? shape.at(-1) ?? 1 : elements;
  const blocks = Math.ceil(run / block_elements), used = run - (blocks - 1) * block_elements;
  return used < block_elements && run >= 1 ? { runs: elements / run, blocks, used } : null;
}

/** Gives one padded lane another code; whether there is one. */
export function breakLane(
  object: Uint8Array,
  shape: readonly number[],
  fields: ProfileFields,
  random: Random,
): boolean {
  const padding = paddingOf(shape, fields);
  if (padding === null) return false;
  const { runs, blocks, used } = padding;
  const { block_bytes, block_elements, code_bits } = fields;
  if (!(blocks * runs * block_bytes <= object.length)) return false;
  const last = blocks * (1 + random.below(runs)) - 1;
  const block = object.subarray(last * block_bytes, (last + 1) * block_bytes);
  const lane = random.pick([used, block_elements - 1, random.between(used, block_elements - 1)]);
  setCode(block, lane, random.below(2 ** code_bits), fields);
  return true;
}

/** Tensors without a profile that nothing leans on. */
function free({ tensors, auxiliaries }: Artifact) {
  const targets = new Set(auxiliaries.map((record) => getU32(record, 8)));
  return tensors.filter(({ record }, i) =>
    getU16(record, TENSOR.element_type[0]) !== QUANTIZED && !targets.has(i)
  );
}

const RETRIEVAL = 8;

export const lanes: readonly Mutator[] = [
  {
    name: "lane-any",
    reason: "each lane of each profile's last block, under each tail rule, in one window or in two",
    mutate(input, random) {
      const artifact = parse(input);
      const fitting = free(artifact);
      if (fitting.length === 0) return null;
      const index = addProfile(artifact, random);
      const fields = profileFields(artifact.quants[index]);
      const entry = random.pick(fitting);
      const { record } = entry;
      putU16(record, TENSOR.element_type[0], QUANTIZED);
      putU16(record, TENSOR.quant_profile_index[0], index);
      repeatProfile(record, artifact.quants[index]);
      if (getU16(artifact.header, 36) !== RETRIEVAL) {
        const columns = random.between(1, 2 * fields.block_elements + 2);
        const bytes = Math.ceil(columns / fields.block_elements) * fields.block_bytes;
        const rows = random.oneIn(LONG)
          ? Math.ceil(anyWindow(random) / bytes) + random.below(4)
          : random.between(1, 4);
        record[TENSOR.rank[0]] = 2;
        record.fill(0, TENSOR.shape_0[0], TENSOR.shape_0[0] + 64);
        putU64(record, TENSOR.shape_0[0], rows);
        putU64(record, TENSOR.shape_0[0] + 8, columns);
      }
      const { elements, stored } = storedOf(record);
      if (!(stored <= 2 * LONGEST)) return null;
      const object = new Uint8Array(stored), shape = shapeOf(record);
      clearPadding(object, shape, fields);
      if (!random.oneIn(4)) breakLane(object, shape, fields, random);
      putU64(record, TENSOR.logical_element_count[0], elements);
      setObject(entry, "tensor", object);
      return layOut(artifact);
    },
  },
];
