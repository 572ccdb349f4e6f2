/** What the page draws from a part's own output and from the history. */
import { join } from "node:path";
import { FAILING, type Report, type TesteeReport } from "../../reports/conformance/model.ts";
import {
  type CampaignView,
  type LogitView,
  type MatrixView,
  type RateView,
  short,
  type Trend,
} from "../../reports/nightly/model.ts";
import { READER_NAMES } from "../readers.ts";
import { bandOf, WATCHED } from "./bands.ts";
import { type Figures, shareOf } from "./figures.ts";
import type { History } from "./history.ts";

/** Figures whose trend is shown, beside all that have a bound. */
const TRENDS = [
  ["fuzz", /^(executions-per-second|edges|entries|findings|accept-share)$/],
  ["conform", /^(passing|failing)$/],
  ["bench", /^ratio-/],
] as const;

/** Most trends, most lines of a part's output, and bytes of a file that is read for them. */
const MOST_TRENDS = 40, MOST_LINES = 2000, MOST_BYTES = 64 << 20;

/** The text of a file; null where there is none, or it is too long. */
function read(path: string): string | null {
  try {
    return Deno.statSync(path).size > MOST_BYTES ? null : Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The matrix over what the conformance parts of a run's folder wrote; null where none did. */
export function matrixOf(folder: string): MatrixView | null {
  const [here, browser] = ["conform", "browser"].map((part) => {
    const text = read(join(folder, part, "report.json"));
    return text === null ? null : JSON.parse(text) as Report;
  });
  if (here === null) return null;
  const testees = here.testees.map((one, i) => ({ label: labelOf(one, i), one }));
  // both parts ask all cases in one order, or their columns would not fit
  if (browser?.cases.length === here.cases.length) {
    const others = browser.testees.filter(({ name }) => name.includes("@"));
    testees.push(...others.map((one) => ({ label: inBrowser(one), one })));
  }
  const groups = Map.groupBy(here.cases.keys(), (i) => groupOf(here.cases[i].group));
  const rows = [["all groups", [...here.cases.keys()]] as const, ...groups];
  return {
    testees: testees.map(({ label }) => label),
    cases: here.cases.length,
    rows: rows.map(([group, indices]) => ({
      group,
      cells: testees.map(({ one }) => cellOf(one, indices)),
    })),
  };
}

/** The nightly asks our readers in its own process first, then as processes, then others. */
function labelOf({ name, version, language }: TesteeReport, i: number): string {
  const place = Math.floor(i / READER_NAMES.length);
  if (place > 1) return `${name} ${version} (${language})`;
  return `${name} ${version}, ${place === 0 ? "in process" : "as a process"}`;
}

/** `cursor@chromium` as a heading that a narrow column can break. */
function inBrowser({ name, version }: TesteeReport): string {
  const [reader, browser] = name.split("@");
  return `${reader} ${version}, in ${browser}`;
}

/** The first two parts of a group's name. */
const groupOf = (group: string) => group.split("/").slice(0, 2).join("/");

function cellOf({ results }: TesteeReport, indices: readonly number[]) {
  const statuses = indices.map((i) => results[i].status);
  return {
    pass: statuses.filter((one) => one === "pass").length,
    wrong: statuses.filter((one) => FAILING.has(one)).length,
    asked: statuses.filter((one) => one !== "out-of-scope").length,
  };
}

/** Cases of the comparison with positions; a line of the log that is none is passed over. */
export const logitsOf = (folder: string): LogitView[] => viewsOf(folder, "compare", logitView);

/** Rates of the bench that have a bound. */
export const ratesOf = (folder: string): RateView[] => viewsOf(folder, "bench", rateView);

/** Views of the lines that a part printed; one that is not what it should be has none. */
// deno-lint-ignore no-explicit-any -- the lab's own output, of which single members are read
function viewsOf<View>(folder: string, part: string, view: (line: any) => View[]): View[] {
  const lines = (read(join(folder, `${part}.log`)) ?? "").split("\n");
  return lines.filter((line) => line.startsWith("{")).slice(0, MOST_LINES).flatMap((line) => {
    try {
      return view(JSON.parse(line));
    } catch {
      return [];
    }
  });
}

// deno-lint-ignore no-explicit-any -- a line of `bench --json`
function rateView({ suite, group, name, value, unit, least, most, holds }: any): RateView[] {
  if (typeof holds !== "boolean") return [];
  const bound = least !== undefined ? `at least ${short(least)}` : `at most ${short(most)}`;
  return [{ name: `${suite}: ${group}, ${name}`, value, unit, bound, holds }];
}

// deno-lint-ignore no-explicit-any -- a line of `compare --json`, of which single members are read
function logitView({ name, backend, verdict, positions, envelope, layers }: any): LogitView[] {
  if (!Array.isArray(positions)) return [];
  const subject = name.endsWith(`/${backend}`) ? name.slice(0, -backend.length - 1) : name;
  return [{
    group: name.split("/")[0],
    subject,
    backend,
    verdict,
    points: positions.map(({ position, absolute }) => ({
      position,
      share: shareOf(absolute, envelope.absolute),
    })),
    layers: layersOf(layers),
  }];
}

/** Distances after each layer, where the comparison measured them. */
// deno-lint-ignore no-explicit-any -- as above
function layersOf(layers: any): LogitView["layers"] {
  if (!Array.isArray(layers)) return [];
  return layers.map(({ at, layer, absolute }) => ({ name: String(at ?? layer), error: absolute }));
}

/** A mutator's figure, as `fuzzFigures` names it. */
const YIELD = "yield-";

export function campaignOf(figures: Figures | undefined): CampaignView | null {
  if (figures?.executions === undefined) return null;
  const yields = Object.entries(figures).filter(([name]) => name.startsWith(YIELD))
    .map(([name, share]) => [name.slice(YIELD.length), share] as const);
  return {
    executions: figures.executions,
    perSecond: figures["executions-per-second"],
    edges: figures.edges,
    allEdges: figures["all-edges"],
    entries: figures.entries,
    yields: yields.sort(([, a], [, b]) => b - a),
  };
}

export function trendsOf(history: History, budget: string): Trend[] {
  return TRENDS.flatMap(([part, figure]) =>
    history.names(part, budget).filter((name) => figure.test(name)).map((name) => {
      const points = history.points(part, name, budget);
      const watch = WATCHED.find((one) => one.part === part && one.figure.test(name));
      return {
        part,
        figure: name.replace(/^ratio-/, "").replaceAll("-", " "),
        points,
        // the last run is held against those before it
        band: watch === undefined
          ? null
          : bandOf(points.slice(0, -1).map(({ value }) => value), watch),
      };
    })
  ).slice(0, MOST_TRENDS);
}
