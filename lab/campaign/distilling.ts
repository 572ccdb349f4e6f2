/** Corpora of several campaigns as one small one: every input is executed once, on the readers as they are. */
import { Corpus, distill } from "./corpus.ts";
import { EDITS, LIMIT } from "./campaign.ts";
import { SUBJECT } from "./court.ts";
import { countersOf } from "./load.ts";
import { Pool } from "./pool.ts";
import { prepare } from "./prepare.ts";
import type { Plan } from "./plan.ts";
import type { Flaw } from "./subject.ts";

/** Inputs of one slice. */
const SLICE = 250;

export interface Distilled {
  /** together they show all that the inputs show */
  readonly kept: readonly Uint8Array[];
  readonly edges: number;
  /** what is wrong with some of the inputs, by its key */
  readonly flaws: ReadonlyMap<string, Flaw>;
}

/** Distills inputs of at most `LIMIT` bytes; of two that show the same, the shorter one stays. */
export async function distilled(
  inputs: readonly Uint8Array[],
  workers: number,
): Promise<Distilled> {
  const folder = Deno.makeTempDirSync();
  const flaws = new Map<string, Flaw>();
  const note = (flaw: Flaw) => void flaws.set(flaw.key, flaw);
  const different = new Map(inputs.map((input) => [input.toBase64(), input]));
  const shortFirst = [...different.values()].sort((a, b) => a.length - b.length);
  try {
    const prepared = await prepare(folder, { subject: SUBJECT });
    const corpus = new Corpus(countersOf(prepared.edges));
    const options = { workers, limit: LIMIT, edits: EDITS, structured: true };
    const pool = new Pool(prepared, corpus, options);
    try {
      const told = {
        deadly: ({ flaw }: { flaw: Flaw }) => note(flaw),
        found: ({ found }: { found: { flaw: Flaw } }) => note(found.flaw),
      };
      const reports = await pool.round([], plansOf(shortFirst), told);
      for (const slice of [...reports.keys()].sort((a, b) => a - b)) {
        corpus.merge(reports.get(slice)!);
      }
      const kept = distill(corpus.entries).map(({ bytes }) => bytes);
      return { kept, edges: corpus.seen.edges, flaws };
    } finally {
      await pool.close();
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Slices that execute their inputs and nothing else. */
function plansOf(inputs: readonly Uint8Array[]): Plan[] {
  const plans: Plan[] = [];
  for (let at = 0; at < inputs.length; at += SLICE) {
    const mine = inputs.slice(at, at + SLICE);
    plans.push({ seed: at, executions: mine.length, inputs: mine, deterministic: [], skip: [] });
  }
  return plans;
}
