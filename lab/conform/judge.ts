/** One answer against what the spec says, and against what is known to be wrong. */
import { createHash } from "node:crypto";
import type { Entry, Expected } from "../../corpus/index.ts";
import type { Identities } from "../../readers/contract.ts";
import type { CaseResult, Difference, Status } from "../../reports/conformance/model.ts";
import { compare, type Field, isPartial } from "../oracle/verdicts.ts";
import {
  IDENTITY_NAMES,
  isFault,
  type Outcome,
  type StageRange,
  type TesteeInfo,
} from "../testee/testee.ts";
import type { KnownFailure } from "./known.ts";

/** What a case looks like that was not asked, because of its operation or an end of the run. */
export function notAsked(status: "out-of-scope" | "not-run", why: string): CaseResult {
  return { status, kind: "none", result: status, differences: [], why };
}

/** Whether a testee is asked about a case at all. */
export function isAsked(entry: Entry, info: TesteeInfo): boolean {
  return info.ops.includes(entry.op ?? "read");
}

/** The result of a case that was asked. */
export function judge(
  entry: Entry,
  outcome: Outcome,
  info: TesteeInfo,
  known: KnownFailure | undefined,
): CaseResult {
  const { expected, may_differ } = entry;
  const first = hold(expected, outcome, info.stages);
  const rest = first.status === "fail"
    ? (may_differ?.also ?? []).map((other) => hold(other, outcome, info.stages))
    : [];
  const { status, fields } = rest.find(({ status }) => status === "pass") ?? first;
  const differences = fields.flatMap((field) => differencesIn(field, expected, outcome));
  const line = resultLine(outcome, status === "fail" ? fields : []);
  const said = isFault(outcome) || outcome.verdict === "skip" ? outcome.why : undefined;
  const result: CaseResult = {
    status,
    kind: outcome.verdict,
    result: line,
    differences,
    ...(said !== undefined && { why: said }),
    ...(isFault(outcome) && outcome.stderr !== "" && { stderr: outcome.stderr }),
  };
  return known === undefined ? result : { ...result, ...againstKnown(status, line, known) };
}

interface Held {
  readonly status: "pass" | "fail" | "out-of-scope";
  readonly fields: readonly Field[];
}

/**
 * A testee passes by agreeing. Within the stages that it claims nothing else will do: a skip
 * or a fault there is no pass. Beyond them it may skip, but not break.
 */
function hold(expected: Expected, outcome: Outcome, stages: StageRange): Held {
  const comparison = compare({ outcome, stages }, { outcome: expected as Outcome });
  if (comparison.result === "agree") return { status: "pass", fields: [] };
  if (comparison.result === "disagree") return { status: "fail", fields: comparison.fields };
  const beyond = comparison.why === "stages" && !claims(stages, expected);
  return { status: beyond ? "out-of-scope" : "fail", fields: ["verdict"] };
}

/** Whether the expected verdict is one that a testee of these stages can reach. */
function claims([first, last]: StageRange, expected: Expected): boolean {
  if (expected.verdict === "accept") return !isPartial([first, last]);
  return first <= expected.stage && expected.stage <= last;
}

function againstKnown(
  status: Status,
  line: string,
  known: KnownFailure,
): Pick<CaseResult, "status" | "why"> {
  if (status === "pass") return { status: "fixed", why: `listed as failing: ${known.reason}` };
  if (status === "out-of-scope") {
    return { status: "changed", why: "listed as failing, but out of this testee's scope" };
  }
  return line === known.result
    ? { status: "known", why: known.reason }
    : { status: "changed", why: `listed as failing with: ${known.result}` };
}

/** A verdict on one line. An accept with other identities names them. */
export function resultLine(outcome: Outcome | Expected, fields: readonly Field[] = []): string {
  if (outcome.verdict === "reject") {
    return `reject ${outcome.stage} ${outcome.code} [${outcome.section}]`;
  }
  const identities = fields.filter((field) => field !== "verdict");
  return outcome.verdict === "accept" && identities.length > 0
    ? `accept with other ${identities.join(", ")}`
    : outcome.verdict;
}

/**
 * A verdict on one line that holds every identity, for claims: by the SHA-256 of the JSON list of
 * them in the order of slm2.md section 9, null where absent.
 */
export function fullLine(outcome: Outcome): string {
  if (outcome.verdict !== "accept" || !("identities" in outcome)) return resultLine(outcome);
  const { identities } = outcome;
  const all = JSON.stringify(IDENTITY_NAMES.map((name) => identities[name] ?? null));
  return `accept ${createHash("sha256").update(all).digest("hex")}`;
}

function differencesIn(field: Field, expected: Expected, outcome: Outcome): Difference[] {
  if (field === "verdict") {
    return [{ field, expected: resultLine(expected), actual: resultLine(outcome) }];
  }
  const wanted = valueOf(field, expected);
  const actual = valueOf(field, outcome);
  if (!Array.isArray(wanted) || !Array.isArray(actual) || wanted.length !== actual.length) {
    return [{ field, expected: text(wanted), actual: text(actual) }];
  }
  return wanted.flatMap((hash, i) =>
    hash === actual[i] ? [] : [{ field: `${field}[${i}]`, expected: hash, actual: actual[i] }]
  );
}

function valueOf(field: Exclude<Field, "verdict">, verdict: Expected | Outcome): unknown {
  if (field === "stage" || field === "code" || field === "section") {
    return verdict.verdict === "reject" ? verdict[field] : undefined;
  }
  const identities: Partial<Identities> = "identities" in verdict ? verdict.identities ?? {} : {};
  return identities[field];
}

function text(value: unknown): string {
  if (value === undefined) return "absent";
  return Array.isArray(value) ? `${value.length} of them` : String(value);
}
