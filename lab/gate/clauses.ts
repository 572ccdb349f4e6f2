/**
 * Sentences of the specification against what exercises them. A campaign reaches a sentence where
 * it met a verdict at the stage of one of that sentence's vectors; stage 27 stands for an accept,
 * which has passed stage 26.
 */
import { coverage, gaps } from "../../corpus/coverage.ts";
import { type Index, parseIndex } from "../../corpus/index.ts";
import type { Found } from "./record.ts";
import { ROOT } from "./standing.ts";

const ACCEPTED = 27;

export interface Clauses {
  readonly all: number;
  /** ids and sentences with no vector and no reason why not */
  readonly withoutVector: readonly string[];
  /** likewise, with vectors, none at a stage that the last campaign met; null: no campaign */
  readonly unreached: readonly string[] | null;
  /** in the list of sentences and not in the corpus, or the other way round */
  readonly strays: readonly string[];
}

/** Reads the clause list and the corpus of the working tree. */
export function clauses(campaign: Found, root = ROOT): Clauses {
  const list: Record<string, string> = JSON.parse(
    Deno.readTextFileSync(`${root}corpus/spec/clauses.json`),
  );
  const index = parseIndex(Deno.readTextFileSync(`${root}corpus/golden/index.json`));
  return clausesOf(list, index, "record" in campaign ? stagesMet(campaign.record.figures) : null);
}

/** @param met stages at which the campaign gave a verdict; null: there was none */
export function clausesOf(
  list: Readonly<Record<string, string>>,
  index: Index,
  met: ReadonlySet<number> | null,
): Clauses {
  const known = index.clauses ?? {};
  const stages = new Map<string, Set<number>>();
  for (const { clauses = [], expected, withdrawn } of index.entries) {
    if (withdrawn) continue;
    for (const id of clauses) {
      const at = expected.verdict === "reject" ? expected.stage : ACCEPTED;
      stages.set(id, (stages.get(id) ?? new Set()).add(at));
    }
  }
  const part = coverage(index).filter(({ name }) => name === "clauses");
  const unreached = met && [...stages].filter(([, at]) => at.isDisjointFrom(met))
    .map(([id]) => `${id} ${known[id]}`);
  return {
    all: Object.keys(list).length,
    withoutVector: gaps(part).uncovered,
    unreached,
    strays: [
      ...Object.keys(list).filter((id) => known[id] !== list[id]),
      ...Object.keys(known).filter((id) => !Object.hasOwn(list, id)),
    ],
  };
}

/** The figures `stage-N` of a campaign's record. */
function stagesMet(figures: Readonly<Record<string, number>>): Set<number> {
  const met = Object.entries(figures).flatMap(([name, count]) => {
    const stage = /^stage-(\d+)$/.exec(name)?.[1];
    return stage !== undefined && count > 0 ? [Number(stage)] : [];
  });
  return new Set(met);
}
