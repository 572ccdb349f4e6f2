/** A whole conformance run: testees started, asked, ended, judged. */
import type { Entry } from "../../corpus/index.ts";
import type { Report } from "../../reports/conformance/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { UsageError } from "../exit.ts";
import { progress } from "../progress.ts";
import type { Limits } from "../testee/child.ts";
import { startReader } from "../testee/house.ts";
import { startTestee } from "../testee/subprocess.ts";
import type { Testee } from "../testee/testee.ts";
import { splitWords } from "../testee/words.ts";
import { type Corpus, Files, type Send } from "./cases.ts";
import { type Claim, makeClaim } from "./claim.ts";
import { type Journal, NO_JOURNAL, openJournal } from "./journal.ts";
import { fullLine } from "./judge.ts";
import type { KnownList } from "./known.ts";
import { makeReport, type TesteeRun } from "./report.ts";
import { run } from "./run.ts";

/** A testee to be: one of our readers by name and place, or a command line. */
export type Who = { readonly reader: string } | { readonly command: string };

export interface ConformOptions {
  /** how the entries were chosen, for the report; empty for all that there are */
  readonly selection: string;
  /** for the report of every testee */
  readonly notes: readonly string[];
  readonly known: readonly KnownList[];
  /** processes a testee */
  readonly workers: number;
  readonly limits: Limits;
  readonly giveUp: number;
  readonly send: Send;
  /** path of a journal to go on from */
  readonly journal?: string;
  readonly stopped: AbortSignal;
}

export interface Conformed {
  readonly report: Report;
  /** parallel to `report.testees`; null where the run was not of the whole corpus */
  readonly claims: readonly (Claim | null)[];
}

/**
 * Asks each testee about each entry.
 * @throws UsageError where a testee cannot be started, a file is not the one that the index
 *   names, or an expected-failure list speaks about nobody
 */
export async function conform(
  corpus: Corpus,
  entries: readonly Entry[],
  who: readonly Who[],
  options: ConformOptions,
): Promise<Conformed> {
  const { index } = corpus;
  const files = new Files(corpus);
  const about = JSON.stringify([index.content_id, options.limits]);
  const journal = options.journal === undefined ? NO_JOURNAL : openJournal(options.journal, about);
  const runs: TesteeRun[] = [];
  try {
    for (const one of who) runs.push(await runOne(one, entries, files, journal, options));
  } finally {
    journal.close();
  }
  const stray = options.known.find(({ testee }) => runs.every(({ info }) => info.name !== testee));
  if (stray !== undefined) {
    const names = runs.map(({ info }) => foreign(info.name)).join(", ");
    throw new UsageError(
      `a list of expected failures is about '${foreign(stray.testee)}'; asked were ${names}`,
    );
  }
  const report = makeReport(index, entries, options.selection, runs, options.known);
  const whole = options.selection === "";
  const claims = runs.map((run, i) => {
    if (!whole || run.end !== null) return null;
    const verdicts = [...run.outcomes].map(([id, outcome]) => [id, fullLine(outcome)]);
    return makeClaim(
      run.info,
      report.corpus,
      report.testees[i].results,
      Object.fromEntries(verdicts),
    );
  });
  return { report, claims };
}

async function runOne(
  who: Who,
  entries: readonly Entry[],
  files: Files,
  journal: Journal,
  options: ConformOptions,
): Promise<TesteeRun> {
  const testees: Testee[] = [];
  const ends: (string | null)[] = [];
  try {
    testees.push(...await start(who, Math.min(options.workers, entries.length), options.limits));
    const [{ info, notes }] = testees;
    const bar = progress(foreign(info.name, 30), entries.length, "cases");
    let done = 0;
    const { outcomes, end } = await run(testees, entries, {
      ...options,
      // in this process a file is read once for all readers
      send: "reader" in who ? "bytes" : options.send,
      files,
      journal,
      key: JSON.stringify([who, info.name, info.version]),
      onAnswer: () => bar.update(++done),
    }).finally(() => bar.stop());
    ends.push(...await Promise.all(testees.splice(0).map((testee) => testee.close())));
    // in the order of the index, whichever process was first
    const ordered = entries.flatMap(({ id }) => {
      const outcome = outcomes.get(id);
      return outcome === undefined ? [] : [[id, outcome] as const];
    });
    const closing = [...new Set(ends.filter((one) => one !== null))];
    return { info, notes: [...options.notes, ...notes], outcomes: new Map(ordered), end, closing };
  } finally {
    await Promise.all(testees.map((testee) => testee.close()));
  }
}

async function start(who: Who, count: number, limits: Limits): Promise<Testee[]> {
  if ("reader" in who) return [await startReader(who.reader, limits)];
  const words = splitWords(who.command);
  if (words === null) throw new UsageError(`an open quote in --testee ${foreign(who.command)}`);
  if (words.length === 0) throw new UsageError("--testee needs a command");
  const started = await Promise.all(
    Array.from({ length: count }, () => startTestee(words, limits)),
  );
  const failed = started.find((one) => "stderr" in one);
  if (failed === undefined) return started.filter((one) => "ask" in one);
  await Promise.all(started.map((one) => "ask" in one ? one.close() : null));
  const said = failed.stderr.trimEnd().split("\n").slice(-5).filter((line) => line.trim() !== "");
  const tail = said.map((line) => `\n  ${foreign(line)}`);
  throw new UsageError(
    `not a testee: ${foreign(who.command)}: ${foreign(failed.why, 400)}${tail.join("")}\n` +
      'A testee answers {"hello":"slm2-testee/1"} with {"testee":{...}} on a line of its own, ' +
      "flushes after each line, and logs to standard error (corpus/spec/testee.md).",
  );
}
