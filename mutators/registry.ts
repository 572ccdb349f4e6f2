/** Every mutator, by name; a new one goes into its family's list and is tried from then on. */
import { auxiliaries } from "./auxiliaries.ts";
import { blobs } from "./blobs.ts";
import { descriptors } from "./descriptors.ts";
import { encoding } from "./encoding.ts";
import { fields } from "./fields.ts";
import { havoc } from "./havoc.ts";
import { lanes } from "./lanes.ts";
import { meaning } from "./meaning.ts";
import type { Mutator } from "./mutator.ts";
import { payloads } from "./payloads.ts";
import { pieces } from "./pieces.ts";
import { programs } from "./programs.ts";
import { quants } from "./quants.ts";
import type { Random } from "./random.ts";
import { relations } from "./relations.ts";
import { sections } from "./sections.ts";
import { strings } from "./strings.ts";
import { sweeps } from "./sweeps.ts";
import { tensors } from "./tensors.ts";
import { windows } from "./windows.ts";

/**
 * The families, and how often each is tried: most cases shall get behind the manifest, so the
 * many ways of breaking it count together about as much as the records and payloads after it. In
 * artifacts of its `own` classes, of which it is the matter, a family is tried thrice as often.
 */
export const FAMILIES: readonly {
  readonly weight: number;
  readonly own?: readonly number[];
  readonly mutators: readonly Mutator[];
}[] = [
  { weight: 10, mutators: fields },
  { weight: 3, mutators: sections },
  { weight: 5, mutators: descriptors },
  { weight: 3, mutators: strings },
  { weight: 7, mutators: encoding },
  { weight: 8, own: [6, 9, 10, 11, 12, 13], mutators: meaning },
  { weight: 6, mutators: quants },
  { weight: 8, mutators: tensors },
  { weight: 5, mutators: auxiliaries },
  { weight: 6, mutators: payloads },
  { weight: 2, mutators: lanes },
  { weight: 11, own: [4, 8], mutators: blobs },
  { weight: 2, own: [7], mutators: pieces },
  { weight: 9, own: [3, 4, 5], mutators: programs },
  { weight: 5, mutators: sweeps },
  { weight: 3, own: [1, 6], mutators: relations },
  { weight: 2, mutators: windows },
  { weight: 3, mutators: havoc },
];

export const MUTATORS: readonly Mutator[] = FAMILIES.flatMap(({ mutators }) => mutators);

const OWN = 3;
const CLASSES = 14;

/** Each family as often as it weighs, by class; the last row is of what is no class. */
const TICKETS = Array.from(
  { length: CLASSES + 1 },
  (_, artifact_class) =>
    FAMILIES.flatMap(({ weight, own = [], mutators }) =>
      Array.from(
        { length: own.includes(artifact_class) ? OWN * weight : weight },
        () => mutators,
      )
    ),
);

/** What a repair undoes: where sections stand, what is between them, and hashes. */
export const anyUndone = (random: Random): Mutator => random.pick(random.pick([fields, sections]));

/** A mutator for artifacts of a class: its family by weight, in the family each alike. */
export const anyMutator = (random: Random, artifact_class: number): Mutator =>
  random.pick(random.pick(TICKETS[Math.min(artifact_class, CLASSES)]));
