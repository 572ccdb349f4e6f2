/**
 * The power schedule: which entry gets the next turn. Entries that are the shortest to show
 * something, that led on, or that are new get more; what was spent without a find counts against.
 */
import type { Random } from "../../mutators/random.ts";
import type { Entry } from "./corpus.ts";

/** Of the turns, one in so many goes to what was found last. */
const NEWEST_IN = 4;
const NEWEST = 8;

/**
 * Of the others, one in so many goes to what the campaign began with, of each sort as often: it is
 * whole, and of some sorts there are few.
 */
const SEED_IN = 3;

/** Of all turns and edits, one in so many goes to inputs that stand beside the point. */
export const ASIDE_IN = 8;

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

/**
 * Steps of loops that count as one execution: what takes longer gets as many turns less (AFL weighs
 * by time, which is another on each machine). Without it one execution in fifty is two fifths of all
 * time, for what costs much is kept because it does.
 */
export const STEPS = 8192;

/** Of its turns, what an entry keeps for what its mutants cost, as it does. */
const thriftOf = ({ steps }: Entry): number => Math.min(1, STEPS / steps);

/** Entries by their numbers: those of the corpus, and from its length on the fresh ones of a slice. */
export class Schedule {
  readonly #main: Lane;
  readonly #aside: Lane;

  /**
   * @param aside whether an entry stands beside the point; absent: none does
   * @param sort what an entry is, in a word; absent: all are of one sort
   */
  constructor(
    corpus: readonly Entry[],
    private readonly aside: (entry: Entry) => boolean = () => false,
    sort: (entry: Entry) => string = () => "",
  ) {
    [this.#main, this.#aside] = [new Lane(sort), new Lane(sort)];
    corpus.forEach((entry, number) => this.#laneOf(entry).know(entry, number));
  }

  /** Takes up what the slice has found. */
  add(entry: Entry, number: number): void {
    this.#laneOf(entry).add(entry, number);
  }

  /** @returns the number of an entry; null where there is none */
  pick(random: Random): number | null {
    const lanes = random.oneIn(ASIDE_IN) ? [this.#aside, this.#main] : [this.#main, this.#aside];
    return lanes[0].pick(random) ?? lanes[1].pick(random);
  }

  #laneOf(entry: Entry): Lane {
    return this.aside(entry) ? this.#aside : this.#main;
  }
}

/** Entries that compete with one another. */
class Lane {
  readonly #entries: Entry[] = [];
  readonly #numbers: number[] = [];
  /** the numbers of the entries of each sort, by its name and in order */
  readonly #sorts = new Map<string, number[]>();
  readonly #alike: number[][] = [];
  /** running sums of weights, of the corpus' entries alone */
  readonly #sums: number[] = [];

  constructor(private readonly sort: (entry: Entry) => string) {}

  know(entry: Entry, number: number): void {
    this.add(entry, number);
    this.#sums.push((this.#sums.at(-1) ?? 0) + weightOf(entry));
    if (entry.depth > 0) return;
    const sort = this.sort(entry);
    let alike = this.#sorts.get(sort);
    if (alike === undefined) {
      this.#sorts.set(sort, alike = []);
      this.#alike.push(alike);
    }
    alike.push(number);
  }

  add(entry: Entry, number: number): void {
    this.#entries.push(entry);
    this.#numbers.push(number);
  }

  pick(random: Random): number | null {
    const all = this.#numbers.length, known = this.#sums.length;
    if (all === 0) return null;
    if (random.oneIn(NEWEST_IN)) {
      const newest = all - 1 - random.below(Math.min(NEWEST, all));
      const entry = this.#entries[newest];
      if (random.u32() / 2 ** 32 < reachOf(entry) * thriftOf(entry)) return this.#numbers[newest];
    }
    if (this.#alike.length > 0 && random.oneIn(SEED_IN)) {
      return random.pick(random.pick(this.#alike));
    }
    if (random.below(all) >= known) return this.#numbers[known + random.below(all - known)];
    const wanted = random.u32() / 2 ** 32 * this.#sums[known - 1];
    let low = 0, high = known - 1;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#sums[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return this.#numbers[low];
  }
}

function weightOf(entry: Entry): number {
  const { spent, finds, length } = entry;
  const yielding = (1 + 4 * finds) / (1 + Math.log2(1 + spent / 64));
  return yielding * reachOf(entry) * thriftOf(entry) / (1 + length / 2048);
}
