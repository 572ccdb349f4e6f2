/**
 * A campaign: rounds until the budget is spent or someone stops it. What it finds follows from the
 * seed and the number of executions; the number of workers and the machine's speed change only how
 * long that takes.
 */
import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { FindingClass } from "../oracle/oracle.ts";
import { UsageError } from "../exit.ts";
import type { SeededFault } from "../faults/fault.ts";
import { Corpus } from "./corpus.ts";
import { AS_IT_STANDS, SUBJECT } from "./court.ts";
import { STORE } from "./inputs.ts";
import { type Filed, Filing } from "./filing.ts";
import { type Court, Judge } from "./judge.ts";
import { countersOf } from "./load.ts";
import { peakMemory } from "./memory.ts";
import { Pool } from "./pool.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { STEPS } from "./schedule.ts";
import { SecondLook } from "./second.ts";
import { Probing } from "./probing.ts";
import { type Cut, planRound } from "./round.ts";
import { CampaignStore, type Settings, type Yields } from "./store.ts";
import type { Report } from "./plan.ts";

export interface CampaignOptions {
  /** absent: that of the campaign which goes on, or 1 */
  readonly seed?: number;
  readonly workers: number;
  /** the budget: whichever ends first */
  readonly seconds?: number;
  /** those of earlier runs counted */
  readonly executions?: number;
  /** folder of the results */
  readonly out: string;
  /** goes on with what is there */
  readonly resume: boolean;
  /** further inputs to start from */
  readonly seeds?: readonly Uint8Array[];
  /** planted into the subject */
  readonly fault?: SeededFault;
  /** commands of external testees, whose opinions are asked too */
  readonly testees?: readonly string[];
  /** milliseconds for one answer of theirs */
  readonly patience?: number;
  /** ends it: while it is built at once, then after what is under way */
  readonly stopped?: AbortSignal;
  /** told after every round, and now and then in between */
  readonly progress?: (status: Status) => void;
  /** told of each finding once it is on the disk and confirmed */
  readonly filed?: (filed: Filed, input: Uint8Array) => void;
}

export interface Status {
  readonly round: number;
  /** those of earlier runs counted */
  readonly executions: number;
  /** of them in a round that did not end: looked at, not kept, and to be done again */
  readonly unkept: number;
  /** of this run */
  readonly seconds: number;
  /** executions a second, of this run; and for each second of its workers' processor time */
  readonly rate: number;
  readonly rateOfProcessor: number;
  /** share of the time of an execution that goes into hashing, by samples */
  readonly hashing: number;
  /** most bytes that were resident in one worker, and in the process that leads them */
  readonly memory: { readonly worker: number; readonly parent: number };
  readonly edges: number;
  readonly allEdges: number;
  /** inputs that are kept */
  readonly corpus: number;
  /** buckets by class, those of earlier runs counted */
  readonly findings: Readonly<Record<FindingClass, number>>;
  /** executions by the stage of their verdict; 27: passed stage 26 */
  readonly stages: readonly number[];
  readonly mutators: Yields;
  /** over all inputs in order */
  readonly digest: number;
}

/** Slices of a round and executions of a slice: part of what a seed means. */
export const CUT = { slices: 8, executions: 500, first: 12 };

/** Length in bytes that an input of the corpus may have. */
export const LIMIT = 8192;

/** Length of mutants that are executed and not kept: past every window and most limits of section 4. */
const LONGEST = 2 ** 19;

/** Edits of an entry's deterministic stage. */
export const EDITS = 768;

/** Seed artifacts of each family. */
const SEEDS = 3;

/** Rounds before growing work is probed: most is found in the first, and the probes want half a minute. */
const PROBED_FROM = 10;

const PROGRESS_MS = 500;

export class Campaign {
  readonly corpus: Corpus;
  readonly #pool: Pool;
  readonly #store: CampaignStore;
  readonly #cut: Cut;
  readonly #seeds: readonly Uint8Array[];
  readonly #judge: Judge;
  readonly #filing: Filing;
  readonly #probing: Probing;
  readonly #stages = new Array<number>(33).fill(0);
  readonly #mutators = new Map<string, { tries: number; finds: number }>();
  readonly #begun = performance.now();
  readonly #cost = { executions: 0, processor: 0, memory: 0, sampled: 0, hashing: 0 };
  #round = 0;
  #executions = 0;
  /** executions of earlier runs */
  #before = 0;
  /** executions of the rounds that are kept */
  #kept = 0;
  /** executions of the workers that are in `#executions` */
  #counted = 0;
  #digest = 0;

  private constructor(
    private readonly options: CampaignOptions,
    private readonly prepared: Prepared,
    store: CampaignStore,
    seed: number,
    private readonly second: SecondLook,
    private readonly lock: Deno.FsFile,
  ) {
    const { out, resume, seeds = [], fault, filed } = options;
    this.#store = store;
    this.#cut = { ...CUT, seed };
    this.#agree();
    this.#seeds = [...prepared.seeds, ...seeds];
    this.corpus = new Corpus(countersOf(prepared.edges), prepared.dictionary);
    this.#judge = new Judge(courtOf(prepared, fault));
    this.#filing = new Filing(`${out}/findings`, this.#store, this.#judge, fault?.id, filed);
    const counted = { build: prepared.guided, edges: prepared.edgesFile };
    this.#probing = new Probing(counted, (flaw, input) => {
      this.#filing.file(flaw, input, { seed, round: this.#round });
    });
    if (resume) this.#resume();
    const pool = {
      workers: options.workers,
      limit: LIMIT,
      longest: LONGEST,
      edits: EDITS,
      structured: true,
    };
    this.#pool = new Pool(prepared, this.corpus, pool);
  }

  /**
   * Builds the subject and opens the store; a former one that is not gone on with is set aside.
   * @throws UsageError where the campaign to go on with was another one, or one runs there now, or
   *   it was stopped before it was built
   */
  static async open(options: CampaignOptions): Promise<Campaign> {
    const { out, resume, fault, stopped } = options;
    // before a former campaign goes: a mistyped command costs none
    const second = await SecondLook.open({
      testees: options.testees ?? [],
      processes: options.workers,
      milliseconds: options.patience,
    });
    const existed = existsSync(out);
    let store: CampaignStore | undefined;
    let lock: Deno.FsFile | undefined;
    try {
      const folder = resolve(out, "work");
      Deno.mkdirSync(folder, { recursive: true });
      lock = Deno.openSync(`${folder}/lock`, { write: true, create: true });
      if (!lock.tryLockSync(true)) throw new UsageError(`another campaign runs in ${out}`);
      if (resume && existsSync(`${out}/${STORE}`)) store = new CampaignStore(`${out}/${STORE}`);
      const seed = options.seed ?? Number(store?.settings?.seed ?? 1);
      const seeds = { seed, each: SEEDS, most: LIMIT };
      const prepared = await prepare(folder, { subject: SUBJECT, fault, seeds }, stopped);
      // a former campaign stays where it was until this one can begin
      if (!resume) setAside(out);
      store ??= new CampaignStore(`${out}/${STORE}`);
      const campaign = new Campaign(options, prepared, store, seed, second, lock);
      stopped?.addEventListener("abort", () => campaign.stop());
      if (stopped?.aborted) campaign.stop();
      return campaign;
    } catch (error) {
      store?.close();
      lock?.close();
      await second.close();
      if (!stopped?.aborted) throw error;
      rmSync(existed ? resolve(out, "work") : out, { recursive: true, force: true });
      throw new UsageError(
        `interrupted while the readers were being built: nothing was executed, and ${out} is as it was`,
      );
    }
  }

  /** Ends the campaign after what is under way; may be called from a signal handler. */
  stop(): void {
    this.#pool.stop();
  }

  async run(): Promise<Status> {
    const { seconds = Infinity, executions = Infinity, progress } = this.options;
    const end = setTimeout(() => this.stop(), Math.min(seconds * 1000, 2 ** 31 - 1));
    const tell = setInterval(() => progress?.(this.status()), PROGRESS_MS);
    let merged: Report[] = [];
    try {
      while (!this.#pool.stopped && this.#executions < executions) {
        const left = executions - this.#executions;
        const seeds = this.#seeds.slice(this.#executions);
        const plans = planRound(this.#cut, this.#round, this.corpus, seeds, left);
        const where = { seed: this.#cut.seed, round: this.#round };
        const done = await this.#pool.round(merged, plans, {
          deadly: ({ flaw, seen: { slice, execution, input } }) =>
            this.#filing.file(flaw, input, { ...where, slice, execution }),
          found: ({ slice, found: { flaw, input, execution } }) =>
            this.#filing.file(flaw, input, { ...where, slice, execution }),
        });
        await this.#filing.settled();
        const inOrder = plans.flatMap((_, slice) => done.get(slice) ?? []);
        for (const report of inOrder) this.#count(report);
        this.#counted = this.#pool.executions;
        // a round that was stopped is done again when the campaign goes on: it counts only here
        if (inOrder.length < plans.length) break;
        const shown = await this.second.look(inOrder, () => this.#pool.stopped);
        for (const { flaw, input } of shown ?? []) this.#filing.file(flaw, input, where);
        await this.#filing.settled();
        if (shown === null) break;
        for (const { flaw } of shown) this.#filing.count(flaw.key, 1);
        this.#keep(inOrder);
        if (this.#round >= PROBED_FROM) this.#probing.begin();
        merged = inOrder.map((report) => ({ ...report, samples: [] }));
        progress?.(this.status());
      }
      return this.status();
    } finally {
      clearTimeout(end);
      clearInterval(tell);
      await this.#probing.close();
      await this.#filing.settled();
      await Promise.all([this.#pool.close(), this.#judge.close(), this.second.close()]);
      this.#store.close();
      this.lock.close();
    }
  }

  status(): Status {
    const seconds = (performance.now() - this.#begun) / 1000;
    const executions = this.#executions + this.#pool.executions - this.#counted;
    return {
      round: this.#round,
      executions,
      unkept: executions - this.#kept,
      seconds,
      rate: (executions - this.#before) / seconds,
      rateOfProcessor: this.#cost.executions / (this.#cost.processor || 1),
      hashing: this.#cost.hashing / (this.#cost.sampled || 1),
      memory: { worker: this.#cost.memory, parent: peakMemory() },
      edges: this.corpus.seen.edges,
      allEdges: this.prepared.edges,
      corpus: this.corpus.entries.length,
      findings: this.#filing.counts,
      stages: this.#stages,
      mutators: Object.fromEntries(this.#mutators),
      digest: this.#digest,
    };
  }

  #count(report: Report): void {
    this.#executions += report.executions;
    const { processor = 0, memory = 0 } = report.cost ?? {};
    const cost = this.#cost;
    cost.executions += report.executions;
    cost.processor += processor;
    cost.memory = Math.max(cost.memory, memory);
    cost.sampled += report.sampled.whole;
    cost.hashing += report.sampled.hashing;
    report.stages.forEach((count, stage) => this.#stages[stage] += count);
    for (const [name, tries, finds] of report.mutators) this.#credit(name, tries, finds);
  }

  #keep(reports: readonly Report[]): void {
    const touched = new Set<number>();
    for (const report of reports) {
      this.corpus.merge(report);
      this.#digest = Math.imul(this.#digest ^ report.digest, 0x01000193) >>> 0;
      for (const [number] of report.work) touched.add(number);
      for (const { flaw, times } of report.found) this.#filing.count(flaw.key, times);
    }
    const row = {
      round: this.#round,
      executions: this.#executions,
      digest: this.#digest,
      edges: this.corpus.seen.edges,
      entries: this.corpus.entries.length,
      stages: this.#stages,
      mutators: Object.fromEntries(this.#mutators),
    };
    this.#store.keep(row, this.corpus, touched);
    this.corpus.forgetFeatures();
    this.#round++;
    this.#kept = this.#executions;
  }

  #credit(name: string, tries: number, finds: number): void {
    const before = this.#mutators.get(name) ?? { tries: 0, finds: 0 };
    this.#mutators.set(name, { tries: before.tries + tries, finds: before.finds + finds });
  }

  /** Keeps what decides the campaign's inputs, or holds it against what is kept. */
  #agree(): void {
    const { guided, comparing } = this.prepared;
    const build = createHash("sha256");
    for (const path of [guided, comparing]) build.update(Deno.readFileSync(path));
    const settings: Settings = {
      seed: String(this.#cut.seed),
      limits: JSON.stringify({ ...CUT, LIMIT, LONGEST, EDITS, SEEDS, STEPS }),
      subject: build.digest("hex"),
      fault: this.options.fault?.id ?? "none",
      testees: JSON.stringify(this.options.testees ?? []),
      corpus: digestOf(this.options.seeds ?? []),
    };
    const kept = this.#store.settings;
    if (kept === null) {
      this.#store.settings = settings;
      return;
    }
    for (const [name, value] of Object.entries(settings)) {
      if (kept[name] === value) continue;
      throw new UsageError(
        `the campaign in ${this.options.out} has another ${name}: ${
          kept[name] ?? "none"
        }, not ${value}`,
      );
    }
  }

  #resume(): void {
    this.#filing.resume();
    const last = this.#store.lastRound();
    if (last === null) return;
    this.#store.loadInto(this.corpus);
    this.corpus.forgetFeatures();
    this.#round = last.round + 1;
    this.#executions = this.#before = this.#kept = last.executions;
    this.#digest = last.digest;
    last.stages.forEach((count, stage) => this.#stages[stage] = count);
    for (const [name, { tries, finds }] of Object.entries(last.mutators)) {
      this.#credit(name, tries, finds);
    }
  }
}

/** A list of inputs in a few words, another for another list. */
function digestOf(inputs: readonly Uint8Array[]): string {
  if (inputs.length === 0) return "none";
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(`${input.length}:`).update(input);
  return `${inputs.length} inputs, sha256 ${hash.digest("hex")}`;
}

/** The subject without counters: what it does not confirm is their fault. */
const courtOf = (prepared: Prepared, fault: SeededFault | undefined): Court =>
  fault ? { build: prepared.plain, edges: prepared.edgesFile } : AS_IT_STANDS;

/** The store of the campaign before, kept until the next one. */
const BEFORE = "before.sqlite";

function setAside(out: string): void {
  if (!existsSync(`${out}/${STORE}`)) return;
  for (const end of ["", "-wal", "-shm"]) {
    rmSync(`${out}/${BEFORE}${end}`, { force: true });
    const from = `${out}/${STORE}${end}`;
    if (existsSync(from)) Deno.renameSync(from, `${out}/${BEFORE}${end}`);
  }
}
