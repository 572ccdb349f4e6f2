/** A conformance run as JUnit XML: a suite a testee, a test a case. */
import { type Markup, markup } from "../markup.ts";
import {
  type CaseResult,
  type CaseText,
  FAILING,
  type Report,
  type ResultKind,
  type TesteeReport,
} from "./model.ts";

export function junit(report: Report): string {
  const suites = report.testees.map((testee) => suite(report, testee));
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
    markup`<testsuites name="SLM2 corpus ${report.corpus.version}">
${suites}</testsuites>
`.text;
}

/** Results that JUnit calls an error: the test could not be done. */
const ERRORS: ReadonlySet<ResultKind | "none"> = new Set(["crash", "hang", "memory", "protocol"]);

function suite(report: Report, testee: TesteeReport): Markup {
  const { corpus, cases } = report;
  const marks = testee.results.map((result, i) => mark(result, cases[i]));
  const count = (element: Element) => marks.filter((one) => one?.element === element).length;
  const tests = cases.map(({ id, group }, i) =>
    markup`    <testcase classname="${group}" name="${id}">${marks[i]?.markup ?? []}</testcase>\n`
  );
  const ofTheRun = testee.faults.map((fault) =>
    markup`    <testcase classname="run" name="${fault}"><error message="${fault}"/></testcase>\n`
  );
  return markup`  <testsuite name="${testee.name} ${testee.version}" tests="${
    tests.length + ofTheRun.length
  }" failures="${count("failure")}" errors="${count("error") + ofTheRun.length}" skipped="${
    count("skipped")
  }">
    <properties>
      <property name="corpus.version" value="${corpus.version}"/>
      <property name="corpus.content_id" value="${corpus.content_id}"/>
      <property name="spec" value="${corpus.spec}"/>
      <property name="selection" value="${report.selection || "all"}"/>
    </properties>
${tests}${ofTheRun}  </testsuite>
`;
}

type Element = "failure" | "error" | "skipped";

function mark(
  result: CaseResult,
  one: CaseText,
): { readonly element: Element; readonly markup: Markup } | null {
  const { status, kind, why = "", stderr = "" } = result;
  if (status === "pass") return null;
  if (!FAILING.has(status)) {
    const message = status === "known" ? `expected failure: ${why}` : why || status;
    return { element: "skipped", markup: markup`<skipped message="${message}"/>` };
  }
  const message = `${status}: ${result.result}`;
  const text = [
    `expected: ${one.expected}`,
    ...result.differences.map(({ field, expected, actual }) =>
      `${field}: expected ${expected}, was ${actual}`
    ),
    `case: ${one.reason}`,
    `spec: ${one.spec}`,
    ...one.sentences.map((sentence) => `  ${sentence}`),
    ...(why === "" ? [] : [`why: ${why}`]),
    ...(stderr === "" ? [] : [`standard error: ${stderr}`]),
  ].join("\n");
  return ERRORS.has(kind)
    ? {
      element: "error",
      markup: markup`<error type="${kind}" message="${message}">${text}</error>`,
    }
    : {
      element: "failure",
      markup: markup`<failure type="${kind}" message="${message}">${text}</failure>`,
    };
}
