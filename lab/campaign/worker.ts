/**
 * A worker of a campaign, in a process of its own: takes over what rounds brought, does one slice
 * after another, and reports each. Started by `pool.ts` from the build that `prepare.ts` made.
 */
import process from "node:process";
import { pathToFileURL } from "node:url";
import { mutate } from "../../mutators/mutate.ts";
import { isRequest, sortOf } from "../../mutators/request.ts";
import { chooseRepair, repair } from "../../mutators/repair.ts";
import { lookAgain } from "./again.ts";
import { Beat } from "./beat.ts";
import { type Changes, Corpus, type Entry } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { beChild, received, send } from "./frames.ts";
import { InputFile } from "./input_file.ts";
import { loadFrom } from "./load.ts";
import { peakMemory, thrift } from "./memory.ts";
import type { EngineOptions, Found, Plan, Report } from "./plan.ts";
import { runSlice } from "./slice.ts";
import type { Subject } from "./subject.ts";

/** What a worker is started with. */
export interface WorkerData {
  /** paths of both builds, of the file of its beats, and of the corpus' inputs */
  readonly guided: string;
  readonly comparing: string;
  readonly beat: string;
  readonly inputs: string;
  readonly limit: number;
  readonly longest: number;
  readonly edits: number;
  readonly structured: boolean;
}

/** A slice to do, and what rounds brought since the last one. */
export interface Order {
  readonly changes: Changes | null;
  readonly slice: number;
  readonly plan: Plan;
}

/** A flaw that was just seen, told of before the slice goes on. Else it tells a report, or an error. */
export interface News {
  readonly slice: number;
  readonly found: Found;
}

/** What follows from an entry's input, found once: entries outlive the slices that look at them. */
function once<T>(of: (input: Uint8Array) => T): (entry: Entry) => T {
  const found = new WeakMap<Entry, { readonly value: T }>();
  return (entry) => {
    let one = found.get(entry);
    if (one === undefined) found.set(entry, one = { value: of(entry.bytes) });
    return one.value;
  };
}

/** Mutation and repair of SLM2 artifacts, with requests beside them. */
const STRUCTURED: Pick<EngineOptions, "mutate" | "repair" | "aside" | "sort"> = {
  mutate,
  aside: once(isRequest),
  sort: once(sortOf),
  repair: (input, random, parent) => repair(input, chooseRepair(random), parent),
};

if (import.meta.main && Deno.args.length > 0) await serve(JSON.parse(Deno.args[0]));

async function serve(data: WorkerData): Promise<void> {
  beChild();
  const { limit, longest, edits, structured } = data;
  const guided = await loadFrom<{ subject: Subject }>(pathToFileURL(data.guided).href);
  const comparing = await loadFrom<{ subject: Subject }>(pathToFileURL(data.comparing).href);
  const beat = new Beat(data.beat, longest);
  const inputs = InputFile.open(data.inputs);
  const now = new Coverage(guided.counters);
  const corpus = new Corpus(guided.counters.length);
  let slice = 0;
  const options: EngineOptions = {
    subject: guided.exports.subject,
    comparing: comparing.exports.subject,
    clock: guided.clock,
    steps: guided.steps,
    ...structured && STRUCTURED,
    limit,
    longest,
    edits,
    digest: true,
    beat: (input, execution) => beat.show(slice, execution, input),
    found: (found) => send({ slice, found } satisfies News),
  };
  const { dropProgram, dropFreed } = thrift();
  dropProgram();
  send("ready");
  for (const message of received()) {
    const order = message as Order;
    if (order.changes !== null) corpus.take(order.changes, inputs);
    slice = order.slice;
    try {
      const before = process.cpuUsage();
      const done = runSlice(options, corpus, now, order.plan);
      const report = await lookAgain(options, order.plan, done);
      const { user, system } = process.cpuUsage(before);
      dropFreed();
      const { rss } = Deno.memoryUsage();
      const cost = { processor: (user + system) / 1e6, memory: peakMemory(), resident: rss };
      send({ ...report, cost } satisfies Report);
    } catch (error) {
      send(error); // a subject's throws are caught where it runs: this is a bug of the lab
    }
  }
  Deno.exit();
}
