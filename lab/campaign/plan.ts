/** What a slice is given, and what it tells: the terms between the engine and those who run it. */
import type { Random } from "../../mutators/random.ts";
import type { Entry } from "./corpus.ts";
import type { Clock } from "./load.ts";
import type { Flaw, Subject } from "./subject.ts";

/** What one slice has to do. */
export interface Plan {
  readonly seed: number;
  readonly executions: number;
  /** inputs to start with, before anything is mutated */
  readonly inputs: readonly Uint8Array[];
  /** entries whose deterministic stage goes on in this slice */
  readonly deterministic: readonly number[];
  /** executions that kill a worker and are left out, by number in the slice */
  readonly skip: readonly number[];
}

/** A flaw with the first input that showed it. */
export interface Found {
  readonly flaw: Flaw;
  readonly input: Uint8Array;
  /** number of the execution in the slice */
  readonly execution: number;
  times: number;
}

/** What a slice cost. */
export interface Cost {
  /** seconds of processor time */
  readonly processor: number;
  /** bytes of its process that are resident when it ends, and the most that ever were */
  readonly resident: number;
  readonly memory: number;
}

/** What a slice did. */
export interface Report {
  readonly executions: number;
  /** 32-bit FNV-1a over the inputs in order, or 0 where it was not asked for */
  readonly digest: number;
  readonly entries: readonly Entry[];
  readonly tokens: readonly Uint8Array[];
  /** per entry of the corpus that was worked on: number, edits done, spent, finds */
  readonly work: readonly (readonly [number, number, number, number])[];
  readonly found: readonly Found[];
  /** a share of what was executed, for those who are asked more seldom */
  readonly samples: readonly Uint8Array[];
  /** per mutator that made inputs: its name, how many, and how many of them were kept */
  readonly mutators: readonly (readonly [string, number, number])[];
  /** executions by stage of their outcome */
  readonly stages: readonly number[];
  /** milliseconds that the samples took, and of these in functions that are timed: hashing */
  readonly sampled: { readonly whole: number; readonly hashing: number };
  /** what the slice cost its process; absent: it had none of its own */
  readonly cost?: Cost;
}

/** An input that was made of another. */
export interface Mutant {
  readonly bytes: Uint8Array;
  /** names of the mutators that made it */
  readonly by: readonly string[];
}

export interface EngineOptions {
  /** the build with counters */
  readonly subject: Subject;
  /** the build that tells comparisons */
  readonly comparing: Subject;
  /** steps of loops in the build with counters; absent: nothing is climbed */
  readonly steps?: Uint32Array;
  /** the clock of the build with counters; absent: nothing is timed */
  readonly clock?: Clock;
  /** breaks an input by what is known of its format; absent: bytes' mutations alone */
  readonly mutate?: (
    input: Uint8Array,
    random: Random,
    other: Uint8Array,
    longest: number,
  ) => Mutant;
  /** makes what an edit broke good again, or not: what is checked late is seen only then */
  readonly repair?: (input: Uint8Array, random: Random, parent: Uint8Array) => Uint8Array;
  /** whether an entry stands beside the point: such ones get a small share; absent: none does */
  readonly aside?: (entry: Entry) => boolean;
  /** what an entry is, in a word: what a campaign begins with is balanced by it; absent: not at all */
  readonly sort?: (entry: Entry) => string;
  /** length in bytes that an input of the corpus may have */
  readonly limit: number;
  /** length that a mutant may have to be executed: longer than `limit`, it is not kept; absent: as that */
  readonly longest?: number;
  /** edits of one entry's deterministic stage */
  readonly edits: number;
  /** one execution in so many asks all that there is to ask; 0: none does; absent: `WHOLE_IN` */
  readonly wholeIn?: number;
  readonly digest: boolean;
  /** told before each execution */
  readonly beat?: (input: Uint8Array, execution: number) => void;
  /** told of each flaw when it is first seen in a slice, before anything else is executed */
  readonly found?: (found: Found) => void;
}
