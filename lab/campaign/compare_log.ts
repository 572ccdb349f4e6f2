/**
 * What instrumented code compared while it ran: the operands that were unequal. They say what an
 * input should have held for the comparison to come out the other way.
 */

import { NAMES } from "./load.ts";

/** A value of an input's data, as code compares it. */
export type Operand = number | bigint | string;

export interface Compared {
  readonly site: string;
  readonly left: Operand;
  readonly right: Operand;
}

/** Comparisons that one execution may tell; a loop must not fill the memory. */
const MOST = 20_000;

/** The same comparison with other operands tells little after this many times. */
const MOST_AT_SITE = 24;

const log: Compared[] = [];
const perSite = new Map<string, number>();
const pending: { site: string; value: unknown }[] = [];

function isOperand(value: unknown): value is Operand {
  return typeof value === "number" ? Number.isInteger(value) : typeof value === "bigint" ||
    typeof value === "string" && value.length > 0 && value.length <= 64;
}

function tell(site: string, left: unknown, right: unknown): void {
  if (left === right || typeof left !== typeof right || log.length === MOST) return;
  if (!isOperand(left) || !isOperand(right)) return;
  const times = perSite.get(site) ?? 0;
  if (times === MOST_AT_SITE) return;
  perSite.set(site, times + 1);
  log.push({ site, left, right });
}

/** Called by instrumented code around the left operand of comparison `site`. */
function left<T>(site: string, value: T): T {
  pending.push({ site, value });
  return value;
}

/** Called by instrumented code around the right operand of the comparison begun last. */
function right<T>(value: T): T {
  const begun = pending.pop();
  if (begun !== undefined) tell(begun.site, begun.value, value);
  return value;
}

/** Called by instrumented code around what a `switch` decides on, with its literal cases. */
function choice<T>(site: string, cases: readonly unknown[], value: T): T {
  for (const one of cases) tell(site, value, one);
  return value;
}

/** Runs `execute` and gives the comparisons that it made; what it throws is not thrown on. */
export function comparesOf(execute: () => void): Compared[] {
  log.length = 0;
  pending.length = 0;
  perSite.clear();
  try {
    execute();
  } catch {
    // the guided build has met the same throw, and filed it
  }
  return log.slice();
}

// a build of its own reaches this log, not a copy
Object.assign(globalThis, { [NAMES.log]: { left, right, choice } });
