/**
 * The corpus of a campaign and what is known by it. It grows by the reports of slices, in their
 * order; main thread and workers each hold one, and after the same reports it is the same.
 */
import { Coverage, type Feature, type Seen } from "./coverage.ts";
import type { InputFile, Place } from "./input_file.ts";
import type { Report } from "./plan.ts";
import { Tokens } from "./tokens.ts";

/** An input that is kept, and what is known of it. */
export interface Entry {
  /** read anew each time where a file holds it */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** what it shows; nothing where that is kept elsewhere */
  features: Uint32Array;
  /** steps from a seed */
  readonly depth: number;
  /** the stage that it reaches; 0 where stages are none */
  readonly stage: number;
  /** of loops, when it was kept; 0 where they are not counted */
  readonly steps: number;
  /** edits of its deterministic stage that are done; -1: all */
  edits: number;
  /** executions spent on it, and entries that came of them */
  spent: number;
  finds: number;
}

/** What is known of an input beside what it is and shows. */
type Known = Pick<Entry, "depth" | "stage" | "steps" | "edits" | "spent" | "finds">;

const knownOf = ({ depth, stage, steps, edits, spent, finds }: Entry): Known => {
  return { depth, stage, steps, edits, spent, finds };
};

/** What a worker learns of a corpus: what it has beyond what the worker knows. */
export interface Changes {
  readonly entries: readonly (Known & { readonly place: Place })[];
  /** entries that were worked on: number, edits, spent and finds as they are now */
  readonly work: readonly (readonly [number, number, number, number])[];
  readonly seen: Seen;
  readonly tokens: readonly Uint8Array[];
}

const NO_FEATURES = new Uint32Array(0);

/** An entry whose input stands in a file. */
const filed = (known: Known, features: Uint32Array, place: Place, file: InputFile): Entry => ({
  ...known,
  features,
  length: place.length,
  get bytes() {
    return file.read(place);
  },
});

export class Corpus {
  readonly entries: Entry[] = [];
  readonly seen: Coverage;
  readonly tokens = new Tokens();
  #forgotten = 0;
  #file: InputFile | null = null;
  /** where the inputs stand in it, by number */
  readonly #places: Place[] = [];

  /** @param counters how many the build has */
  constructor(counters: number, dictionary: readonly Uint8Array[] = []) {
    this.seen = new Coverage(new Uint8Array(counters));
    for (const token of dictionary) this.tokens.add(token);
  }

  /** From now on all its inputs stand in `file`, to which nobody else adds. */
  keepIn(file: InputFile): void {
    this.#file = file;
    for (const entry of this.entries.splice(0)) this.#put(entry);
  }

  #put(entry: Entry): void {
    const { bytes, features } = entry;
    if (this.#file !== null) {
      const place = this.#file.add(bytes);
      this.#places.push(place);
      this.entries.push(filed(knownOf(entry), features, place, this.#file));
      return;
    }
    const view = bytes.buffer.byteLength > bytes.length; // would keep the message it came in
    this.entries.push(view ? { ...entry, bytes: bytes.slice() } : entry);
  }

  /**
   * What is to be told to a worker, which reads the same file.
   * @param entries how many it knows
   * @param tokens how many of these
   * @param touched numbers of entries that were worked on since
   */
  changes(entries: number, tokens: number, touched: Iterable<number>): Changes {
    return {
      entries: this.#places.slice(entries).map((place, i) => {
        return { ...knownOf(this.entries[entries + i]), place };
      }),
      work: [...touched].map((number) => {
        const { edits, spent, finds } = this.entries[number];
        return [number, edits, spent, finds] as const;
      }),
      seen: this.seen.state(),
      tokens: this.tokens.list.slice(tokens),
    };
  }

  /** Lets go of what single entries show, once that is kept: thousands of numbers each. */
  forgetFeatures(): void {
    for (; this.#forgotten < this.entries.length; this.#forgotten++) {
      this.entries[this.#forgotten].features = NO_FEATURES;
    }
  }

  /** Takes over changes; its own entries have no features then, and their inputs stay in the file. */
  take({ entries, work, seen, tokens }: Changes, file: InputFile): void {
    for (const { place, ...known } of entries) {
      this.entries.push(filed(known, NO_FEATURES, place, file));
    }
    for (const [number, edits, spent, finds] of work) {
      Object.assign(this.entries[number], { edits, spent, finds });
    }
    this.seen.take(seen);
    for (const token of tokens) this.tokens.add(token.slice());
  }

  /** Takes an entry if it shows something that the corpus did not. */
  add(entry: Entry): boolean {
    const fresh = this.seen.add(entry.features);
    if (fresh) this.#put(entry);
    return fresh;
  }

  /** Takes over what a slice found. @returns the entries that were new to the corpus as well */
  merge(report: Report): Entry[] {
    for (const [number, edits, spent, finds] of report.work) {
      const entry = this.entries[number];
      entry.edits = edits;
      entry.spent += spent;
      entry.finds += finds;
    }
    for (const token of report.tokens) this.tokens.add(token.slice());
    return report.entries.filter((entry) => this.add(entry));
  }
}

/**
 * A small part of `entries` that shows all that they show together: greedy, the shortest input
 * for each feature first.
 */
export function distill(entries: readonly Entry[]): Entry[] {
  const shortest = new Map<Feature, Entry>();
  for (const entry of entries) {
    for (const feature of entry.features) {
      const best = shortest.get(feature);
      if (!best || entry.length < best.length) shortest.set(feature, entry);
    }
  }
  const shown = new Set<Feature>();
  const kept = new Set<Entry>();
  const rarestFirst = [...shortest].sort(([a], [b]) => b - a);
  for (const [feature, entry] of rarestFirst) {
    if (shown.has(feature)) continue;
    kept.add(entry);
    for (const one of entry.features) shown.add(one);
  }
  return entries.filter((entry) => kept.has(entry));
}
