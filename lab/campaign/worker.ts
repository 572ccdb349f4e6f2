/**
 * A worker of a campaign: takes over what the last round brought, claims slices of this one until
 * none is left, and reports them. Started by `pool.ts`.
 */
import { parentPort, workerData } from "node:worker_threads";
import { mutate } from "../../mutators/mutate.ts";
import { chooseRepair, repair } from "../../mutators/repair.ts";
import { Beat, Control } from "./beat.ts";
import { load } from "./build.ts";
import { Corpus, type Entry } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { type EngineOptions, type Found, type Plan, type Report, runSlice } from "./slice.ts";
import type { Subject } from "./subject.ts";

/** What a worker is started with. */
export interface WorkerData {
  readonly guided: string;
  readonly comparing: string;
  readonly control: SharedArrayBuffer;
  readonly beat: SharedArrayBuffer;
  readonly limit: number;
  readonly edits: number;
  readonly structured: boolean;
  readonly entries: readonly Entry[];
  readonly tokens: readonly Uint8Array[];
}

/** A round: what the one before brought, in order, and the slices to claim. */
export interface Round {
  readonly merged: readonly Report[];
  readonly plans: readonly Plan[];
  /** numbers of the slices that are still to do, in order of claims */
  readonly open: readonly number[];
}

/** A flaw that was just seen, told of before the slice goes on. */
export interface News {
  readonly slice: number;
  readonly found: Found;
}

/** A slice that is done. */
export interface Done {
  readonly slice: number;
  readonly report: Report;
}

/** Mutation and repair of SLM2 artifacts. */
const STRUCTURED: Pick<EngineOptions, "mutate" | "repair"> = {
  mutate,
  repair: (input, random, parent) => repair(input, chooseRepair(random), parent),
};

if (parentPort) await serve(parentPort, workerData);

async function serve(port: NonNullable<typeof parentPort>, data: WorkerData): Promise<void> {
  const guided = await load<{ subject: Subject }>(data.guided);
  const comparing = await load<{ subject: Subject }>(data.comparing);
  const control = new Control(data.control);
  const beat = new Beat(data.beat);
  const corpus = new Corpus(guided.counters.length, data.tokens);
  for (const entry of data.entries) corpus.add(entry);
  const now = new Coverage(guided.counters);
  const { limit, edits, structured } = data;
  const work = ({ merged, plans, open }: Round): Done[] => {
    for (const report of merged) corpus.merge(report);
    const done: Done[] = [];
    for (let next = control.claim(); next < open.length; next = control.claim()) {
      const slice = open[next];
      const report = runSlice(
        {
          subject: guided.exports.subject,
          comparing: comparing.exports.subject,
          ...structured && STRUCTURED,
          limit,
          edits,
          digest: true,
          beat(input, execution) {
            beat.show(slice, execution, input);
            return !control.stopped;
          },
          found: (found) => port.postMessage({ slice, found } satisfies News),
        },
        corpus,
        now,
        plans[slice],
      );
      done.push({ slice, report });
    }
    return done;
  };
  // out of a timer, not of the message: only so a full heap is told of at once
  port.on("message", (round: Round) =>
    setTimeout(() => {
      try {
        port.postMessage(work(round));
      } catch (error) {
        // a subject's throws are caught where it runs: this is a bug of the lab
        port.postMessage(error);
      }
    }, 0));
  port.postMessage("ready");
}
