/** Rounds: a campaign in steps that do not depend on how many workers share the work. */
import type { Corpus } from "./corpus.ts";
import type { Plan } from "./plan.ts";

/** How a campaign is cut; part of what decides its inputs, so it is kept with its results. */
export interface Cut {
  readonly seed: number;
  /** slices of a round, and executions of a slice */
  readonly slices: number;
  readonly executions: number;
  /** executions of a slice of the first round, twice as many in each after it; absent: as in all */
  readonly first?: number;
}

/**
 * The slices of a round. Seeds are shared out, as many as it has executions; entries whose
 * deterministic stage is not done go round the slices. The first rounds are short, so that a short
 * campaign keeps what it saw: a round counts only when it is whole.
 * @param seeds those that were not executed yet
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
  const { executions: most, first = most } = cut;
  const each = Math.min(most, first * 2 ** round);
  const plans: Plan[] = [];
  for (let slice = 0; slice < cut.slices && left > 0; slice++) {
    const executions = Math.min(each, left);
    left -= executions;
    plans.push({
      seed: seedOf(cut.seed, round, slice),
      executions,
      inputs: mine(seeds, slice).slice(0, executions),
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
