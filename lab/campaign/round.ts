/** Rounds: a campaign in steps that do not depend on how many workers share the work. */
import type { Corpus } from "./corpus.ts";
import type { Plan } from "./slice.ts";

/** How a campaign is cut; part of what decides its inputs, so it is kept with its results. */
export interface Cut {
  readonly seed: number;
  /** slices of a round, and executions of a slice */
  readonly slices: number;
  readonly executions: number;
}

/**
 * The slices of a round. Seeds of the corpus are shared out in round 0; entries whose
 * deterministic stage is not done go round the slices.
 * @param left executions that the budget has left
 */
export function planRound(
  cut: Cut,
  round: number,
  corpus: Corpus,
  seeds: readonly Uint8Array[],
  left: number,
): Plan[] {
  const waiting = corpus.entries.flatMap(({ edits }, number) => edits >= 0 ? [number] : []);
  const mine = <T>(list: readonly T[], slice: number) =>
    list.filter((_, i) => i % cut.slices === slice);
  const plans: Plan[] = [];
  for (let slice = 0; slice < cut.slices; slice++) {
    const executions = Math.min(cut.executions, left - slice * cut.executions);
    if (executions <= 0) break;
    plans.push({
      seed: seedOf(cut.seed, round, slice),
      executions,
      inputs: round === 0 ? mine(seeds, slice) : [],
      deterministic: mine(waiting, slice),
      skip: [],
    });
  }
  return plans;
}

/** Another seed for each slice of each round: a mix of all three (SplitMix64's finalizer). */
function seedOf(seed: number, round: number, slice: number): number {
  let z = BigInt(seed) * 0x9e3779b97f4a7c15n + BigInt(round) * 0xd1b54a32d192ed03n + BigInt(slice);
  const mask = (1n << 64n) - 1n;
  z = (z & mask ^ (z & mask) >> 30n) * 0xbf58476d1ce4e5b9n & mask;
  z = (z ^ z >> 27n) * 0x94d049bb133111ebn & mask;
  return Number((z ^ z >> 31n) >> 11n);
}
