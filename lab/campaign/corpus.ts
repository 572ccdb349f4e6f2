/**
 * The corpus of a campaign and what is known by it. It grows by the reports of slices, in their
 * order; main thread and workers each hold one, and after the same reports it is the same.
 */
import { Coverage, type Feature, type Seen } from "./coverage.ts";
import type { Report } from "./slice.ts";
import { Tokens } from "./tokens.ts";

/** An input that is kept, and what is known of it. */
export interface Entry {
  readonly bytes: Uint8Array;
  readonly features: Uint32Array;
  /** steps from a seed */
  readonly depth: number;
  /** the stage that it reaches; 0 where stages are none */
  readonly stage: number;
  /** edits of its deterministic stage that are done; -1: all */
  edits: number;
  /** executions spent on it, and entries that came of them */
  spent: number;
  finds: number;
}

/** A corpus as it is told to a worker that begins. */
export interface Snapshot {
  readonly entries: readonly Omit<Entry, "features">[];
  readonly seen: Seen;
  readonly tokens: readonly Uint8Array[];
}

const NO_FEATURES = new Uint32Array(0);

export class Corpus {
  readonly entries: Entry[] = [];
  readonly seen: Coverage;
  readonly tokens = new Tokens();
  readonly #features: boolean;

  /**
   * @param counters how many the build has
   * @param options whether entries keep their features, which are most of their size
   */
  constructor(
    counters: number,
    options: { readonly dictionary?: readonly Uint8Array[]; readonly features?: boolean } = {},
  ) {
    this.seen = new Coverage(new Uint8Array(counters));
    this.#features = options.features ?? true;
    for (const token of options.dictionary ?? []) this.tokens.add(token);
  }

  /** All that a worker has to know of it. */
  snapshot(): Snapshot {
    const entries = this.entries.map(({ features: _, ...entry }) => entry);
    return { entries, seen: this.seen.state(), tokens: this.tokens.list };
  }

  /** Takes over a snapshot, into an empty corpus. */
  restore({ entries, seen, tokens }: Snapshot): void {
    for (const entry of entries) {
      this.entries.push({ ...entry, bytes: entry.bytes.slice(), features: NO_FEATURES });
    }
    this.seen.take(seen);
    for (const token of tokens) this.tokens.add(token.slice());
  }

  /** Takes an entry if it shows something that the corpus did not. */
  add(entry: Entry): boolean {
    const fresh = this.seen.add(entry.features);
    if (!fresh) return false;
    const { bytes } = entry;
    const view = bytes.buffer.byteLength > bytes.length; // would keep the message it came in
    this.entries.push(
      this.#features && !view ? entry : {
        ...entry,
        bytes: bytes.slice(),
        features: this.#features ? entry.features : NO_FEATURES,
      },
    );
    return true;
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
      if (!best || entry.bytes.length < best.bytes.length) shortest.set(feature, entry);
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
