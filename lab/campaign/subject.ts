/** What is fuzzed: the one interface between the engine and the code under test. */

/** The five classes of findings, never merged. */
export const CLASSES = ["crash", "hang", "memory", "protocol", "disagreement"] as const;
export type FindingClass = typeof CLASSES[number];

/** What an oracle says about one input. */
export interface Flaw {
  readonly class: FindingClass;
  /** joins what has one cause and splits what has several; holds no offsets and no free text */
  readonly key: string;
  /** the whole tuples, and the clause that decides: for a person */
  readonly detail: string;
}

/** Code under test with its oracles. A build exports one as `subject`. */
export interface Subject {
  /**
   * Judges one input; a throw is a crash of the subject.
   * @param report takes each flaw that an oracle sees
   * @returns a small number for the outcome (stage and code): each new one keeps an input
   */
  run(input: Uint8Array, report: (flaw: Flaw) => void): number;
  /** The stage at which `outcome` was given, for the histogram. */
  stageOf?(outcome: number): number;
}
