/** A finding as a report shows it: both verdicts, the bytes, the sentences that decide. */
import type { Index } from "../../corpus/index.ts";
import type { Reader } from "../../readers/contract.ts";
import type { FindingView } from "../../reports/nightly/model.ts";
import { fullLine } from "../conform/judge.ts";
import { inputOf } from "../gate/findings.ts";
import { compare } from "../oracle/verdicts.ts";
import { inProcess } from "../testee/inprocess.ts";
import { askOfInput, describeAsk } from "../testee/input.ts";
import type { Outcome } from "../testee/testee.ts";
import type { Triaged } from "../triage/look.ts";
import { hexRows } from "./hex.ts";
import { artifactIn, type Parents } from "./parent.ts";

/** Sentences shown of a finding. */
const SENTENCES = 4;

/** Bytes of an input that is read again for a view. */
const MOST_INPUT = 1 << 20;

/** Classes whose input can be read in this process: others hang it, or fill its memory. */
const SAFE: ReadonlySet<string> = new Set(["crash", "protocol", "disagreement"]);

export async function viewOf(
  one: Triaged,
  readers: readonly Reader[],
  index: Index,
  parents: Parents,
): Promise<FindingView> {
  const { name, class: kind, key, detail, state, entry } = one;
  const input = inputOf(one) ?? new Uint8Array();
  const small = input.length > 0 && input.length <= MOST_INPUT;
  const answers = small && SAFE.has(kind) ? await verdictsOf(input, readers) : [];
  const outcomes = answers.map(({ outcome }) => outcome);
  const faults = outcomes.flatMap((outcome) =>
    outcome.verdict === "reject" && outcome.offset !== undefined ? [outcome.offset] : []
  );
  const bytes = artifactIn(input).subarray(0, MOST_INPUT);
  const parent = small ? parents.nearest(bytes) : null;
  const { rows, more } = hexRows(bytes, faults, parent?.bytes);
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
    replay: `deno task lab replay ${quoted(one.folder)}`,
    asked: askedIn(input, bytes),
    size: bytes.length,
    verdicts: answers.map(({ reader, outcome }) => ({ reader, result: fullLine(outcome) })),
    fields: compared?.result === "disagree" ? compared.fields : [],
    sentences: sentencesOf(one, outcomes, index),
    parent: parent?.name ?? "",
    rows,
    moreRows: more,
  };
}

/** What an input gets now, reader by reader. */
async function verdictsOf(input: Uint8Array, readers: readonly Reader[]) {
  const ask = askOfInput(input), answers = [];
  for (const reader of ask === null ? [] : readers) {
    const outcome = await inProcess(reader).ask(ask!);
    answers.push({ reader: reader.name, outcome });
  }
  return answers;
}

/** What a request asks beyond "read this artifact"; empty for an artifact alone. */
function askedIn(input: Uint8Array, artifact: Uint8Array): string {
  const ask = input.length === artifact.length ? null : askOfInput(input);
  return ask === null ? "" : describeAsk(ask);
}

/** A path as one word of a shell. */
const quoted = (path: string) =>
  /^[\w./@:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

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
