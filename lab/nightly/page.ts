/** Gathers what a run's report shows: parts, the gate as it is now, findings, history. */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import type { Report } from "../../reports/conformance/model.ts";
import { FAILING } from "../../reports/conformance/model.ts";
import type {
  LogitView,
  MatrixView,
  NightlyReport,
  PartView,
  Trend,
} from "../../reports/nightly/model.ts";
import { STAGE_NAMES } from "../../reports/words.ts";
import { EXIT } from "../exit.ts";
import { judgeGate } from "../gate/gate.ts";
import { live } from "../gate/live.ts";
import { findRecord } from "../gate/record.ts";
import { standing } from "../gate/standing.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { look } from "../triage/look.ts";
import { WATCHED } from "./bands.ts";
import type { History } from "./history.ts";
import type { Done, Night } from "./nightly.ts";
import { viewOf } from "./show.ts";

/** Findings shown in full; the folder has all. */
const FINDINGS = 100;

/** Cases of the comparison that get a plot, and trends. */
const PLOTS = 24;

/** Figures whose trend is shown. */
const TRENDS = [
  ["fuzz", /^(executions|executions-per-second|edges|entries|findings|accept-share)$/],
  ["conform", /^(passing|failing)$/],
  ["bench", /^ratio-/],
] as const;

/** Accepts, after the last stage of a reader. */
const ACCEPTED = 27;

export interface Folders {
  readonly records: string;
  readonly receipts: string;
  readonly findings: string;
}

export async function gather(
  night: Night,
  draft: string,
  history: History,
  { records, receipts, findings: folder }: Folders,
): Promise<NightlyReport> {
  const now = standing();
  const looked = await live([folder], findRecord(records, "fuzz", now));
  const gate = await judgeGate({ now, records, receipts, live: looked });
  const readers = await loadReaders(READER_NAMES.join(","));
  const { findings, more } = await look(folder, readers, now.commit);
  const index = parseIndex(Deno.readTextFileSync(`${fileURLToPath(GOLDEN)}index.json`));
  const views = [];
  for (const one of findings.slice(0, FINDINGS)) views.push(await viewOf(one, readers, index));
  const open = findings.some(({ state }) => state !== "fixed");
  const disagreement = looked.disagreement ? EXIT.disagree : EXIT.holds;
  const { evidence, stopRules } = gate;
  const fuzz = night.done.find(({ part }) => part.name === "fuzz")?.run?.record.figures ?? {};
  const { commit, clean, corpus, spec } = now;
  return {
    started: night.started,
    ended: night.ended,
    commit,
    clean,
    corpus,
    spec,
    whole: night.whole,
    exit: Math.max(night.exit, open ? EXIT.broken : EXIT.holds, disagreement),
    quiet: night.quiet,
    regressions: night.regressions,
    parts: night.done.map(partView),
    gate: { exit: gate.exit, evidence, stopRules },
    matrix: readMatrix(join(draft, "conform", "report.json")),
    findings: views,
    moreFindings: more + findings.length - views.length,
    stages: Array.from({ length: ACCEPTED }, (_, i) => {
      const stage = i + 1;
      const name = stage === ACCEPTED ? "accept" : `${stage} ${STAGE_NAMES[stage]}`;
      return [name, fuzz[`stage-${stage}`] ?? 0] as const;
    }),
    logits: readLogits(join(draft, "compare.log")),
    trends: trends(history, night.budget),
  };
}

function partView({ part, run }: Done): PartView {
  const { name, what } = part;
  if (run === null) {
    return { name, what, exit: null, seconds: 0, fault: "did not run", command: "", figures: [] };
  }
  const { exit, started, ended, command, figures } = run.record;
  const seconds = (Date.parse(ended) - Date.parse(started)) / 1000;
  return { name, what, exit, seconds, fault: run.fault, command, figures: Object.entries(figures) };
}

/** The matrix of the conformance report beside it; null where there is none. */
function readMatrix(path: string): MatrixView | null {
  let report: Report;
  try {
    report = JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return null;
  }
  const groups = new Map<string, number[]>();
  for (const [i, { group }] of report.cases.entries()) {
    const [first] = group.split("/"), second = group.split("/")[1];
    const name = second === undefined ? first : `${first}/${second}`;
    const indices = groups.get(name);
    if (indices) indices.push(i);
    else groups.set(name, [i]);
  }
  const cell = (t: number, indices: readonly number[]) => {
    const statuses = indices.map((i) => report.testees[t].results[i].status);
    return {
      pass: statuses.filter((one) => one === "pass").length,
      wrong: statuses.filter((one) => FAILING.has(one)).length,
      asked: statuses.filter((one) => one !== "out-of-scope").length,
    };
  };
  return {
    testees: report.testees.map(({ name, version, language }) =>
      `${name} ${version} (${language})`
    ),
    rows: [...groups].map(([group, indices]) => ({
      group,
      cells: report.testees.map((_, t) => cell(t, indices)),
    })),
  };
}

/** Cases of the comparison with positions, the worst first; a line that is none is passed over. */
function readLogits(path: string): LogitView[] {
  let log: string;
  try {
    log = Deno.readTextFileSync(path);
  } catch {
    return [];
  }
  const views = log.split("\n").filter((line) => line.startsWith("{")).flatMap((line) => {
    try {
      const { name, verdict, positions, envelope } = JSON.parse(line);
      if (!Array.isArray(positions)) return [];
      const points = positions.map(({ position, absolute }) => ({
        position,
        share: absolute / envelope.absolute,
      }));
      return [{ name, verdict, points }];
    } catch {
      return [];
    }
  });
  const worst = ({ points }: LogitView) => Math.max(...points.map(({ share }) => share));
  return views.sort((a, b) => worst(b) - worst(a)).slice(0, PLOTS);
}

function trends(history: History, budget: string): Trend[] {
  const watched = new Set(WATCHED.map(({ part }) => part));
  return TRENDS.filter(([part]) => watched.has(part)).flatMap(([part, figure]) =>
    history.names(part, budget).filter((name) => figure.test(name)).map((name) => ({
      title: `${part} ${name}`,
      points: history.points(part, name, budget),
    }))
  ).slice(0, PLOTS);
}
