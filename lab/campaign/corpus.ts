/**
 * The corpus of a campaign and what is known by it. It grows by the reports of slices, in their
 * order; main thread and workers each hold one, and after the same reports it is the same.
 */
import { Coverage, type Feature } from "./coverage.ts";
import type { Report } from "./slice.ts";
import { Tokens } from "./tokens.ts";

/** An input that is kept, and what is known of it. */
export interface Entry {
  readonly bytes: Uint8Array;
  readonly features: Uint32Array;
  /** steps from a seed */
  readonly depth: number;
  /** edits of its deterministic stage that are done; -1: all */
  edits: number;
  /** executions spent on it, and entries that came of them */
  spent: number;
  finds: number;
}

export class Corpus {
  readonly entries: Entry[] = [];
  readonly seen: Coverage;
  readonly tokens = new Tokens();

  /** @param counters how many the build has */
  constructor(counters: number, dictionary: readonly Uint8Array[] = []) {
    this.seen = new Coverage(new Uint8Array(counters));
    for (const token of dictionary) this.tokens.add(token);
  }

  /** Takes an entry if it shows something that the corpus did not. */
  add(entry: Entry): boolean {
    const fresh = this.seen.add(entry.features);
    if (fresh) this.entries.push(entry);
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
    for (const token of report.tokens) this.tokens.add(token);
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
