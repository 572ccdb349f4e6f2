/**
 * A nightly run. Its folder is made under a hidden name and renamed when all of it is written, so
 * what stands under a date is whole; where a part was cut off or did not run, the name says so.
 * Records are kept as parts end, for each is whole by itself.
 */
import { join } from "node:path";
import { EXIT, UsageError } from "../exit.ts";
import { keepRecord, type PartRecord } from "../gate/record.ts";
import { standing } from "../gate/standing.ts";
import { quiet, regressions } from "./bands.ts";
import { collectFindings } from "./collect.ts";
import { History } from "./history.ts";
import { type Choice, type Part, timeFor } from "./parts.ts";
import { type PartRun, runPart } from "./run.ts";
import { minimizeFindings } from "./smaller.ts";

export interface Options extends Choice {
  readonly parts: readonly Part[];
  /** whether these are all parts there are: only then is there a folder */
  readonly whole: boolean;
  /** folder of all runs */
  readonly folder: string;
  /** folders of records and of findings, which outlive a run */
  readonly records: string;
  readonly findings: string;
  /** in place of the rule for how long a part may take */
  readonly timeFor?: typeof timeFor;
  /** ends the run; nothing of it is published then */
  readonly stopped: AbortSignal;
  /** told that a part begins, and how long it may take */
  readonly onStart: (part: Part, seconds: number) => void;
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
  /** whether every part ran to its own end */
  readonly whole: boolean;
  readonly quiet: readonly string[];
  readonly regressions: readonly string[];
  /** the gravest of the parts, and 1 where the lab was quiet */
  readonly exit: number;
  readonly budget: string;
}

/** Makes what a run's folder holds beyond logs and records; sees the history with the run in it. */
export type Publish = (night: Night, draft: string, history: History) => Promise<number>;

/** Ends the name of a folder whose run is not whole. */
export const PARTIAL = ".partial";

/** Seconds for making inputs of findings smaller. */
const MINIMIZE = 60;

const DRAFT = ".draft-";

/**
 * Runs the parts.
 * @returns the run, and the folder that it published, or null
 * @throws UsageError where another run is under way in the folder; the reason of `stopped`
 */
export async function nightly(
  options: Options,
  publish: Publish,
): Promise<{ night: Night; folder: string | null; exit: number }> {
  const { folder, findings, stopped } = options;
  Deno.mkdirSync(folder, { recursive: true });
  using lock = Deno.openSync(join(folder, "lock"), { write: true, create: true });
  if (!lock.tryLockSync(true)) throw new UsageError(`another nightly runs in ${folder}`);
  for (const left of [folder, findings]) removeDrafts(left);
  const started = new Date();
  const stamp = started.toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");
  const draft = join(folder, `${DRAFT}${stamp}`);
  Deno.mkdirSync(draft);
  const history = new History(join(folder, "history.sqlite"));
  try {
    const done = await runParts(options, draft, started);
    const ran = done.flatMap(({ run }) => run === null ? [] : [run.record]);
    for (const record of ran) keepRecord(join(draft, "records"), record);
    await collectFindings(join(draft, "fuzz", "findings"), findings);
    const failed = await minimizeFindings(findings, MINIMIZE, stopped);
    const night = judge(options, started, done, history, failed);
    if (!options.whole) return { night, folder: null, exit: night.exit };
    const { commit, corpus } = standing();
    const { budget, exit } = night;
    history.add({ started: night.started, commit, corpus, budget, exit }, entire(done), ran);
    const code = await publish(night, draft, history);
    // a signal is heard only between two turns of the event loop
    await new Promise((turn) => setTimeout(turn));
    stopped.throwIfAborted();
    const path = join(folder, night.whole ? stamp : stamp + PARTIAL);
    Deno.renameSync(draft, path);
    history.commit();
    Deno.copyFileSync(join(path, "findings.sarif"), join(folder, "latest.sarif"));
    return { night, folder: path, exit: code };
  } finally {
    history.close();
    removeDrafts(folder);
  }
}

/** What runs that were killed left behind. */
function removeDrafts(folder: string): void {
  let names: string[] = [];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  for (const name of names.filter((one) => one.startsWith(DRAFT))) {
    Deno.removeSync(join(folder, name), { recursive: true });
  }
}

async function runParts(options: Options, draft: string, started: Date): Promise<Done[]> {
  const { parts, budget, records, stopped, onStart, onPart } = options;
  const done: Done[] = [];
  for (const [i, part] of parts.entries()) {
    const left = budget - (Date.now() - started.getTime()) / 1000;
    const seconds = (options.timeFor ?? timeFor)(parts.slice(i), options, left);
    if (left > 0) onStart(part, seconds);
    const run = left > 0 ? await runPart(part, options, draft, seconds, stopped) : null;
    if (run !== null) keepRecord(records, run.record);
    onPart(part, run);
    done.push({ part, run });
  }
  return done;
}

/** Records of the parts that ran to their end: what others say is not of the whole part. */
const entire = (done: readonly Done[]): PartRecord[] =>
  done.flatMap(({ run }) => run !== null && run.fault === null ? [run.record] : []);

function judge(
  { seconds, budget: all }: Options,
  started: Date,
  done: readonly Done[],
  history: History,
  failed: readonly string[],
): Night {
  const budget = `${all} s, ${seconds} s of fuzzing`;
  const records = entire(done);
  const lines = [
    ...done.filter(({ run }) => run?.fault !== null).map(({ part, run }) =>
      `${part.name}: ${run?.fault ?? "did not run: the budget was used up"}`
    ),
    ...quiet(records, history, budget),
    ...failed.map((name) => `minimize: the lab itself failed with ${name}`),
  ];
  const codes = done.flatMap(({ run }) => run === null ? [] : [codeOf(run.record)]);
  return {
    started: started.toISOString(),
    ended: new Date().toISOString(),
    done,
    whole: records.length === done.length,
    quiet: lines,
    regressions: regressions(records, history, budget),
    exit: Math.max(lines.length > 0 ? EXIT.broken : EXIT.holds, ...codes),
    budget,
  };
}

/** A process that was ended by a signal has a code that means nothing here. */
const codeOf = ({ exit }: PartRecord) => exit >= 0 && exit <= EXIT.disagree ? exit : EXIT.broken;
