/** A conformance run as JSON: objects for lines, and the whole report. */
import { type Report, RESULT_KINDS, STATUSES, tally, type TesteeReport } from "./model.ts";

/** The report as one JSON document, for programs and for comparing two runs. */
export function reportJson(report: Report): string {
  return JSON.stringify({ format: "slm2-conformance/1", ...report }, null, 1) + "\n";
}

/** Counts of one testee, by status and by result. */
export function countsOf(testee: TesteeReport) {
  return {
    status: tally(STATUSES, testee.results, ({ status }) => status),
    result: tally(RESULT_KINDS, testee.results, ({ kind }) => kind),
  };
}

/** One object a case and testee, then one a testee; each is a line of `--json`. */
export function* reportLines(report: Report): Generator<object> {
  for (const testee of report.testees) {
    const name = { testee: testee.name, version: testee.version };
    for (const [i, result] of testee.results.entries()) {
      yield { ...name, case: report.cases[i].id, expected: report.cases[i].expected, ...result };
    }
    yield {
      ...name,
      corpus: report.corpus,
      selection: report.selection,
      counts: countsOf(testee),
      faults: testee.faults,
      notes: testee.notes,
    };
  }
  for (const contradiction of report.contradictions) yield { contradiction };
}
