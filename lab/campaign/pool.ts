/**
 * The workers of a campaign, and the watch over them. A worker that dies or stands still costs
 * the campaign one slice's time: its input is judged alone, its slice is done again without it.
 */
import { Worker } from "node:worker_threads";
import { HEAP_MIB, Judge } from "./judge.ts";
import { Beat, Control, type LastSeen } from "./beat.ts";
import type { Corpus } from "./corpus.ts";
import type { Builds } from "./solo.ts";
import type { Plan, Report } from "./slice.ts";
import type { Flaw } from "./subject.ts";
import { type Death, STILL_MS, Watch } from "./watch.ts";
import type { Done, News, Round, WorkerData } from "./worker.ts";

/** An input on which workers ended so often, with nothing wrong when alone, is left out. */
const MOST_TRIES = 4;

export interface PoolOptions {
  readonly workers: number;
  readonly limit: number;
  readonly edits: number;
  /** whether inputs are SLM2 artifacts, for mutators that know the format */
  readonly structured: boolean;
}

/** An input that ends workers. */
export interface Deadly {
  readonly flaw: Flaw;
  readonly seen: LastSeen;
}

/** Who is told what a round brings while it lasts. */
export interface Told {
  deadly(one: Deadly): void;
  found(one: News): void;
}

const NOT_ALONE: Flaw = {
  class: "crash",
  key: "end of a worker, not alone",
  detail: "workers end on it in the course of a campaign, and not where it is judged alone",
};

/** Whether a flaw ends the worker that meets it; others are for its own reports. */
const isDeadly = (flaw: Flaw): boolean =>
  flaw.class === "hang" || flaw.class === "memory" || flaw.key.startsWith("end ");

/** One worker. */
interface Member {
  readonly worker: Worker;
  readonly beat: Beat;
  readonly watch: Watch;
  /** it can work */
  readonly ready: Promise<void>;
  death: Death | null;
  /** at work on a round: called when it has ended, with what it did or null for its death */
  end: ((done: Done[] | Error | null) => void) | null;
}

export class Pool {
  readonly #control = new Control();
  readonly #judge: Judge;
  #members: Member[] = [];
  #beatsBefore = 0;
  #stillMs = STILL_MS;
  #found: Told["found"] = () => {};

  constructor(
    private readonly builds: Builds,
    private readonly corpus: Corpus,
    private readonly options: PoolOptions,
  ) {
    this.#judge = new Judge(builds.guided);
  }

  /** Executions begun so far. */
  get executions(): number {
    return this.#members.reduce((sum, { beat }) => sum + beat.beats, this.#beatsBefore);
  }

  stop(): void {
    this.#control.stop();
  }

  get stopped(): boolean {
    return this.#control.stopped;
  }

  /**
   * Does the slices of a round.
   * @param merged what the round before brought, for workers that were there
   * @param told hears of each input that ended a worker, and of each flaw the moment it is seen
   * @returns the reports by slice; a slice is missing where the campaign was stopped
   */
  async round(
    merged: readonly Report[],
    plans: readonly Plan[],
    told: Told,
  ): Promise<Map<number, Report>> {
    const reports = new Map<number, Report>();
    this.#found = told.found;
    const todo = [...plans];
    const tries = new Array<number>(plans.length).fill(0);
    let known = new Set<Member>(this.#members);
    while (reports.size < plans.length && !this.stopped) {
      while (this.#members.length < this.options.workers) this.#members.push(this.#start());
      const open = plans.flatMap((_, slice) => reports.has(slice) ? [] : [slice]);
      this.#control.rewind();
      const deaths: Member[] = [];
      await Promise.all(this.#members.map(async (member) => {
        const news = known.has(member) ? merged : [];
        const done = await this.#work(member, { merged: news, plans: todo, open });
        if (done === null) deaths.push(member);
        else for (const { slice, report } of done) reports.set(slice, report);
      }));
      // who was here has taken the news over; who comes now starts with all of it
      known = new Set();
      for (const member of deaths) {
        const seen = member.beat.lastSeen;
        await this.#bury(member);
        if (seen.slice < 0) continue;
        const [flaw] = (await this.#judge.ask(seen.input)).filter(isDeadly);
        if (flaw !== undefined) told.deadly({ flaw, seen });
        else if (member.death === "still") {
          this.#stillMs *= 2; // the machine was busy, and the slice is done again
          continue;
        } else if (++tries[seen.slice] < MOST_TRIES) continue;
        else told.deadly({ flaw: NOT_ALONE, seen });
        const plan = todo[seen.slice];
        todo[seen.slice] = { ...plan, skip: [...plan.skip, seen.execution] };
      }
    }
    return reports;
  }

  async close(): Promise<void> {
    for (const { watch } of this.#members) watch.end();
    await Promise.all([
      this.#judge.close(),
      ...this.#members.map(({ worker }) => worker.terminate()),
    ]);
    this.#members = [];
  }

  #start(): Member {
    const beat = Beat.of(this.options.limit);
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: {
        guided: this.builds.guided.code,
        comparing: this.builds.comparing.code,
        control: this.#control.memory,
        beat: beat.memory,
        limit: this.options.limit,
        edits: this.options.edits,
        structured: this.options.structured,
        entries: this.corpus.entries,
        tokens: this.corpus.tokens.list,
      } satisfies WorkerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const ready = Promise.withResolvers<void>();
    const watch = new Watch(worker, beat, (death) => {
      ready.reject(new Error("a worker ended before it could work"));
      member.death = death;
      member.end?.(null);
    }, this.#stillMs);
    const member: Member = { worker, beat, watch, ready: ready.promise, end: null, death: null };
    worker.on("message", (message: "ready" | News | Done[] | Error) => {
      if (message === "ready") ready.resolve();
      else if ("found" in message) this.#found(message);
      else member.end?.(message);
    });
    return member;
  }

  async #work(member: Member, round: Round): Promise<Done[] | null> {
    await member.ready;
    return new Promise((resolve, reject) => {
      member.beat.forget();
      member.watch.working = true;
      member.end = (done) => {
        member.end = null;
        member.watch.working = false;
        if (done instanceof Error) reject(done);
        else resolve(done);
      };
      member.worker.postMessage(round);
    });
  }

  async #bury(member: Member): Promise<void> {
    this.#beatsBefore += member.beat.beats;
    this.#members = this.#members.filter((one) => one !== member);
    member.watch.end();
    await member.worker.terminate();
  }
}
