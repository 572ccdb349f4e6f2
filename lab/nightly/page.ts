/** Gathers what a run's report shows: parts, the gate as it is now, findings, history. */
import { fileURLToPath } from "node:url";
import { GOLDEN } from "../../corpus/golden.ts";
import { parseIndex } from "../../corpus/index.ts";
import type { NightlyReport, PartView } from "../../reports/nightly/model.ts";
import { STAGE_NAMES } from "../../reports/words.ts";
import { EXIT } from "../exit.ts";
import { judgeGate } from "../gate/gate.ts";
import { live } from "../gate/live.ts";
import { findRecord } from "../gate/record.ts";
import { standing } from "../gate/standing.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { look } from "../triage/look.ts";
import { ACCEPTED, LAST_STAGE } from "./figures.ts";
import type { History } from "./history.ts";
import type { Done, Night } from "./nightly.ts";
import { Parents } from "./parent.ts";
import { viewOf } from "./show.ts";
import { campaignOf, logitsOf, matrixOf, ratesOf, trendsOf } from "./views.ts";

/** Findings shown in full; the folder has all. */
const FINDINGS = 100;

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
  const { findings, more } = await look(folder, now.commit);
  const index = parseIndex(Deno.readTextFileSync(`${fileURLToPath(GOLDEN)}index.json`));
  const views = [], parents = new Parents(index);
  for (const one of findings.slice(0, FINDINGS)) {
    views.push(await viewOf(one, readers, index, parents));
  }
  const open = more > 0 || findings.some(({ state }) => state !== "fixed");
  const disagreement = looked.disagreement ? EXIT.disagree : EXIT.holds;
  const { evidence, stopRules } = gate;
  const fuzz = night.done.find(({ part }) => part.name === "fuzz")?.run?.record.figures;
  const { commit, clean, corpus, spec } = now;
  const { started, ended, whole, quiet, regressions } = night;
  return {
    started,
    ended,
    commit,
    clean,
    corpus,
    spec,
    whole,
    exit: Math.max(night.exit, open ? EXIT.broken : EXIT.holds, disagreement),
    quiet,
    regressions,
    parts: night.done.map(partView),
    gate: {
      exit: gate.exit,
      evidence,
      stopRules,
      withoutVector: looked.clauses.withoutVector,
      unreached: looked.clauses.unreached ?? [],
    },
    matrix: matrixOf(draft),
    findings: views,
    moreFindings: more + findings.length - views.length,
    campaign: campaignOf(fuzz),
    stages: Array.from({ length: LAST_STAGE }, (_, i) => {
      const stage = i + 1;
      const name = stage === ACCEPTED ? "accept, or 27 pieces" : `${stage} ${STAGE_NAMES[stage]}`;
      return [name, fuzz?.[`stage-${stage}`] ?? 0] as const;
    }),
    logits: logitsOf(draft),
    rates: ratesOf(draft),
    trends: trendsOf(history, night.budget),
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
