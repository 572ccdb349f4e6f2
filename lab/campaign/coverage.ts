/**
 * What has been seen: for each counter the buckets of counts, and the outcomes. An input is kept
 * when it shows a bucket or an outcome that none before it showed.
 */

/** AFL's eight buckets of a count as bits: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128-255. */
const BUCKET = Uint8Array.from({ length: 256 }, (_, n) => {
  if (n < 4) return n === 0 ? 0 : 1 << (n - 1);
  return n < 8 ? 8 : n < 16 ? 16 : n < 32 ? 32 : n < 128 ? 64 : 128;
});

/** A counter in one bucket: `counter * 256 + bit`; an outcome: `OUTCOME + number`. */
export type Feature = number;
const OUTCOME = 2 ** 31;
/** A cost at a stage, as large as `level`: `PEAK + slot * 256 + level`. Every lower level is known with it. */
const PEAK = 2 ** 30;
const PEAKS = 1 << 12;

/**
 * How far a cost for each byte of an input has risen, as a feature: an input that costs a fifth more
 * than all before it is kept, so loops that grow with their input are climbed.
 * @param slot which cost, at which stage
 */
export function peakOf(slot: number, cost: number, bytes: number): Feature {
  const level = Math.min(255, Math.floor(4 * Math.log2(1 + cost / (bytes + 64))));
  return PEAK + slot * 256 + level;
}

const PATHS = 1 << 15;
const slotOf = (hash: number) => (hash ^ hash >>> 16) & (PATHS - 1);

/** What has been seen, as it is told to another process. */
export interface Seen {
  readonly counters: Uint8Array;
  readonly outcomes: readonly number[];
  readonly peaks: Uint8Array;
}

export class Coverage {
  readonly #counters: Uint8Array;
  readonly #words: Uint32Array;
  /** per counter, the bits of the buckets that were seen */
  readonly #seen: Uint8Array;
  readonly #outcomes = new Set<number>();
  /** per cost and stage, one more than the highest level that was seen */
  readonly #peaks = new Uint8Array(PEAKS);
  /** hashes of whole paths known to hold nothing new: most executions end here */
  readonly #paths = new Int32Array(PATHS);
  #hash = 0;

  /** @param counters of the build; a multiple of 8 */
  constructor(counters: Uint8Array) {
    this.#counters = counters;
    this.#words = new Uint32Array(counters.buffer, counters.byteOffset, counters.length / 4);
    this.#seen = new Uint8Array(counters.length);
  }

  /** Before each execution. */
  clear(): void {
    this.#words.fill(0);
  }

  /**
   * After each execution: whether its path shows what was never seen.
   * @param peaks features of what it cost
   */
  fresh(outcome: number, peaks: readonly Feature[] = []): boolean {
    this.#hash = this.#hashOf(outcome);
    if (peaks.some((peak) => this.#rises(peak))) return true;
    return this.#paths[slotOf(this.#hash)] !== this.#hash && this.#unseen(outcome);
  }

  #rises(peak: Feature): boolean {
    return peak % 256 >= this.#peaks[Math.floor((peak - PEAK) / 256)];
  }

  /**
   * After an input that was fresh was executed once more: takes over what it shows. Code that keeps
   * windows and caches goes other ways the first time; only what comes again counts.
   */
  confirm(
    outcome: number,
    peaks: readonly Feature[] = [],
  ): { fresh: boolean; features: Uint32Array } {
    const features = this.#features(outcome, peaks);
    const hash = this.#hashOf(outcome);
    if (hash === this.#hash) this.#paths[slotOf(hash)] = hash;
    return { fresh: this.add(features), features };
  }

  #hashOf(outcome: number): number {
    const words = this.#words;
    let hash = outcome | 0;
    for (let i = 0; i < words.length; i++) {
      const word = words[i];
      if (word !== 0) hash = Math.imul(hash ^ word, 0x9e3779b1) + i ^ hash >>> 15;
    }
    return hash | 0;
  }

  #unseen(outcome: number): boolean {
    if (!this.#outcomes.has(outcome)) return true;
    const counters = this.#counters;
    const seen = this.#seen;
    for (let i = 0; i < counters.length; i++) {
      if ((BUCKET[counters[i]] & ~seen[i]) !== 0) return true;
    }
    this.#paths[slotOf(this.#hash)] = this.#hash;
    return false;
  }

  /** Everything that the last execution showed, in ascending order. */
  #features(outcome: number, peaks: readonly Feature[]): Uint32Array {
    const found: Feature[] = [];
    for (let i = 0; i < this.#counters.length; i++) {
      if (this.#counters[i] !== 0) found.push(i * 256 + BUCKET[this.#counters[i]]);
    }
    found.push(...peaks, OUTCOME + outcome);
    return Uint32Array.from(found);
  }

  /** Counts `features` as seen; whether one of them was not. */
  add(features: Iterable<Feature>): boolean {
    let fresh = false;
    for (const feature of features) {
      if (feature >= OUTCOME) {
        fresh = !this.#outcomes.has(feature - OUTCOME) || fresh;
        this.#outcomes.add(feature - OUTCOME);
      } else if (feature >= PEAK) {
        if (!this.#rises(feature)) continue;
        fresh = true;
        this.#peaks[Math.floor((feature - PEAK) / 256)] = feature % 256 + 1;
      } else {
        const counter = Math.floor(feature / 256);
        const bit = feature % 256;
        fresh = (this.#seen[counter] & bit) === 0 || fresh;
        this.#seen[counter] |= bit;
      }
    }
    return fresh;
  }

  state(): Seen {
    return { counters: this.#seen, outcomes: [...this.#outcomes], peaks: this.#peaks };
  }

  /** Forgets all and takes over what another has seen. */
  take({ counters, outcomes, peaks }: Seen): void {
    this.#seen.set(counters);
    this.#peaks.set(peaks);
    this.#outcomes.clear();
    for (const outcome of outcomes) this.#outcomes.add(outcome);
    this.#paths.fill(0);
  }

  /** How many counters were ever raised. */
  get edges(): number {
    let count = 0;
    for (const bits of this.#seen) if (bits !== 0) count++;
    return count;
  }
}
