/** A conformance run for a terminal: counts, then only what is not as expected. */
import { foreign } from "../terminal.ts";
import { countsOf } from "./json.ts";
import {
  type CaseResult,
  type CaseText,
  FAILING,
  holds,
  IN_RESULT,
  number,
  type Report,
  RESULT_KINDS,
  type TesteeReport,
} from "./model.ts";

export interface Look {
  readonly colour: boolean;
  /** most cases shown in full a testee */
  readonly cases: number;
}

/** Lines of standard error shown of a fault. */
const STDERR_LINES = 5;

/** Sentences of the spec shown of a case. */
const SENTENCES = 4;

export function summary(report: Report, look: Look): string {
  const { corpus, cases, testees, contradictions } = report;
  const paint = painter(look.colour);
  const by = report.selection === "" ? "" : ` (${foreign(report.selection)})`;
  const asked = cases.length === corpus.cases
    ? `all ${number(corpus.cases)} cases`
    : `${number(cases.length)} of ${number(corpus.cases)} cases${by}`;
  const lines = [
    `SLM2 corpus ${corpus.version} for spec ${foreign(corpus.spec, 30)}, ${asked}`,
    `content id ${corpus.content_id}`,
    ...testees.flatMap((testee) => ["", ...testeeLines(report, testee, look)]),
  ];
  if (contradictions.length > 0) {
    lines.push("", paint.bad(`${number(contradictions.length)} cases divide the testees:`));
    for (const { id, fields, answers } of contradictions.slice(0, look.cases)) {
      lines.push(`  ${paint.strong(id)} in ${fields.join(", ")}`);
      for (const { result, testees } of answers) {
        lines.push(
          `    ${foreign(result)}: ${testees.map((name) => foreign(name, 60)).join(", ")}`,
        );
      }
    }
  }
  return lines.join("\n");
}

function testeeLines(report: Report, testee: TesteeReport, look: Look): string[] {
  const paint = painter(look.colour);
  const { status, result } = countsOf(testee);
  const [first, last] = testee.stages;
  const bad = testee.results.flatMap((one, i) =>
    FAILING.has(one.status) ? [{ one, text: report.cases[i] }] : []
  );
  const shown = bad.slice(0, look.cases);
  const mark = holds(testee) ? paint.good("holds") : paint.bad("does not hold");
  return [
    paint.strong(
      `${foreign(testee.name, 60)} ${foreign(testee.version, 30)} (${
        foreign(testee.language, 30)
      }, stages ${first}-${last})`,
    ) + `: ${mark}`,
    `  as expected ${number(status.pass)}` +
    listed([
      ["NOT as expected", status.fail],
      ["known failures", status.known],
      ["unexpected successes", status.fixed],
      ["known failures that changed", status.changed],
      ["out of scope", status["out-of-scope"]],
      ["not run", status["not-run"]],
    ]),
    `  results: ${RESULT_KINDS.map((kind) => `${kind} ${number(result[kind])}`).join(", ")}`,
    ...testee.notes.map((note) => `  note: ${foreign(note, 400)}`),
    ...testee.faults.map((fault) => paint.bad(`  ${foreign(fault, 400)}`)),
    ...shown.flatMap(({ one, text }) => caseLines(one, text, paint)),
    ...(bad.length > shown.length
      ? [`  ... and ${number(bad.length - shown.length)} more (--show, or the report of --out)`]
      : []),
  ];
}

function listed(counts: readonly [name: string, count: number][]): string {
  return counts.filter(([, count]) => count > 0)
    .map(([name, count]) => `, ${name} ${number(count)}`).join("");
}

function caseLines(one: CaseResult, text: CaseText, paint: Painter): string[] {
  const noted: Partial<Record<CaseResult["status"], string>> = {
    fixed: " as the spec has it, though listed as an expected failure",
    changed: " though listed as an expected failure with another result",
  };
  return [
    `  ${paint.strong(text.id)}`,
    `    expected  ${paint.good(text.expected)}`,
    `    actual    ${paint.bad(foreign(one.result))}${noted[one.status] ?? ""}`,
    ...one.differences.filter(({ field }) => !IN_RESULT.has(field)).flatMap((
      { field, expected, actual },
    ) => [
      `    ${field}`,
      `      expected ${short(expected)}`,
      `      actual   ${short(actual)}`,
    ]),
    ...(one.why ? [`    why       ${foreign(one.why, 400)}`] : []),
    ...stderrLines(one.stderr).map((line) => `    stderr    ${foreign(line)}`),
    `    case      ${foreign(text.reason, 400)}`,
    `    spec      ${foreign(text.spec, 400)}`,
    ...text.sentences.slice(0, SENTENCES).map((sentence) =>
      `              "${foreign(sentence, 400)}"`
    ),
    ...(text.sentences.length > SENTENCES
      ? [`              ... and ${text.sentences.length - SENTENCES} more`]
      : []),
  ];
}

function stderrLines(stderr = ""): string[] {
  return stderr.trimEnd().split("\n").filter(Boolean).slice(-STDERR_LINES);
}

function short(value: string): string {
  return foreign(value, 64);
}

interface Painter {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly strong: (text: string) => string;
}

function painter(colour: boolean): Painter {
  const style = (code: number) => (text: string) => colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { good: style(32), bad: style(31), strong: style(1) };
}
