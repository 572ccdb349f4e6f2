/** A finished run as the model that `reports/conformance` draws. */
import { type Entry, groupOf, type Index } from "../../corpus/index.ts";
import type {
  CaseResult,
  CaseText,
  Contradiction,
  Report,
  TesteeReport,
} from "../../reports/conformance/model.ts";
import { compare } from "../oracle/verdicts.ts";
import type { Outcome, TesteeInfo } from "../testee/testee.ts";
import { fullLine, isAsked, judge, notAsked, resultLine } from "./judge.ts";
import type { KnownList } from "./known.ts";

/** What one testee did, before it is judged. */
export interface TesteeRun {
  readonly info: TesteeInfo;
  readonly notes: readonly string[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** why cases were left out, or null */
  readonly end: string | null;
  /** what was wrong with the end of its processes */
  readonly closing: readonly string[];
}

export function makeReport(
  index: Index,
  entries: readonly Entry[],
  selection: string,
  runs: readonly TesteeRun[],
  known: readonly KnownList[],
): Report {
  return {
    corpus: {
      version: index.version,
      content_id: index.content_id,
      spec: index.spec,
      cases: index.entries.filter(({ withdrawn }) => !withdrawn).length,
    },
    selection,
    cases: entries.map((entry) => caseText(index, entry)),
    testees: runs.map((run) => testeeReport(index, entries, run, known)),
    contradictions: contradictions(entries, runs),
  };
}

function caseText(index: Index, entry: Entry): CaseText {
  return {
    id: entry.id,
    group: groupOf(entry.id),
    expected: resultLine(entry.expected),
    reason: entry.reason,
    spec: entry.spec,
    sentences: (entry.clauses ?? []).map((clause) => index.clauses![clause]),
  };
}

function testeeReport(
  index: Index,
  entries: readonly Entry[],
  run: TesteeRun,
  lists: readonly KnownList[],
): TesteeReport {
  const { info, outcomes, end } = run;
  const known = lists.filter(({ testee }) => testee === info.name).flatMap((one) => one.failures);
  const byId = new Map(known.map((failure) => [failure.id, failure]));
  const result = (entry: Entry): CaseResult => {
    if (!isAsked(entry, info)) return notAsked("out-of-scope", "not among its operations");
    const outcome = outcomes.get(entry.id);
    if (outcome === undefined) return notAsked("not-run", end ?? "not asked");
    return judge(entry, outcome, info, byId.get(entry.id));
  };
  const active = new Map(index.entries.map((entry) => [entry.id, entry]));
  const stale = known.flatMap(({ id }) => {
    const entry = active.get(id);
    const why = entry === undefined
      ? "the corpus has no such case"
      : entry.withdrawn
      ? "the case is withdrawn"
      : isAsked(entry, info)
      ? null
      : "it is not among the testee's operations";
    return why === null ? [] : [`expected failure ${id} is stale: ${why}`];
  });
  return {
    name: info.name,
    version: info.version,
    language: info.language,
    stages: info.stages,
    results: entries.map(result),
    faults: [...stale, ...(end === null ? [] : [end]), ...run.closing],
    notes: run.notes,
  };
}

/** Cases on which testees contradict each other, whatever the corpus says. */
function contradictions(entries: readonly Entry[], runs: readonly TesteeRun[]): Contradiction[] {
  return entries.flatMap(({ id }) => {
    const sides = runs.flatMap(({ info, outcomes }) => {
      const outcome = outcomes.get(id);
      return outcome === undefined ? [] : [{ name: info.name, outcome, stages: info.stages }];
    });
    const fields = new Set<string>();
    const answers = new Map<string, { result: string; testees: Set<string> }>();
    for (const [i, left] of sides.entries()) {
      for (const right of sides.slice(i + 1)) {
        const comparison = compare(left, right);
        if (comparison.result !== "disagree") continue;
        for (const field of comparison.fields) fields.add(field);
        for (const { name, outcome } of [left, right]) {
          const whole = fullLine(outcome);
          const answer = answers.get(whole) ?? { result: resultLine(outcome), testees: new Set() };
          answers.set(whole, answer);
          answer.testees.add(name);
        }
      }
    }
    const given = [...answers.values()].map(({ result, testees }) => ({
      result,
      testees: [...testees],
    }));
    return given.length === 0 ? [] : [{ id, fields: [...fields], answers: given }];
  });
}
