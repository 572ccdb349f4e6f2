/**
 * The verdict oracle: do two outcomes of one request agree? Compared is the whole tuple
 * (slm2.md section 1): verdict, stage, code and section, or every identity; the offset never.
 */
import type { Identities, Reject } from "../../readers/contract.ts";
import {
  IDENTITY_NAMES,
  isFault,
  LAST_READER_STAGE,
  type Outcome,
  type StageRange,
} from "../testee/testee.ts";

/** A part of the tuple in which two verdicts can differ. */
export type Field = "verdict" | "stage" | "code" | "section" | keyof Identities;

/**
 * Why two outcomes say nothing about each other: one `skip`s; one was stopped by a bound on
 * time or memory (`resource`), which others need not have; one crashed or broke the
 * protocol (`fault`), a finding of its own; or the verdict lies outside the `stages` that
 * one of them implements.
 */
export type Incomparable = "skip" | "resource" | "fault" | "stages";

export type Comparison =
  | { readonly result: "agree" }
  | { readonly result: "disagree"; readonly fields: readonly Field[] }
  | { readonly result: "incomparable"; readonly why: Incomparable };

/** One outcome and the stages that its testee implements; absent: all of them. */
export interface Side {
  readonly outcome: Outcome;
  readonly stages?: StageRange;
}

const ALL_STAGES: StageRange = [1, 32];

/** A testee that ends before stage 26 never accepts; it skips what its stages let through. */
export function isPartial(stages: StageRange): boolean {
  return stages[1] < LAST_READER_STAGE;
}

/** Compares two outcomes of one request. */
export function compare(left: Side, right: Side): Comparison {
  const outcomes = [left.outcome, right.outcome];
  if (outcomes.some(({ verdict }) => verdict === "hang" || verdict === "memory")) {
    return { result: "incomparable", why: "resource" };
  }
  if (outcomes.some(isFault)) return { result: "incomparable", why: "fault" };
  const a = viewed(left, right);
  const b = viewed(right, left);
  if (a === "skip" || b === "skip") return { result: "incomparable", why: "skip" };
  if (a === "unknown" || b === "unknown" || a === "passes" && b === "passes") {
    return { result: "incomparable", why: "stages" };
  }
  if (a === "passes" || b === "passes") return { result: "disagree", fields: ["verdict"] };
  const fields = differences(a, b);
  return fields.length === 0 ? { result: "agree" } : { result: "disagree", fields };
}

/** An outcome in which the testee judged the input. */
type Judged = Exclude<Outcome, { verdict: "skip" | "crash" | "hang" | "memory" | "protocol" }>;

/** What one side's outcome says about the stages that the other implements too. */
type View =
  | Judged
  /** nothing failed up to the last common stage */
  | "passes"
  /** the verdict is of a stage that one of the two does not implement */
  | "unknown"
  /** not judged at all */
  | "skip";

function viewed(side: Side, other: Side): View {
  const { outcome, stages = ALL_STAGES } = side;
  const [first, last] = other.stages ?? ALL_STAGES;
  if (isFault(outcome)) return "unknown";
  if (outcome.verdict === "skip") return isPartial(stages) ? "passes" : "skip";
  if (outcome.verdict === "accept") {
    if (other.outcome.verdict === "accept") return outcome;
    // a partial testee that accepts claims all stages, so its accept stands
    const later = !isPartial(stages) && stageOf(other.outcome) > stages[1];
    return later || isPartial([first, last]) ? "passes" : outcome;
  }
  const { stage } = outcome;
  if (stage < stages[0] || stage > stages[1] || stage < first) return "unknown";
  return stage > last ? "passes" : outcome;
}

function stageOf(outcome: Outcome): number {
  return outcome.verdict === "reject" ? outcome.stage : 0;
}

/** In which parts two verdicts differ, in the order of the tuple. */
export function differences(a: Judged, b: Judged): Field[] {
  if (a.verdict !== b.verdict) return ["verdict"];
  if (a.verdict === "reject") {
    return (["stage", "code", "section"] as const).filter((name) =>
      a[name] !== (b as Reject)[name]
    );
  }
  const left: Partial<Identities> = "identities" in a ? a.identities : {};
  const right: Partial<Identities> = "identities" in b ? b.identities : {};
  return IDENTITY_NAMES.filter((name) => !equal(left[name], right[name]));
}

type Identity = Identities[keyof Identities] | undefined;

function equal(a: Identity, b: Identity): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.length === b.length && a.every((hash, i) => hash === b[i]);
}
