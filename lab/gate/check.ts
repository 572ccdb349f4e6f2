/** What a check is, and how one is judged. */
import { EXIT } from "../exit.ts";
import type { Found } from "./record.ts";

/**
 * `held`: it stands. `broken`: it was looked at and does not. `missing`: nothing that counts
 * says so. `waiting`: a person has to sign.
 */
export const STATES = ["held", "waiting", "missing", "broken"] as const;
export type State = typeof STATES[number];

/** A bound on one figure of a record. */
export interface Bound {
  readonly figure: string;
  /** less is too little evidence: it is missing */
  readonly least?: number;
  /** more is evidence against: it is broken */
  readonly most?: number;
}

/** Checks that the gate makes itself, each time: they need no record. */
export const LIVE = [
  "agreement",
  "disagreements",
  "findings",
  "clauses",
  "independence",
  "pins",
  "ratified",
] as const;
export type Live = typeof LIVE[number];

export type Check =
  | { readonly record: string; readonly bounds: readonly Bound[] }
  | { readonly live: Live }
  | { readonly receipt: string; readonly asks: string };

/** One piece of evidence or one stop rule. */
export interface Requirement {
  readonly id: string;
  /** the report's own sentence */
  readonly sentence: string;
  /** all of them must hold */
  readonly checks: readonly Check[];
}

export interface Judgement {
  readonly state: State;
  /** in words, for a person */
  readonly why: string;
  /** what would provide it; empty where it is held */
  readonly command: string;
}

/** The graver of two states. */
export function graver(a: State, b: State): State {
  return STATES.indexOf(a) > STATES.indexOf(b) ? a : b;
}

/** Judges figures of a record against bounds; a figure that is not there is missing. */
export function judgeRecord(
  { record: part, bounds }: Extract<Check, { record: string }>,
  found: Found,
): Judgement {
  const command = `deno task lab nightly --part ${part}`;
  if ("why" in found) return { state: "missing", why: found.why, command };
  const { figures, exit } = found.record;
  if (exit === EXIT.usage) return { state: "missing", why: `'${part}' could not be run`, command };
  if (figures.sampled > 0) {
    const why = `'${part}' took a sample only: give the nightly a greater --budget`;
    return { state: "missing", why, command };
  }
  const has = ({ figure }: Bound) => Object.hasOwn(figures, figure);
  const over = bounds.find((one) => has(one) && !(figures[one.figure] <= (one.most ?? Infinity)));
  if (over !== undefined) {
    return { state: "broken", why: `'${part}': ${boundText(over, figures)}`, command };
  }
  if (exit !== 0) {
    return { state: "broken", why: `'${part}' ended with exit code ${exit}`, command };
  }
  const absent = bounds.find((one) => !has(one));
  if (absent !== undefined) {
    return { state: "missing", why: `the record of '${part}' has no ${absent.figure}`, command };
  }
  const short = bounds.find(({ figure, least = -Infinity }) => !(figures[figure] >= least));
  if (short !== undefined) {
    return { state: "missing", why: `'${part}': ${boundText(short, figures)}`, command };
  }
  const why = `'${part}': ${bounds.map((one) => boundText(one, figures)).join(", ")}`;
  return { state: "held", why, command: "" };
}

function boundText({ figure, least, most }: Bound, figures: Readonly<Record<string, number>>) {
  const wanted = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ];
  return `${figure} ${figures[figure]} (${wanted.join(", ")})`;
}
