/**
 * The workers of a campaign, and the watch over them. A worker that dies or stands still costs
 * the campaign one slice's time: its input is judged alone, its slice is done again without it.
 */
import { BeatFile, type LastSeen } from "./beat.ts";
import { Child } from "./child.ts";
import type { Changes, Corpus } from "./corpus.ts";
import { InputFile } from "./input_file.ts";
import { HEAP, Judge } from "./judge.ts";
import type { Prepared } from "./prepare.ts";
import type { Plan, Report } from "./plan.ts";
import type { Flaw } from "./subject.ts";
import { type Death, STILL_MS, Watch } from "./watch.ts";
import type { News, Order, WorkerData } from "./worker.ts";

/**
 * Resident memory above which a worker is replaced between two slices: what V8 and malloc keep in
 * pieces grows with all that they ran, and a slice does not depend on what ran before it.
 */
const MOST_MEMORY = 105 << 20;

/** A slice in which workers ended so often, with nothing wrong when alone, ends before that input. */
const MOST_TRIES = 4;

export interface PoolOptions {
  readonly workers: number;
  readonly limit: number;
  /** as in `EngineOptions` */
  readonly longest?: number;
  readonly edits: number;
  /** whether inputs are SLM2 artifacts, for mutators that know the format */
  readonly structured: boolean;
  /** bytes that a worker may hold when a slice ends, or another takes its place; absent: 105 MiB */
  readonly memory?: number;
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

/** A slice's first executions: what ends its workers may as well come after the one that is seen. */
const endingBefore = (execution: number, plan: Plan): Plan => ({
  ...plan,
  executions: execution,
  inputs: plan.inputs.slice(0, execution),
});

/** One worker. */
interface Member {
  readonly child: Child;
  readonly beat: BeatFile;
  readonly watch: Watch;
  /** how much of the corpus it knows, and which entries were worked on since */
  known: { entries: number; tokens: number };
  touched: Set<number>;
  /** its end, as soon as it is known */
  readonly dead: Promise<Death>;
}

/** The slices of one round: what is to do, and what is done. */
interface Work {
  readonly plans: Plan[];
  readonly open: number[];
  readonly tries: number[];
  readonly reports: Map<number, Report>;
  readonly told: Told;
}

export class Pool {
  readonly #judge: Judge;
  readonly #inputs: InputFile;
  /** by place; null where one has to be started */
  readonly #members: (Member | null)[];
  #beatsBefore = 0;
  #stillMs = STILL_MS;
  #stopped = false;

  constructor(
    private readonly prepared: Prepared,
    private readonly corpus: Corpus,
    private readonly options: PoolOptions,
  ) {
    this.#judge = new Judge({ build: prepared.guided, edges: prepared.edgesFile });
    this.#inputs = InputFile.create(`${prepared.folder}/inputs`);
    corpus.keepIn(this.#inputs);
    this.#members = new Array(options.workers).fill(null);
  }

  /** Executions begun so far. */
  get executions(): number {
    return this.#members.reduce((sum, one) => sum + (one?.beat.beats ?? 0), this.#beatsBefore);
  }

  /** Slices that are under way are done, no other is begun. */
  stop(): void {
    this.#stopped = true;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Process ids of the workers that live. */
  get processes(): number[] {
    return this.#members.flatMap((one) => one?.child.pid ?? []);
  }

  /**
   * Does the slices of a round.
   * @param merged what the round before brought; the corpus has it already
   * @param told hears of each input that ended a worker, and of each flaw the moment it is seen
   * @returns the reports by slice; a slice is missing where the campaign was stopped
   */
  async round(
    merged: readonly Report[],
    plans: readonly Plan[],
    told: Told,
  ): Promise<Map<number, Report>> {
    for (const { work } of merged) {
      for (const [number] of work) this.#members.forEach((member) => member?.touched.add(number));
    }
    const work: Work = {
      plans: [...plans],
      open: [...plans.keys()],
      tries: new Array(plans.length).fill(0),
      reports: new Map(),
      told,
    };
    await Promise.all(this.#members.map((_, place) => this.#serve(place, work)));
    return work.reports;
  }

  async close(): Promise<void> {
    const living = this.#members.flatMap((one) => one ?? []);
    this.#members.fill(null);
    await Promise.all([this.#judge.close(), ...living.map((member) => this.#bury(member))]);
    this.#inputs.close();
    Deno.removeSync(this.#inputs.path);
  }

  /** The worker of one place: slices until none is open. */
  async #serve(place: number, work: Work): Promise<void> {
    while (!this.#stopped) {
      const slice = work.open.shift();
      if (slice === undefined) return;
      const member = this.#members[place] ??= await this.#start(place);
      const done = await this.#do(member, slice, work);
      if (typeof done !== "string") {
        work.reports.set(slice, done);
        const { memory = MOST_MEMORY } = this.options;
        if ((done.cost?.resident ?? 0) > memory) await this.#dismiss(place);
        continue;
      }
      const { lastSeen } = member.beat;
      await this.#dismiss(place);
      await this.#inquire(done, lastSeen, slice, work);
      work.open.unshift(slice);
    }
  }

  /** Why a worker ended on an input; where the input is at fault, its slice leaves it out. */
  async #inquire(death: Death, seen: LastSeen, slice: number, work: Work): Promise<void> {
    if (seen.slice !== slice) return;
    const [flaw] = (await this.#judge.ask(seen.input)).filter(isDeadly);
    if (flaw !== undefined) work.told.deadly({ flaw, seen });
    else if (death === "still") {
      this.#stillMs *= 2; // the machine was busy, and the slice is done again
      return;
    } else if (++work.tries[slice] < MOST_TRIES) return;
    else {
      work.told.deadly({ flaw: NOT_ALONE, seen });
      work.plans[slice] = endingBefore(seen.execution, work.plans[slice]);
      return;
    }
    const plan = work.plans[slice];
    work.plans[slice] = { ...plan, skip: [...plan.skip, seen.execution] };
  }

  /** Ends the worker of a place; the next slice there begins another. */
  async #dismiss(place: number): Promise<void> {
    const member = this.#members[place];
    this.#members[place] = null;
    if (member !== null) await this.#bury(member);
  }

  async #start(place: number): Promise<Member> {
    const { limit, longest = limit, edits, structured } = this.options;
    const { folder, worker, guided, comparing } = this.prepared;
    const beat = new BeatFile(`${folder}/beat${place}`, longest);
    const child = new Child({
      script: worker,
      data: {
        guided,
        comparing,
        beat: beat.path,
        inputs: this.#inputs.path,
        limit,
        longest,
        edits,
        structured,
      } satisfies WorkerData,
      ...HEAP,
    });
    const ready = new Promise<void>((resolve) => child.told = () => resolve());
    const early = await Promise.race([ready, child.ended]);
    if (early) throw new Error(`a worker ended before it could work: ${early.text}`);
    const dead = Promise.withResolvers<Death>();
    const watch = new Watch(child, beat, dead.resolve, this.#stillMs);
    const known = { entries: 0, tokens: 0 };
    return { child, beat, watch, known, touched: new Set(), dead: dead.promise };
  }

  async #do(member: Member, slice: number, { plans, told }: Work): Promise<Report | Death> {
    const { child, watch } = member;
    const answer = new Promise<Report | Error>((resolve) =>
      child.told = (message) => {
        const news = message as News | Report | Error;
        if ("slice" in news) told.found(news);
        else resolve(news);
      }
    );
    child.send({ changes: this.#changes(member), slice, plan: plans[slice] } satisfies Order);
    watch.working = true;
    const done = await Promise.race([answer, member.dead]);
    watch.working = false;
    if (done instanceof Error) throw done;
    return done;
  }

  /** What a worker does not know of the corpus; null where it knows all: it stands still in a round. */
  #changes(member: Member): Changes | null {
    const { known, touched } = member;
    const [entries, tokens] = [this.corpus.entries.length, this.corpus.tokens.list.length];
    member.known = { entries, tokens };
    member.touched = new Set();
    if (known.entries === entries && known.tokens === tokens && touched.size === 0) return null;
    const old = [...touched].filter((number) => number < known.entries);
    return this.corpus.changes(known.entries, known.tokens, old);
  }

  async #bury({ child, watch, beat }: Member): Promise<void> {
    this.#beatsBefore += beat.beats;
    watch.end();
    await child.kill();
    beat.close();
  }
}
