/**
 * Which figures are watched, and what is wrong with them. A figure has a band around the median
 * of its own history; below it the lab is quiet, and a quiet lab is a red lab.
 */
import type { History } from "./history.ts";
import { type Band, short } from "../../reports/nightly/model.ts";
import type { PartRecord } from "../gate/record.ts";

export interface Watch {
  readonly part: string;
  readonly figure: RegExp;
  /** share of the median by which the figure may always fall */
  readonly tolerance: number;
  /** leaving the band upwards is red too */
  readonly both?: true;
  /** it counts events, which scatter by the root of their number (Poisson) */
  readonly counts?: true;
}

export const WATCHED: readonly Watch[] = [
  { part: "fuzz", figure: /^executions-per-second$/, tolerance: 0.6 },
  { part: "fuzz", figure: /^edges$/, tolerance: 0.1 },
  { part: "fuzz", figure: /^all-edges$/, tolerance: 0.2 },
  { part: "fuzz", figure: /^accept-share$/, tolerance: 0.5, both: true },
  { part: "fuzz", figure: /^stage-\d+$/, tolerance: 0.9, counts: true },
  { part: "fuzz", figure: /^finds-/, tolerance: 0.9, counts: true },
  { part: "bench", figure: /^ratio-/, tolerance: 0.3 },
  { part: "corpus", figure: /^cases$/, tolerance: 0 },
  { part: "conform", figure: /^(cases|testees|passing)$/, tolerance: 0 },
  { part: "compare", figure: /^held$/, tolerance: 0 },
  { part: "faults", figure: /^found$/, tolerance: 0 },
  ...[
    "neighbours",
    "resources",
    "quant",
    "tokenizers",
    "atomic",
    "pieces",
    "activation",
    "adapters",
  ]
    .map((part): Watch => ({ part, figure: /^passed$/, tolerance: 0 })),
];

/** Figures that must not be zero in a run at all: without them nothing was looked at. */
export const ALIVE: readonly (readonly [part: string, figure: string, says: string])[] = [
  ["corpus", "cases", "the corpus is empty"],
  ["conform", "passing", "no case was asked"],
  ["fuzz", "executions", "nothing was executed"],
  ["fuzz", "all-edges", "nothing was instrumented"],
  ["fuzz", "edges", "no instrumented code was reached"],
  ["fuzz", "accept-share", "no input was accepted"],
  ["compare", "held", "no comparison held"],
  ["bench", "rows", "nothing was measured"],
  ["faults", "found", "no seeded fault was found"],
];

/** Runs of a history before it has a band. */
const LEAST_RUNS = 3;

/** Median absolute deviations of a band: about three standard deviations of normal noise. */
const DEVIATIONS = 4.5;

/** The band of past values; null where there are too few. */
export function bandOf(
  values: readonly number[],
  { tolerance, both, counts }: Omit<Watch, "part" | "figure">,
): Band | null {
  if (values.length < LEAST_RUNS) return null;
  const middle = median(values);
  const spread = DEVIATIONS * median(values.map((value) => Math.abs(value - middle)));
  const chance = counts ? DEVIATIONS * Math.sqrt(middle) : 0;
  const reach = Math.max(spread, tolerance * Math.abs(middle), chance);
  // a figure that is never zero must not become so, however much it scatters, unless by chance
  const never = values.every((value) => value > 0) && chance < middle;
  const floor = never ? Math.min(...values) / 100 : -Infinity;
  return { low: Math.max(middle - reach, floor), high: both ? middle + reach : Infinity };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** What is quiet in a run, a line each. The history must not have the run yet. */
export function quiet(records: readonly PartRecord[], history: History, budget: string): string[] {
  const lines: string[] = [];
  const by = new Map(records.map((record) => [record.part, record.figures]));
  for (const [part, figure, says] of ALIVE) {
    const figures = by.get(part);
    if (figures !== undefined && !(figures[figure] > 0)) lines.push(`${part}: ${says}`);
  }
  for (const watch of WATCHED) {
    const { part, figure: pattern } = watch;
    const figures = by.get(part);
    if (figures === undefined) continue;
    for (const name of history.names(part, budget).filter((one) => pattern.test(one))) {
      const values = history.points(part, name, budget).map(({ value }) => value);
      const band = bandOf(values, watch), value = figures[name];
      if (band === null) continue;
      if (value === undefined) lines.push(`${part}: ${name} is not reported any more`);
      else if (value < band.low || value > band.high) {
        lines.push(
          `${part}: ${name} is ${short(value)}, outside ${short(band.low)} to ` +
            `${
              band.high === Infinity ? "any" : short(band.high)
            } of its last ${values.length} runs`,
        );
      }
    }
  }
  return lines;
}

/** Figures of which more is worse. */
const BAD =
  /^(findings?(-.*)?|faults|uncovered|stale|failing|contradictions|crash|hang|memory|protocol|breaches|below|failed|ignored|flips|missed|long)$/;

/** Ratios that fall by more than this are a regression: one machine varies by less in one run. */
const FALL = 0.25;

/** What got worse against the previous run, a line each. */
export function regressions(
  records: readonly PartRecord[],
  history: History,
  budget: string,
): string[] {
  return records.flatMap(({ part, exit, figures }) => {
    const lines: string[] = [], before = history.lastExit(part);
    if (before === 0 && exit !== 0) lines.push(`${part}: held before, now ends with ${exit}`);
    for (const [name, value] of Object.entries(figures)) {
      const last = history.points(part, name, budget, 1).at(-1)?.value;
      if (last === undefined) continue;
      if (BAD.test(name) && value > last || /^ratio-/.test(name) && value < last * (1 - FALL)) {
        lines.push(`${part}: ${name} from ${short(last)} to ${short(value)}`);
      }
    }
    return lines;
  });
}
