/** Relations between tensors (7.5): owners, targets, runs, and everything that could be a loop. */
import { AUXILIARY, QUANT, record, TENSOR } from "../corpus/writer/fields.ts";
import { type Artifact, layOut, parse } from "./artifact.ts";
import { getU16, getU32, putU16, putU32 } from "./bytes.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

/** Makes the runs of all tensors those of the records, in their order. */
function followRuns({ tensors, auxiliaries }: Artifact): void {
  for (const [owner, { record }] of tensors.entries()) {
    const first = auxiliaries.findIndex((one) => getU32(one, 0) === owner);
    const count = auxiliaries.filter((one) => getU32(one, 0) === owner).length;
    putU32(record, TENSOR.auxiliary_first[0], count === 0 ? 0 : first);
    putU32(record, TENSOR.auxiliary_count[0], count);
  }
}

const onAuxiliaries = (
  name: string,
  reason: string,
  change: (artifact: Artifact, random: Random) => boolean,
): Mutator => ({
  name,
  reason,
  mutate(input, random) {
    const artifact = parse(input);
    if (artifact.tensors.length === 0 || !change(artifact, random)) return null;
    return layOut(artifact);
  },
});

/** Gives one field of a record a value at and beyond what its target allows. */
function breakField({ auxiliaries, tensors }: Artifact, random: Random): boolean {
  if (auxiliaries.length === 0) return false;
  const one = random.pick(auxiliaries);
  switch (random.below(6)) {
    case 0:
      putU32(one, AUXILIARY.owner[0], random.below(tensors.length + 1));
      break;
    case 1:
      putU32(one, AUXILIARY.target[0], random.below(tensors.length + 1));
      break;
    case 2:
      putU16(one, AUXILIARY.kind[0], random.below(7));
      break;
    case 3:
      putU32(one, AUXILIARY.axis[0], random.pick([-2, -1, 0, 1, 2, 7, 8]));
      break;
    case 4:
      putU32(one, AUXILIARY.group_size[0], random.below(3));
      break;
    default:
      putU32(one, AUXILIARY.block_stride[0], random.below(3));
  }
  return true;
}

export const auxiliaries: readonly Mutator[] = [
  onAuxiliaries(
    "auxiliary-add",
    "a record more: self-reference, chains, quantized targets, kinds nobody asked for",
    (artifact, random) => {
      const { tensors, auxiliaries } = artifact;
      const owner = random.below(tensors.length);
      const made = record(AUXILIARY, 32, {
        owner,
        kind: random.pick([1, 1, 1, 2, 3, 4, 5, 0, 6]),
        target: random.oneIn(4) ? owner : random.below(tensors.length + (random.oneIn(8) ? 1 : 0)),
        axis: random.pick([0, 0, 0, 1, -1, -2, 8]),
        group_size: random.pick([1, 1, 0, 2]),
      });
      const sorted = auxiliaries.findIndex((one) => getU32(one, 0) > owner);
      auxiliaries.splice(
        random.oneIn(4)
          ? random.below(auxiliaries.length + 1)
          : sorted < 0
          ? auxiliaries.length
          : sorted,
        0,
        made,
      );
      if (!random.oneIn(4)) followRuns(artifact);
      return true;
    },
  ),
  onAuxiliaries(
    "auxiliary-field",
    "one field of a record at and beyond what its target allows",
    breakField,
  ),
  onAuxiliaries(
    "auxiliary-kind",
    "another kind that a profile asks for, with a record for every tensor of it; one may be wrong",
    (artifact, random) => {
      const { quants, tensors, auxiliaries } = artifact;
      if (quants.length === 0) return false;
      const asking = quants.keys().filter((i) => quants[i][QUANT.auxiliary_mask[0]] !== 0)
        .toArray();
      const index = asking.length > 0 ? random.pick(asking) : random.below(quants.length);
      const kind = random.between(3, 5);
      const profile = quants[index];
      profile[QUANT.auxiliary_mask[0]] |= 1 << kind - 1;
      for (const [owner, { record: its }] of tensors.entries()) {
        if (getU16(its, TENSOR.quant_profile_index[0]) !== index) continue;
        const beside = auxiliaries.find((one) => getU32(one, AUXILIARY.owner[0]) === owner);
        const target = beside ? getU32(beside, AUXILIARY.target[0]) : random.below(tensors.length);
        auxiliaries.push(record(AUXILIARY, 32, { owner, kind, target, axis: -1 }));
      }
      auxiliaries.sort((a, b) =>
        getU32(a, AUXILIARY.owner[0]) - getU32(b, AUXILIARY.owner[0]) ||
        getU16(a, AUXILIARY.kind[0]) - getU16(b, AUXILIARY.kind[0])
      );
      followRuns(artifact);
      return random.oneIn(2) || breakField(artifact, random);
    },
  ),
  onAuxiliaries(
    "auxiliary-run",
    "runs shifted, shared, with a gap, or on a tensor without any",
    ({ tensors, auxiliaries }, random) => {
      const { record } = random.pick(tensors);
      const at = random.pick([TENSOR.auxiliary_first[0], TENSOR.auxiliary_count[0]]);
      putU32(
        record,
        at,
        random.pick([0, 1, 2, auxiliaries.length, getU32(record, at) + 1, 0xffffffff]),
      );
      return true;
    },
  ),
  onAuxiliaries(
    "auxiliary-follow",
    "records in another order, runs following",
    (artifact, random) => {
      const { auxiliaries } = artifact;
      if (auxiliaries.length < 2) return false;
      auxiliaries.push(...auxiliaries.splice(random.below(auxiliaries.length), 1));
      if (random.oneIn(2)) auxiliaries.sort((a, b) => getU32(a, 0) - getU32(b, 0));
      followRuns(artifact);
      return true;
    },
  ),
];
