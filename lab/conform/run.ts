/** One testee asked about all cases, by as many of its processes as there are. */
import type { Entry } from "../../corpus/index.ts";
import { runPool } from "../testee/pool.ts";
import { isFault, type Outcome, type Testee } from "../testee/testee.ts";
import { askOf, type Files, type Send } from "./cases.ts";
import type { Journal } from "./journal.ts";
import { isAsked } from "./judge.ts";

export interface RunOptions {
  readonly files: Files;
  readonly send: Send;
  /** key of this testee in the journal */
  readonly key: string;
  readonly journal: Journal;
  /** faults in a row after which no more is asked */
  readonly giveUp: number;
  readonly stopped: AbortSignal;
  readonly onAnswer: () => void;
}

/** What a testee said, case by case, and how the run ended. */
export interface Run {
  /** by case id; what is missing was not asked */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** why the rest was not asked, or null */
  readonly end: string | null;
}

/** Asks `testees`, which are one testee several times, about each case once. */
export async function run(
  testees: readonly Testee[],
  entries: readonly Entry[],
  options: RunOptions,
): Promise<Run> {
  const { files, send, key, journal, giveUp, stopped, onAnswer } = options;
  const outcomes = new Map<string, Outcome>();
  const { info } = testees[0];
  let faultsInARow = 0;
  let end: string | null = null;
  const asked = entries.filter((entry) => isAsked(entry, info));
  await runPool(testees, asked, async (testee, entry) => {
    if (stopped.aborted) {
      end = "the run was stopped";
      return false;
    }
    const before = journal.get(key, entry.id);
    const outcome = before ?? await testee.ask(askOf(entry, files, send));
    if (before === undefined) journal.put(key, entry.id, outcome);
    outcomes.set(entry.id, outcome);
    onAnswer();
    faultsInARow = isFault(outcome) ? faultsInARow + 1 : 0;
    if (faultsInARow >= giveUp) {
      end ??= `given up after ${giveUp} faults in a row, the last: ${outcome.verdict}`;
      return false;
    }
    return true;
  });
  return { outcomes, end };
}
