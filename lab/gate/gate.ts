/** The gate: every requirement judged, and what follows for a release. */
import { EXIT, type ExitCode } from "../exit.ts";
import {
  type Check,
  graver,
  type Judgement,
  judgeRecord,
  type Live,
  type Requirement,
  type State,
} from "./check.ts";
import { EVIDENCE } from "./evidence.ts";
import type { LiveResult } from "./live.ts";
import { findRecord, type Found } from "./record.ts";
import { findReceipt, REVIEWERS, type Reviewers } from "./receipt.ts";
import type { Standing } from "./standing.ts";
import { STOP_RULES } from "./stop_rules.ts";

export interface Judged extends Requirement {
  readonly state: State;
  /** parallel to `checks` */
  readonly judgements: readonly Judgement[];
}

export interface GateResult {
  readonly now: Standing;
  readonly evidence: readonly Judged[];
  readonly stopRules: readonly Judged[];
  readonly exit: ExitCode;
}

export interface Sources {
  readonly now: Standing;
  /** folder of records */
  readonly records: string;
  /** folder of receipts */
  readonly receipts: string;
  readonly live: Pick<LiveResult, "judgements" | "disagreement">;
  readonly reviewers?: Reviewers;
}

/** Judges the fifteen pieces of evidence and the stop rules. */
export async function judgeGate(sources: Sources): Promise<GateResult> {
  const found = new Map<string, Found>();
  const evidence = await judgeAll(EVIDENCE, sources, found);
  const stopRules = await judgeAll(STOP_RULES, sources, found);
  const states = [...evidence, ...stopRules].map(({ state }) => state);
  const exit = sources.live.disagreement
    ? EXIT.disagree
    : states.some((state) => state === "broken" || state === "missing")
    ? EXIT.broken
    : EXIT.holds;
  return { now: sources.now, evidence, stopRules, exit };
}

async function judgeAll(
  requirements: readonly Requirement[],
  sources: Sources,
  found: Map<string, Found>,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const requirement of requirements) {
    const judgements: Judgement[] = [];
    for (const check of requirement.checks) judgements.push(await judge(check, sources, found));
    const state = judgements.map((one) => one.state).reduce(graver, "held");
    judged.push({ ...requirement, state, judgements });
  }
  return judged;
}

async function judge(
  check: Check,
  { now, records, receipts, live, reviewers = REVIEWERS }: Sources,
  found: Map<string, Found>,
): Promise<Judgement> {
  if ("live" in check) return live.judgements[check.live satisfies Live];
  if ("record" in check) {
    const record = found.get(check.record) ?? findRecord(records, check.record, now);
    found.set(check.record, record);
    return judgeRecord(check, record);
  }
  const signed = await findReceipt(receipts, check.receipt, now, reviewers);
  const receipt = "statement" in signed && signed.statement !== check.asks
    ? { why: "its receipt states something else" }
    : signed;
  return "why" in receipt
    ? {
      state: "waiting",
      why: `a person has to sign that ${check.asks}: ${receipt.why}`,
      command: `deno task lab gate --sign ${check.receipt} --by NAME --key KEY.pem`,
    }
    : { state: "held", why: `signed by ${receipt.by} on ${receipt.date}`, command: "" };
}

/** What a receipt for `id` states; null where no requirement asks for one. */
export function statementFor(id: string): string | null {
  for (const { checks } of [...EVIDENCE, ...STOP_RULES]) {
    for (const check of checks) {
      if ("receipt" in check && check.receipt === id) return check.asks;
    }
  }
  return null;
}
