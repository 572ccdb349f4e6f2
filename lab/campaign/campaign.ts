/**
 * A campaign: rounds until the budget is spent or someone stops it. What it finds follows from the
 * seed and the number of executions; the number of workers and the machine's speed change only how
 * long that takes.
 */
import { resolve } from "node:path";
import type { BuildOptions } from "./build.ts";
import { Corpus } from "./corpus.ts";
import { fileFinding } from "./findings.ts";
import { Judge } from "./judge.ts";
import { countersOf } from "./load.ts";
import { Pool } from "./pool.ts";
import { type Cut, planRound } from "./round.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { CampaignStore } from "./store.ts";
import type { FindingClass } from "../oracle/oracle.ts";
import type { Flaw } from "./subject.ts";
import type { Report } from "./slice.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly workers: number;
  /** the budget: whichever ends first */
  readonly seconds?: number;
  readonly executions?: number;
  /** folder of the results */
  readonly out: string;
  /** goes on with what is there */
  readonly resume: boolean;
  /** further inputs to start from */
  readonly seeds?: readonly Uint8Array[];
  /** told after every round, and now and then in between */
  readonly progress?: (status: Status) => void;
}

export interface Status {
  readonly round: number;
  readonly executions: number;
  readonly seconds: number;
  readonly edges: number;
  readonly allEdges: number;
  readonly entries: number;
  readonly findings: Readonly<Record<FindingClass, number>>;
  /** executions by the stage of their verdict; 27: passed stage 26 */
  readonly stages: readonly number[];
  /** over all inputs in order */
  readonly digest: number;
}

/** Slices of a round and executions of a slice: part of what a seed means. */
const CUT = { slices: 8, executions: 500 };

/** Length in bytes that an input may have. */
const LIMIT = 8192;

/** Edits of an entry's deterministic stage. */
const EDITS = 768;

/** Seed artifacts of each family. */
const SEEDS = 3;

const PROGRESS_MS = 500;

/** The readers with counters, but for their hashes and signatures. */
export const SUBJECT: BuildOptions = {
  entry: "lab/campaign/readers.ts",
  instrumented: ["readers/"],
  left: [
    "readers/source.ts",
    "readers/cursor/blake3",
    "readers/cursor/sha512",
    "readers/cursor/ed25519",
    "readers/table/blake3",
    "readers/table/ed25519",
    "readers/table/hash",
  ],
};

/** The subject as it stands: what it does not confirm is the fault of the counters. */
export const AS_IT_STANDS = { module: new URL("./readers.ts", import.meta.url).href };

export class Campaign {
  readonly corpus: Corpus;
  readonly #pool: Pool;
  readonly #store: CampaignStore;
  readonly #cut: Cut;
  readonly #seeds: readonly Uint8Array[];
  readonly #findings = new Map<string, FindingClass>();
  /** what is filed for a flaw that workers told of, by its key there */
  readonly #filed = new Map<string, { flaw: Flaw; folder: string }>();
  readonly #judge = new Judge(AS_IT_STANDS);
  readonly #stages = new Array<number>(33).fill(0);
  readonly #begun = performance.now();
  #round = 0;
  #executions = 0;
  #digest = 0;

  private constructor(
    private readonly options: CampaignOptions,
    private readonly prepared: Prepared,
  ) {
    const path = `${options.out}/campaign.sqlite`;
    if (!options.resume) { for (const end of ["", "-wal", "-shm"]) removeIfThere(path + end); }
    this.#store = new CampaignStore(path);
    this.#cut = { ...CUT, seed: options.seed };
    this.#seeds = [...prepared.seeds, ...options.seeds ?? []];
    this.corpus = new Corpus(countersOf(prepared.edges));
    this.#resume();
    const pool = { workers: options.workers, limit: LIMIT, edits: EDITS, structured: true };
    this.#pool = new Pool(prepared, this.corpus, pool);
  }

  /** Builds the subject and opens the store. */
  static async open(options: CampaignOptions): Promise<Campaign> {
    const folder = resolve(options.out, "work");
    Deno.mkdirSync(folder, { recursive: true });
    const seeds = { seed: options.seed, each: SEEDS, most: LIMIT };
    return new Campaign(options, await prepare(folder, { subject: SUBJECT, seeds }));
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
        const plans = planRound(this.#cut, this.#round, this.corpus, this.#seeds, left);
        const deaths: Promise<void>[] = [];
        const done = await this.#pool.round(merged, plans, {
          deadly: ({ flaw, seen: { slice, execution, input } }) =>
            deaths.push(this.#file(flaw, input, { slice, execution }, 1)),
          found: () => {},
        });
        await Promise.all(deaths);
        const inOrder = plans.flatMap((_, slice) => done.get(slice) ?? []);
        for (const [slice, report] of done) await this.#fileAll(slice, report);
        if (inOrder.length < plans.length) break;
        this.#merge(inOrder);
        merged = inOrder;
        progress?.(this.status());
      }
    } finally {
      clearTimeout(end);
      clearInterval(tell);
      await Promise.all([this.#pool.close(), this.#judge.close()]);
    }
    const status = this.status();
    this.#store.close();
    return status;
  }

  status(): Status {
    const findings = { crash: 0, hang: 0, memory: 0, protocol: 0, disagreement: 0 };
    for (const kind of this.#findings.values()) findings[kind]++;
    return {
      round: this.#round,
      executions: this.#executions,
      seconds: (performance.now() - this.#begun) / 1000,
      edges: this.corpus.seen.edges,
      allEdges: this.prepared.edges,
      entries: this.corpus.entries.length,
      findings,
      stages: this.#stages,
      digest: this.#digest,
    };
  }

  #merge(reports: readonly Report[]): void {
    const touched = new Set<number>();
    for (const report of reports) {
      this.corpus.merge(report);
      this.#executions += report.executions;
      this.#digest = Math.imul(this.#digest ^ report.digest, 0x01000193) >>> 0;
      report.stages.forEach((count, stage) => this.#stages[stage] += count);
      for (const [number] of report.work) touched.add(number);
    }
    const row = {
      round: this.#round,
      executions: this.#executions,
      digest: this.#digest,
      edges: this.corpus.seen.edges,
      entries: this.corpus.entries.length,
      stages: this.#stages,
    };
    this.#store.keep(row, this.corpus, touched);
    this.#round++;
  }

  #resume(): void {
    const settings = JSON.stringify(this.#cut);
    const last = this.#store.lastRound();
    this.#store.set("cut", settings);
    if (last === null) return;
    this.#store.loadInto(this.corpus);
    this.#round = last.round + 1;
    this.#executions = last.executions;
    this.#digest = last.digest;
    last.stages.forEach((count, stage) => this.#stages[stage] = count);
  }

  async #fileAll(slice: number, report: Report): Promise<void> {
    for (const { flaw, input, execution, times } of report.found) {
      await this.#file(flaw, input, { slice, execution }, times);
    }
  }

  async #file(
    flaw: Flaw,
    input: Uint8Array,
    where: { slice: number; execution: number },
    times: number,
  ): Promise<void> {
    const known = this.#filed.get(flaw.key);
    const { flaw: filed, folder } = known ?? await this.#fileNew(flaw, input, where);
    this.#store.count(filed, folder, this.#round, times);
  }

  async #fileNew(flaw: Flaw, input: Uint8Array, where: { slice: number; execution: number }) {
    const ended = flaw.class === "hang" || flaw.class === "memory";
    const alone = ended ? [] : await this.#judge.ask(input);
    const confirmed = alone.find((one) => one.class === flaw.class) ?? flaw;
    const origin = { seed: this.#cut.seed, round: this.#round, ...where };
    const folder = `${this.options.out}/findings`;
    const { path } = await fileFinding(folder, confirmed, input, origin);
    this.#findings.set(confirmed.key, confirmed.class);
    const filed = { flaw: confirmed, folder: path };
    this.#filed.set(flaw.key, filed);
    return filed;
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
