/**
 * The power schedule: which entry gets the next turn. Entries that are the shortest to show
 * something, that led on, or that are new get more; what was spent without a find counts against.
 */
import type { Random } from "../../mutators/random.ts";
import type { Entry } from "./corpus.ts";

/** Of the turns, one in so many goes to what was found last. */
const NEWEST_IN = 3;
const NEWEST = 8;

export class Schedule {
  /** running sums of the entries' weights */
  readonly #sums: Float64Array;

  constructor(corpus: readonly Entry[]) {
    this.#sums = new Float64Array(corpus.length);
    let sum = 0;
    corpus.forEach((entry, i) => this.#sums[i] = sum += weightOf(entry));
  }

  /** @returns an entry's number; from the corpus' length on, one of the `fresh` of this slice */
  pick(random: Random, fresh: number): number {
    const known = this.#sums.length;
    const all = known + fresh;
    if (all === 0) return 0;
    if (random.oneIn(NEWEST_IN)) return all - 1 - random.below(Math.min(NEWEST, all));
    if (random.below(all) >= known) return known + random.below(fresh);
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

function weightOf({ spent, finds, bytes }: Entry): number {
  return (1 + 4 * finds) / (1 + Math.log2(1 + spent / 64)) / (1 + bytes.length / 4096);
}
