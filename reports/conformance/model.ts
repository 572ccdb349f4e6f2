/**
 * What a conformance run found, ready to be shown: `lab conform` makes it, the files
 * beside this one draw it. Texts of testees are in here as they came: each sink escapes.
 * No clock and no machine in it, so that equal results give equal reports.
 */

/** The seven results of a case, and `none` for one that was not asked. */
export const RESULT_KINDS = [
  "accept",
  "reject",
  "skip",
  "crash",
  "hang",
  "memory",
  "protocol",
] as const;
export type ResultKind = typeof RESULT_KINDS[number];

/**
 * How a result stands to what the spec says. `known`: not as expected, and listed as an
 * expected failure with just this result. `fixed`: listed, but as expected now. `changed`:
 * listed with another result.
 */
export const STATUSES = [
  "pass",
  "fail",
  "known",
  "fixed",
  "changed",
  "out-of-scope",
  "not-run",
] as const;
export type Status = typeof STATUSES[number];

/** Statuses with which a run does not hold. */
export const FAILING: ReadonlySet<Status> = new Set<Status>(["fail", "fixed", "changed"]);

/** One part of the verdict in which a testee differs. */
export interface Difference {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** Parts of a verdict that its one line shows already; the others need lines of their own. */
export const IN_RESULT: ReadonlySet<string> = new Set(["verdict", "stage", "code", "section"]);

/** What one testee did with one case. */
export interface CaseResult {
  readonly status: Status;
  readonly kind: ResultKind | "none";
  /** the whole result on one line, such as `reject 17 CborKeyOrder [manifest]` */
  readonly result: string;
  readonly differences: readonly Difference[];
  /** why: of a skip or fault the testee's or the lab's words, of a known failure its reason */
  readonly why?: string;
  /** end of standard error, of faults */
  readonly stderr?: string;
}

/** One case of the corpus. */
export interface CaseText {
  readonly id: string;
  readonly group: string;
  /** on one line */
  readonly expected: string;
  readonly reason: string;
  /** where the spec decides it */
  readonly spec: string;
  /** the sentences that decide it */
  readonly sentences: readonly string[];
}

export interface TesteeReport {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  readonly stages: readonly [number, number];
  /** parallel to `Report.cases` */
  readonly results: readonly CaseResult[];
  /** of the run as a whole: what makes it fail beside its cases */
  readonly faults: readonly string[];
  /** of the run as a whole: what a reader of the report must know */
  readonly notes: readonly string[];
}

/** A case on which testees contradict each other, whatever the corpus says. */
export interface Contradiction {
  readonly id: string;
  /** the parts of the verdict in which they do */
  readonly fields: readonly string[];
  /** each answer with those who gave it */
  readonly answers: readonly { readonly result: string; readonly testees: readonly string[] }[];
}

export interface Report {
  readonly corpus: {
    readonly version: string;
    readonly content_id: string;
    readonly spec: string;
    /** cases that the corpus has, withdrawn ones left out */
    readonly cases: number;
  };
  /** how the cases were chosen, or empty for all */
  readonly selection: string;
  readonly cases: readonly CaseText[];
  readonly testees: readonly TesteeReport[];
  readonly contradictions: readonly Contradiction[];
}

/** How many results have each value of `by`. */
export function tally<Key extends string>(
  keys: readonly Key[],
  results: Iterable<CaseResult>,
  by: (result: CaseResult) => string,
): Record<Key, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<string, number>;
  for (const result of results) {
    const key = by(result);
    if (key in counts) counts[key]++;
  }
  return counts;
}

/** Whether a testee did all that was asked of it. */
export function holds(testee: TesteeReport): boolean {
  return testee.faults.length === 0 &&
    testee.results.every(({ status }) => !FAILING.has(status) && status !== "not-run");
}

/** A number for people: `1,748`. */
export const number = (n: number): string => n.toLocaleString("en-US");
