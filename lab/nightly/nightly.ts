/**
 * A nightly run. Its folder is made under a hidden name and renamed when all of it is written, so
 * what stands under a date is whole. Records are kept as parts end, for each is whole by itself.
 */
import { join } from "node:path";
import { EXIT } from "../exit.ts";
import { keepRecord, type PartRecord } from "../gate/record.ts";
import { standing } from "../gate/standing.ts";
import { quiet, regressions } from "./bands.ts";
import { History } from "./history.ts";
import { type Choice, type Part } from "./parts.ts";
import { type PartRun, runPart } from "./run.ts";
import { collectFindings } from "./collect.ts";

export interface Options extends Choice {
  readonly parts: readonly Part[];
  /** whether these are all parts there are: only then is there a folder */
  readonly whole: boolean;
  /** folder of all runs */
  readonly folder: string;
  /** folders of records and of findings, which outlive a run */
  readonly records: string;
  readonly findings: string;
  /** seconds for all of it */
  readonly limit: number;
  readonly onPart: (part: Part, run: PartRun | null) => void;
}

/** A part and what came of it; null: it did not run. */
export interface Done {
  readonly part: Part;
  readonly run: PartRun | null;
}

export interface Night {
  readonly started: string;
  readonly ended: string;
  readonly done: readonly Done[];
  readonly quiet: readonly string[];
  readonly regressions: readonly string[];
  /** the gravest of the parts, and 1 where the lab was quiet */
  readonly exit: number;
  readonly budget: string;
}

/** Makes what a run's folder holds beyond logs and records; sees the history with the run in it. */
export type Publish = (night: Night, draft: string, history: History) => Promise<number>;

/** Runs the parts. @returns the run, and the folder that it published, or null */
export async function nightly(
  options: Options,
  publish: Publish,
): Promise<{ night: Night; folder: string | null; exit: number }> {
  const { folder, records, findings, whole } = options;
  const started = new Date();
  const stamp = started.toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");
  Deno.mkdirSync(folder, { recursive: true });
  const draft = join(folder, `.draft-${stamp}-${crypto.randomUUID().slice(0, 8)}`);
  Deno.mkdirSync(draft);
  const done = await runParts(options, draft);
  const ran = done.flatMap(({ run }) => run === null ? [] : [run.record]);
  for (const record of ran) keepRecord(join(draft, "records"), record);
  collectFindings(join(draft, "fuzz", "findings"), findings);
  const history = new History(join(folder, "history.sqlite"));
  try {
    const budget = `${options.seconds} s`;
    const lines = [
      ...done.filter(({ run }) => run?.fault !== null).map(({ part, run }) =>
        `${part.name}: ${run?.fault ?? "did not run"}`
      ),
      ...quiet(ran, history, budget),
    ];
    const night: Night = {
      started: started.toISOString(),
      ended: new Date().toISOString(),
      done,
      quiet: lines,
      regressions: regressions(ran, history, budget),
      exit: Math.max(lines.length > 0 ? EXIT.broken : EXIT.holds, ...ran.map(codeOf)),
      budget,
    };
    if (!whole) {
      Deno.removeSync(draft, { recursive: true });
      return { night, folder: null, exit: night.exit };
    }
    const { commit, corpus } = standing();
    history.add({ started: night.started, commit, corpus, budget, exit: night.exit }, ran);
    const exit = await publish(night, draft, history);
    const path = join(folder, stamp);
    Deno.renameSync(draft, path);
    Deno.copyFileSync(join(path, "findings.sarif"), join(folder, "latest.sarif"));
    return { night, folder: path, exit };
  } finally {
    history.close();
  }

  async function runParts({ parts, limit, onPart }: Options, out: string): Promise<Done[]> {
    const ended: Done[] = [];
    for (const part of parts) {
      const left = limit - (Date.now() - started.getTime()) / 1000;
      const run = left > 0 ? await runPart(part, options, out, left) : null;
      if (run !== null) keepRecord(records, run.record);
      onPart(part, run);
      ended.push({ part, run });
    }
    return ended;
  }
}

/** A process that was ended by a signal has a code that means nothing here. */
const codeOf = ({ exit }: PartRecord) => exit >= 0 && exit <= EXIT.disagree ? exit : EXIT.broken;
