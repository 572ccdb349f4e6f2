/**
 * The workers of a campaign, and the watch over them. A worker that dies or stands still costs
 * the campaign one slice's time: its input is judged alone, its slice is done again without it.
 */
import { Worker } from "node:worker_threads";
import { Beat, Control, type LastSeen } from "./beat.ts";
import type { Corpus } from "./corpus.ts";
import type { Builds } from "./solo.ts";
import type { Plan, Report } from "./slice.ts";
import type { Flaw } from "./subject.ts";
import { HEAP_MIB, suspect } from "./suspect.ts";
import type { Done, Round, WorkerData } from "./worker.ts";

/** Time without a beat after which a worker is looked at, and how often its beat is felt. */
const STILL_MS = 700;
const FEEL_MS = 100;

/** A slice on which workers stood still so often, with nothing wrong when alone, is given up. */
const MOST_TRIES = 4;

export interface PoolOptions {
  readonly workers: number;
  readonly limit: number;
  readonly edits: number;
}

/** An input that ends workers. */
export interface Deadly {
  readonly flaw: Flaw;
  readonly seen: LastSeen;
}

/** One worker. */
interface Member {
  readonly worker: Worker;
  readonly beat: Beat;
  /** has told that it can work */
  readonly ready: Promise<boolean>;
  /** at work on a round: called when it has ended, with what it did or null for its death */
  end: ((done: Done[] | Error | null) => void) | null;
  beats: number;
  since: number;
}

export class Pool {
  readonly #control = new Control();
  #members: Member[] = [];
  #watch: ReturnType<typeof setInterval> | undefined;
  #beatsBefore = 0;

  constructor(
    private readonly builds: Builds,
    private readonly corpus: Corpus,
    private readonly options: PoolOptions,
  ) {}

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
   * @param deadly is told of each input that ended a worker
   * @returns the reports by slice; a slice is missing where the campaign was stopped
   */
  async round(
    merged: readonly Report[],
    plans: readonly Plan[],
    deadly: (one: Deadly) => void,
  ): Promise<Map<number, Report>> {
    const reports = new Map<number, Report>();
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
        const flaw = await suspect(this.builds.guided.code, seen.input);
        if (flaw !== null) deadly({ flaw, seen });
        if (flaw === null && ++tries[seen.slice] < MOST_TRIES) continue;
        const plan = todo[seen.slice];
        todo[seen.slice] = { ...plan, skip: [...plan.skip, seen.execution] };
      }
    }
    return reports;
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await Promise.all(this.#members.map(({ worker }) => worker.terminate()));
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
        entries: this.corpus.entries,
        tokens: this.corpus.tokens.list,
      } satisfies WorkerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const ready = Promise.withResolvers<boolean>();
    const member: Member = {
      worker,
      beat,
      ready: ready.promise,
      end: null,
      beats: 0,
      since: performance.now(),
    };
    worker.on("message", (message: "ready" | Done[] | Error) => {
      if (message === "ready") ready.resolve(true);
      else member.end?.(message);
    });
    const dead = () => {
      ready.resolve(false);
      member.end?.(null);
    };
    worker.on("error", dead);
    worker.on("exit", dead);
    this.#watch ??= setInterval(() => this.#feel(), FEEL_MS);
    return member;
  }

  async #work(member: Member, round: Round): Promise<Done[] | null> {
    if (!await member.ready) return null;
    return new Promise((resolve, reject) => {
      member.since = performance.now();
      member.end = (done) => {
        member.end = null;
        if (done instanceof Error) reject(done);
        else resolve(done);
      };
      member.worker.postMessage(round);
    });
  }

  /** Who is at work and has not beaten for too long is as good as dead. */
  #feel(): void {
    const now = performance.now();
    for (const member of this.#members) {
      const { beats } = member.beat;
      if (beats !== member.beats || member.end === null) {
        member.beats = beats;
        member.since = now;
      } else if (now - member.since > STILL_MS) member.end(null);
    }
  }

  async #bury(member: Member): Promise<void> {
    this.#beatsBefore += member.beat.beats;
    this.#members = this.#members.filter((one) => one !== member);
    await member.worker.terminate();
  }
}
