/** A finding as a report shows it: both verdicts, the bytes, the sentences that decide. */
import type { Index } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import type { FindingView } from "../../reports/nightly/model.ts";
import { fullLine } from "../conform/judge.ts";
import { inputOf, verdictsNow } from "../gate/findings.ts";
import { compare } from "../oracle/verdicts.ts";
import type { Outcome } from "../testee/testee.ts";
import type { Triaged } from "../triage/look.ts";
import { hexRows } from "./hex.ts";
import type { Parents } from "./parent.ts";

/** Sentences shown of a finding. */
const SENTENCES = 4;

/** Bytes of an input that is read again for a view. */
const MOST_INPUT = 1 << 20;

export async function viewOf(
  one: Triaged,
  readers: readonly Reader[],
  index: Index,
  parents: Parents,
): Promise<FindingView> {
  const { name, class: kind, key, detail, state, entry, replay } = one;
  const input = inputOf(one);
  const small = input !== null && input.length <= MOST_INPUT;
  // what hangs or fills the memory would do so here
  const safe = kind === "disagreement" || kind === "crash" || kind === "protocol";
  const answers = small && safe ? await verdictsNow(input, readers) : [];
  const outcomes = answers.map(({ outcome }) => outcome);
  const marks = outcomes.flatMap((outcome) =>
    outcome.verdict === "reject" && outcome.offset !== undefined ? [outcome.offset] : []
  );
  const parent = small ? parents.of(one.folder, input) : null;
  const shown = input?.subarray(0, MOST_INPUT) ?? new Uint8Array();
  const { rows, more } = hexRows(shown, marks, parent?.bytes);
  const [first, second] = outcomes;
  const compared = second && compare({ outcome: first }, { outcome: second });
  return {
    name,
    class: kind,
    key,
    detail,
    state,
    note: [entry.status, entry.note, entry.expected && "expected"].filter(Boolean).join("; "),
    firstSeen: entry.first_seen,
    replay: replay || `deno task lab verify ${one.folder}/input.slm`,
    size: input?.length ?? 0,
    verdicts: answers.map(({ reader, outcome }) => ({ reader, result: fullLine(outcome) })),
    fields: compared?.result === "disagree" ? compared.fields : [],
    sentences: sentencesOf(one, outcomes, index),
    parent: parent?.name ?? "",
    rows,
    moreRows: more,
  };
}

/** The sentence that the oracle named, or those that the verdicts stand on. */
function sentencesOf({ clause }: Triaged, outcomes: readonly Outcome[], index: Index): string[] {
  const text = Object.hasOwn(index.clauses ?? {}, clause) ? index.clauses?.[clause] : undefined;
  const others = sentencesFor(outcomes, index);
  if (text === undefined) return others;
  return [...new Set([`${clause}: ${text}`, ...others])].slice(0, SENTENCES);
}

/**
 * The sentences that most vectors with one of these rejections exercise: stage and code first,
 * since they say which check decided.
 */
export function sentencesFor(outcomes: readonly Outcome[], { entries, clauses = {} }: Index) {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome.verdict !== "reject") continue;
    for (const { expected, clauses: cited = [] } of entries) {
      if (expected.verdict !== "reject" || expected.stage !== outcome.stage) continue;
      if (expected.code !== outcome.code) continue;
      const weight = expected.section === outcome.section ? 2 : 1;
      for (const id of cited) counts.set(id, (counts.get(id) ?? 0) + weight);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, SENTENCES)
    .map(([id]) => `${id}: ${clauses[id]}`);
}
