/**
 * The power schedule: which entry gets the next turn. Entries that are the shortest to show
 * something, that led on, or that are new get more; what was spent without a find counts against.
 */
import type { Random } from "../../mutators/random.ts";
import type { Entry } from "./corpus.ts";

/** Of the turns, one in so many goes to what was found last. */
const NEWEST_IN = 3;
const NEWEST = 8;

/**
 * What an entry is worth by the stage that it reaches (slm2.md section 8): its mutants seldom get
 * further. Headers are nearly done with by the seeds; tables and payload are where most is to find.
 */
const REACH: readonly number[] = Array.from({ length: 33 }, (_, stage) => {
  if (stage === 0) return 1; // a subject without stages, or a throw
  return stage < 17 ? 0.25 : stage < 20 ? 0.5 : stage < 26 ? 1 : 3;
});

/** How much an entry is worth for where it gets. */
export const reachOf = ({ stage }: Entry): number => REACH[stage];

export class Schedule {
  /** running sums of the entries' weights */
  readonly #sums: Float64Array;

  constructor(private readonly corpus: readonly Entry[]) {
    this.#sums = new Float64Array(corpus.length);
    let sum = 0;
    corpus.forEach((entry, i) => this.#sums[i] = sum += weightOf(entry));
  }

  /**
   * @param fresh what this slice has found
   * @returns an entry's number; from the corpus' length on, one of `fresh`
   */
  pick(random: Random, fresh: readonly Entry[]): number {
    const known = this.corpus.length;
    const all = known + fresh.length;
    if (all === 0) return 0;
    if (random.oneIn(NEWEST_IN)) {
      const newest = all - 1 - random.below(Math.min(NEWEST, all));
      const entry = newest < known ? this.corpus[newest] : fresh[newest - known];
      if (random.u32() / 2 ** 32 < reachOf(entry)) return newest;
    }
    if (random.below(all) >= known) return known + random.below(fresh.length);
    const wanted = random.u32() / 2 ** 32 * this.#sums[known - 1];
    let low = 0, high = known - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#sums[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function weightOf(entry: Entry): number {
  const { spent, finds, bytes } = entry;
  const yielding = (1 + 4 * finds) / (1 + Math.log2(1 + spent / 64));
  return yielding * reachOf(entry) / (1 + bytes.length / 2048);
}
