/** One case of a campaign: a few mutators in a row, and a repair level chosen apart from them. */
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";
import { anyMutator } from "./registry.ts";
import { chooseRepair, type Repair, repair } from "./repair.ts";

export interface Mutant {
  readonly bytes: Uint8Array;
  /** the mutators that did something, in order */
  readonly by: readonly string[];
  readonly repair: Repair;
}

/** Tries until a mutator has something to do; many fit only some classes. */
const TRIES = 16;
/** A mutant that grew past this is thrown away: large files are a campaign of their own. */
const MOST_BYTES = 1 << 20;
/** Stacked at most. */
const MOST = 4;

/**
 * Breaks `input`: mostly once, with chance 2^-n n times more. A function of its arguments and of
 * the state of `random` alone.
 */
export function mutate(
  input: Uint8Array,
  random: Random,
  other?: Uint8Array,
  choose: (random: Random) => Mutator = anyMutator,
): Mutant {
  const by: string[] = [];
  let bytes = input;
  for (let left = 1 + random.small(MOST - 1), tries = 0; left > 0 && tries < TRIES; tries++) {
    const mutator = choose(random);
    const next = mutator.mutate(bytes, random, other);
    if (next === null || next.length > MOST_BYTES) continue;
    by.push(mutator.name);
    bytes = next;
    left--;
  }
  const level = chooseRepair(random);
  return { bytes: repair(bytes, level, input), by, repair: level };
}
