/**
 * One case of a campaign: a few mutators in a row, and a repair level chosen apart from them; of a
 * request, one of its artifacts so, or what it asks.
 */
import { HEADER } from "../corpus/writer/fields.ts";
import type { Random } from "./random.ts";
import { anyMutator, anyUndone } from "./registry.ts";
import { chooseRepair, type Repair, repair } from "./repair.ts";
import { isRequest } from "./request.ts";
import { breakRequest, wrapped } from "./requests/mod.ts";

export interface Mutant {
  readonly bytes: Uint8Array;
  /** the mutators that did something, in order */
  readonly by: readonly string[];
  readonly repair: Repair;
}

/** Tries until a mutator has something to do; many fit only some classes. */
const TRIES = 16;
/** Bytes of a mutant where nobody says: one text of a window beyond half a mebibyte has room. */
const MOST_BYTES = 9 << 16;
/** Stacked at most. */
const MOST = 4;
/**
 * Of the artifacts that are broken more than once, one in so many is so once more behind its repair: a
 * fault that a repair undoes meets those of later stages, and shows the order of checks.
 */
const BEHIND_IN = 4;
/** One artifact in so many becomes a request that asks about it. */
const WRAPPED = 48;
/** Where the low byte of the class stands. */
const [CLASS] = HEADER.artifact_class;
const NOTHING = new Uint8Array(0);

/**
 * Breaks `input`, an artifact or a request; artifacts grow to at most `most` bytes. A function of its
 * arguments and of the state of `random` alone.
 */
export function mutate(
  input: Uint8Array,
  random: Random,
  other: Uint8Array = NOTHING,
  most = MOST_BYTES,
): Mutant {
  const broken = isRequest(input)
    ? breakRequest(input, random, other, (file, donor) => mutateArtifact(file, random, donor, most))
    : random.oneIn(WRAPPED)
    ? wrapped(input, random, other)
    : null;
  if (broken !== null) return { ...broken, repair: "raw" };
  return mutateArtifact(input, random, other, most);
}

/**
 * Breaks an artifact: mostly once, with chance 2^-n n times more, some of them behind the repair. What
 * would grow past `most` bytes is not done. A function of its arguments and of the state of `random`
 * alone.
 */
export function mutateArtifact(
  input: Uint8Array,
  random: Random,
  other: Uint8Array = NOTHING,
  most = MOST_BYTES,
): Mutant {
  const by: string[] = [];
  let bytes = input;
  const stacked = 1 + random.small(MOST - 1);
  for (let left = stacked, tries = 0; left > 0 && tries < TRIES; tries++) {
    const mutator = anyMutator(random, bytes[CLASS] ?? 0);
    const next = mutator.mutate(bytes, random, other);
    if (next === null || next.length > most) continue;
    by.push(mutator.name);
    bytes = next;
    left--;
  }
  const level = chooseRepair(random);
  const repaired = repair(bytes, level, input);
  if (repaired.length > most) return { bytes, by, repair: "raw" };
  if (stacked === 1 || !random.oneIn(BEHIND_IN)) return { bytes: repaired, by, repair: level };
  const behind = anyUndone(random);
  const last = behind.mutate(repaired, random, other);
  if (last === null || last.length > most) return { bytes: repaired, by, repair: level };
  return { bytes: last, by: [...by, behind.name], repair: level };
}
