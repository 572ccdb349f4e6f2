/** A campaign in this thread alone: for benches and tests of the engine. */
import { type Build, type BuildOptions, buildSubject } from "./build.ts";
import { Corpus } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { load } from "./load.ts";
import { type Cut, planRound } from "./round.ts";
import type { EngineOptions, Report } from "./plan.ts";
import { runSlice } from "./slice.ts";
import type { Subject } from "./subject.ts";

/** Both builds of a subject. */
export interface Builds {
  readonly guided: Build;
  readonly comparing: Build;
}

export async function buildBoth(options: BuildOptions): Promise<Builds> {
  return {
    guided: await buildSubject({ ...options, level: "edges" }),
    comparing: await buildSubject({ ...options, level: "compares" }),
  };
}

export interface SoloOptions
  extends
    Pick<EngineOptions, "limit" | "edits" | "wholeIn" | "digest" | "mutate" | "repair" | "aside">,
    Cut {
  readonly dictionary?: readonly Uint8Array[];
}

/** Rounds, one after the other. */
export class Solo {
  readonly corpus: Corpus;
  executions = 0;
  #round = 0;

  private constructor(
    private readonly options: SoloOptions & EngineOptions,
    private readonly seeds: readonly Uint8Array[],
    private readonly now: Coverage,
    counters: number,
    private readonly loaded: readonly unknown[],
  ) {
    this.corpus = new Corpus(counters, options.dictionary);
  }

  static async of(builds: Builds, options: SoloOptions, seeds: readonly Uint8Array[]) {
    const guided = await load<{ subject: Subject }>(builds.guided.code);
    const comparing = await load<{ subject: Subject }>(builds.comparing.code);
    const engine = {
      ...options,
      subject: guided.exports.subject,
      comparing: comparing.exports.subject,
      clock: guided.clock,
      steps: guided.steps,
    };
    const loaded = [guided.exports, comparing.exports];
    return new Solo(engine, seeds, new Coverage(guided.counters), guided.counters.length, loaded);
  }

  /** Shows what both builds export. */
  exports<Exports>(visit: (exports: Exports) => void): void {
    for (const exports of this.loaded) visit(exports as Exports);
  }

  /** One round. @returns the reports of its slices, in order */
  round(most = Infinity): Report[] {
    const left = most - this.executions;
    const seeds = this.seeds.slice(this.executions);
    const plans = planRound(this.options, this.#round++, this.corpus, seeds, left);
    const reports = plans.map((plan) => runSlice(this.options, this.corpus, this.now, plan));
    for (const report of reports) {
      this.executions += report.executions;
      this.corpus.merge(report);
    }
    return reports;
  }
}
