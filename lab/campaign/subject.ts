/** What is fuzzed: the one interface between the engine and the code under test. */

import type { Finding } from "../oracle/oracle.ts";

/** What an oracle says about one input; a subject that is no reader names no oracle and no clause. */
export type Flaw = Pick<Finding, "class" | "key" | "detail"> & Partial<Finding> & {
  /** the command of the testee whose flaw it is; absent: the readers' */
  readonly testee?: string;
  /** the folder in which that command was started */
  readonly testeeIn?: string;
};

/** `cheap`: what every input is worth; `whole`, where nothing is said: all that there is to ask. */
export type Depth = "cheap" | "whole";

/** Code under test with its oracles. A build exports one as `subject`. */
export interface Subject {
  /**
   * Judges one input; a throw is a crash of the subject.
   * @param report takes each flaw that an oracle sees
   * @param depth whether oracles that cost more than the code under test are asked too
   * @returns a small number for the outcome (stage and code): each new one keeps an input
   */
  run(input: Uint8Array, report: (flaw: Flaw) => void, depth?: Depth): number;
  /**
   * Judges what takes its time, or a turn of the event loop; not every input is asked about.
   * @returns an outcome that only such a look meets, where it met one
   */
  later?(input: Uint8Array, report: (flaw: Flaw) => void): Promise<number | void>;
  /**
   * Judges an input that names a probe of growing work, which takes seconds; no campaign executes it.
   * @param steps of loops, where the build counts them
   */
  probe?(input: Uint8Array, report: (flaw: Flaw) => void, steps?: Uint32Array): void;
  /** What the last run asked for, at most eight amounts: bytes read, reads, bytes allocated. */
  costs?(): readonly number[];
  /** The stage at which `outcome` was given, for the histogram. */
  stageOf?(outcome: number): number;
}
