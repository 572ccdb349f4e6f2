/**
 * The engine: one slice of a campaign. A slice is a function of its plan and of the corpus that it
 * starts from: neither clock nor machine nor number of workers decides anything in it.
 */
import { Random } from "../../mutators/random.ts";
import { comparesOf } from "./compare_log.ts";
import type { Corpus, Entry } from "./corpus.ts";
import { type Coverage, peakOf } from "./coverage.ts";
import { Havoc } from "./havoc.ts";
import { applyEdit, type Edit, editsOf } from "./input_to_state.ts";
import { ASIDE_IN, reachOf, Schedule } from "./schedule.ts";
import { flawOfThrow } from "./flaw.ts";
import type { EngineOptions, Found, Plan, Report } from "./plan.ts";
import type { Depth, Flaw } from "./subject.ts";
import { Tokens } from "./tokens.ts";

/** Executions spent on an entry once it is picked. */
const TURN = 32;

/** Where the format is known, one execution in so many still knows bytes alone. */
const BYTES_IN = 8;

/** One execution in so many is a sample. */
const SAMPLED = 64;
/** One execution in so many asks all that there is to ask, and so does each that is kept. */
export const WHOLE_IN = 16;

/** Of the executions of a slice, one in so many may be an edit that comparisons ask for. */
const EDITED_IN = 4;

/** Edits of one entry before another's turn; in a later turn as many as are done already. */
const BATCH = 256;

const STAGES = 33;

/** What makes inputs beside the structured mutators, under names of its own. */
const COMPARED = ["compared"];
const BYTES = ["bytes"];

const NOTHING = new Uint8Array(0);
const NO_PEAKS: number[] = [];

/**
 * Runs one slice.
 * @param corpus as it stands at the begin of the round; it is left as it is
 * @param now coverage over the counters of the build, which a slice overwrites
 */
export function runSlice(
  options: EngineOptions,
  corpus: Corpus,
  now: Coverage,
  plan: Plan,
): Report {
  now.take(corpus.seen.state());
  return new Slice(options, corpus.entries, now, new Tokens(corpus.tokens), plan).run();
}

class Slice {
  readonly #random: Random;
  readonly #havoc: Havoc;
  readonly #schedule: Schedule;
  readonly #fresh: Entry[] = [];
  readonly #work = new Map<number, [edits: number, spent: number, finds: number]>();
  readonly #found = new Map<string, Found>();
  readonly #samples: Uint8Array[] = [];
  readonly #mutators = new Map<string, [tries: number, finds: number]>();
  readonly #stages = new Array<number>(STAGES).fill(0);
  readonly #sampled = { whole: 0, hashing: 0 };
  readonly #skip: ReadonlySet<number>;
  readonly #report = (flaw: Flaw) => this.#file(flaw);
  #input: Uint8Array = new Uint8Array(0);
  #depth = 0;
  #executions = 0;
  #digest = 0x811c9dc5;
  readonly #tokensBefore: number;

  constructor(
    private readonly options: EngineOptions,
    private readonly corpus: readonly Entry[],
    private readonly coverage: Coverage,
    private readonly tokens: Tokens,
    private readonly plan: Plan,
  ) {
    this.#random = new Random(plan.seed);
    this.#havoc = new Havoc(this.#random, options.limit);
    this.#schedule = new Schedule(corpus, options.aside, options.sort);
    this.#skip = new Set(plan.skip);
    this.#tokensBefore = tokens.list.length;
  }

  run(): Report {
    this.#judge(NOTHING, "cheap"); // whatever ran before this slice shall not show in it
    for (const input of this.plan.inputs) {
      if (input.length <= this.options.limit) this.#execute(input);
    }
    this.#deterministicStage(Math.ceil(this.plan.executions / EDITED_IN));
    while (this.#more()) this.#turn();
    return {
      executions: this.#executions,
      digest: this.options.digest ? this.#digest >>> 0 : 0,
      entries: this.#fresh,
      tokens: this.tokens.list.slice(this.#tokensBefore),
      work: [...this.#work].map(([number, done]) => [number, ...done] as const),
      found: [...this.#found.values()],
      samples: this.#samples,
      mutators: [...this.#mutators].map(([name, counts]) => [name, ...counts] as const),
      stages: this.#stages,
      sampled: this.#sampled,
    };
  }

  #more(): boolean {
    return this.#executions < this.plan.executions;
  }

  /**
   * Edits that comparisons ask for, a batch an entry: the entry with the fewest done goes first,
   * of equals the one that reaches furthest, of those the newest, so that what one edit opens is
   * followed at once.
   */
  #deterministicStage(most: number): void {
    const { aside = () => false } = this.options;
    const waiting = this.plan.deterministic.map((number) => {
      const entry = this.corpus[number];
      return { number, entry, done: entry.edits, aside: aside(entry) };
    });
    type Waiting = typeof waiting[number];
    const before = (a: Waiting, b: Waiting) =>
      (a.done - b.done || reachOf(b.entry) - reachOf(a.entry)) < 0;
    let fresh = 0;
    while (this.#executions < most) {
      for (; fresh < this.#fresh.length; fresh++) {
        const entry = this.#fresh[fresh];
        waiting.push({ number: -1, entry, done: 0, aside: aside(entry) });
      }
      const lane = this.#random.oneIn(ASIDE_IN);
      const next = waiting.reduceRight<Waiting | null>(
        (best, one) =>
          one.done >= 0 && one.aside === lane && (best === null || before(one, best)) ? one : best,
        null,
      );
      if (next === null && lane) continue;
      if (next === null) return;
      const begun = this.#executions;
      const finds = this.#fresh.length;
      const batch = Math.max(BATCH, next.done);
      next.done = this.#edit(next.entry, next.done, Math.min(batch, most - begun));
      if (next.number < 0) next.entry.edits = next.done;
      else {
        const spent = this.#executions - begun;
        this.#note(next.number, next.done, spent, this.#fresh.length - finds);
      }
    }
  }

  /** Executes `entry` with edits from `done` on. @returns how many are done then, or -1 for all */
  #edit(entry: Entry, done: number, most: number): number {
    const wanted = Math.min(done + most, this.options.edits);
    const { bytes } = entry;
    const edits = this.#editsOf(entry, bytes, wanted);
    this.#depth = entry.depth + 1;
    for (const edit of edits.slice(done)) {
      const length = applyEdit(bytes, edit, this.#havoc.buffer);
      if (length < 0) continue;
      this.#try(this.#repaired(this.#havoc.buffer.subarray(0, length), bytes), COMPARED);
    }
    return edits.length < wanted || wanted === this.options.edits ? -1 : wanted;
  }

  #repaired(broken: Uint8Array, parent: Uint8Array): Uint8Array {
    const repaired = this.options.repair?.(broken, this.#random, parent) ?? broken;
    return repaired.length > this.options.limit ? broken : repaired;
  }

  /** The first edits of an entry; they follow from it alone. */
  #editsOf(entry: Entry, bytes: Uint8Array, most: number): Edit[] {
    const { comparing, limit } = this.options;
    const run = () => comparing.run(bytes, () => {}, "cheap");
    comparesOf(run); // once for its caches
    const compared = comparesOf(run);
    if (entry.edits === 0) this.tokens.learn(compared);
    return editsOf(bytes, compared, limit, most);
  }

  /** One entry, mutated again and again. */
  #turn(): void {
    const number = this.#schedule.pick(this.#random);
    if (number === null) return this.#execute(this.#random.bytes(this.#random.below(256)));
    const own = number >= this.corpus.length;
    const entry = own ? this.#fresh[number - this.corpus.length] : this.corpus[number];
    const { bytes } = entry;
    const before = this.#executions;
    const finds = this.#fresh.length;
    this.#depth = entry.depth + 1;
    for (let i = 0; i < TURN && this.#more(); i++) this.#mutate(bytes);
    const spent = this.#executions - before;
    if (own) entry.spent += spent;
    else this.#note(number, entry.edits, spent, this.#fresh.length - finds);
  }

  #mutate(bytes: Uint8Array): void {
    const { mutate, limit, longest = limit } = this.options;
    const random = this.#random;
    const all = this.corpus.length + this.#fresh.length;
    const number = random.below(all);
    const other = number < this.corpus.length
      ? this.corpus[number].bytes
      : this.#fresh[number - this.corpus.length].bytes;
    if (mutate && !random.oneIn(BYTES_IN)) {
      const mutant = mutate(bytes, random, other, longest);
      if (mutant.bytes.length <= longest) return this.#try(mutant.bytes, mutant.by);
    }
    const length = this.#havoc.mutate(bytes, other, this.tokens.list);
    this.#try(this.#repaired(this.#havoc.buffer.subarray(0, length), bytes), BYTES);
  }

  /** Executes an input for which mutators get the credit. */
  #try(input: Uint8Array, by: readonly string[]): void {
    const before = this.#fresh.length;
    this.#execute(input);
    for (const name of by) {
      const counts = this.#mutators.get(name) ?? [0, 0];
      counts[0]++;
      counts[1] += this.#fresh.length - before;
      this.#mutators.set(name, counts);
    }
  }

  #note(number: number, edits: number, spent: number, finds: number): void {
    const [, spentBefore, findsBefore] = this.#work.get(number) ?? [0, 0, 0];
    this.#work.set(number, [edits, spentBefore + spent, findsBefore + finds]);
  }

  #execute(input: Uint8Array): void {
    const { subject, beat, digest, limit, wholeIn = WHOLE_IN } = this.options;
    const execution = this.#executions++;
    if (digest) this.#hash(input);
    if (this.#skip.has(execution)) return;
    beat?.(input, execution);
    this.#input = input;
    if (input.length > limit) return void this.#judge(input, "cheap");
    const depth = wholeIn > 0 && execution % wholeIn === 0 ? "whole" : "cheap";
    const outcome = execution % SAMPLED === SAMPLED - 1
      ? this.#sample(input)
      : this.#judge(input, depth);
    if (subject.stageOf) this.#stages[subject.stageOf(outcome)]++;
    if (this.coverage.fresh(outcome, this.#peaks(input, outcome))) this.#keep(input, depth);
  }

  /** What the last run cost, by the stage that it reached. */
  #peaks(input: Uint8Array, outcome: number): number[] {
    const { subject, steps } = this.options;
    if (!steps) return NO_PEAKS;
    const stage = subject.stageOf?.(outcome) ?? 0;
    const costs = subject.costs?.() ?? [];
    return [steps[0], ...costs].map((cost, i) => peakOf(i * STAGES + stage, cost, input.length));
  }

  #sample(input: Uint8Array): number {
    this.#samples.push(input.slice());
    const { clock } = this.options;
    if (!clock) return this.#judge(input, "cheap");
    clock.on = true;
    clock.milliseconds = 0;
    const begun = performance.now();
    const outcome = this.#judge(input, "cheap");
    this.#sampled.whole += performance.now() - begun;
    this.#sampled.hashing += clock.milliseconds;
    clock.on = false;
    return outcome;
  }

  #judge(input: Uint8Array, depth: Depth): number {
    this.coverage.clear();
    if (this.options.steps) this.options.steps[0] = 0;
    try {
      return this.options.subject.run(input, this.#report, depth);
    } catch (error) {
      this.#file(flawOfThrow(error));
      return 0;
    }
  }

  #keep(input: Uint8Array, depth: Depth): void {
    const outcome = this.#judge(input, depth);
    const peaks = this.#peaks(input, outcome);
    const steps = this.options.steps?.[0] ?? 0;
    const { fresh, features } = this.coverage.confirm(outcome, peaks);
    if (!fresh) return;
    if (depth !== "whole" && this.options.wholeIn !== 0) this.#judge(input, "whole");
    const bytes = input.slice();
    const stage = this.options.subject.stageOf?.(outcome) ?? 0;
    const work = { edits: 0, spent: 0, finds: 0 };
    const entry = {
      bytes,
      length: bytes.length,
      features,
      depth: this.#depth,
      stage,
      steps,
      ...work,
    };
    this.#schedule.add(entry, this.corpus.length + this.#fresh.length);
    this.#fresh.push(entry);
  }

  #file(flaw: Flaw): void {
    const known = this.#found.get(flaw.key);
    if (known) known.times++;
    else {
      const input = this.#input.slice();
      const found = { flaw, input, execution: this.#executions - 1, times: 1 };
      this.#found.set(flaw.key, found);
      this.options.found?.(found);
    }
  }

  #hash(input: Uint8Array): void {
    let hash = Math.imul(this.#digest ^ input.length, 0x01000193);
    for (let i = 0; i < input.length; i++) hash = Math.imul(hash ^ input[i], 0x01000193);
    this.#digest = hash;
  }
}
