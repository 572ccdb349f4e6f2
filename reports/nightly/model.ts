/**
 * What a nightly run found, ready to be shown: `lab nightly` makes it, the files beside this one
 * draw it. Foreign texts are in here as they came: each sink escapes. Lists are bounded where
 * they are made, and say how many more there are.
 */

export type State = "held" | "waiting" | "missing" | "broken";

export interface PartView {
  readonly name: string;
  readonly what: string;
  /** null: it did not run */
  readonly exit: number | null;
  readonly seconds: number;
  /** why it did not end by itself or did not run, or null */
  readonly fault: string | null;
  readonly command: string;
  readonly figures: readonly (readonly [name: string, value: number])[];
}

export interface RequirementView {
  readonly id: string;
  readonly sentence: string;
  readonly state: State;
  readonly judgements: readonly {
    readonly state: State;
    readonly why: string;
    readonly command: string;
  }[];
}

export interface MatrixView {
  readonly testees: readonly string[];
  readonly rows: readonly {
    readonly group: string;
    /** parallel to `testees` */
    readonly cells: readonly {
      readonly pass: number;
      readonly wrong: number;
      readonly asked: number;
    }[];
  }[];
}

/** Some bytes of an input, as one field of the specification or as bytes between fields. */
export interface HexRow {
  readonly offset: number;
  /** name of the field, such as `header.file_size`; empty for bytes of no field */
  readonly name: string;
  readonly hex: string;
  /** the value, for people */
  readonly value: string;
  /** holds the byte at fault or one that differs */
  readonly marked: boolean;
}

export interface FindingView {
  readonly name: string;
  readonly class: string;
  readonly key: string;
  readonly detail: string;
  /** `new`, `known`, `fixed`, `regressed`, and what a person noted */
  readonly state: string;
  readonly note: string;
  readonly firstSeen: string;
  readonly replay: string;
  readonly size: number;
  readonly verdicts: readonly { readonly reader: string; readonly result: string }[];
  /** in which parts the verdicts differ */
  readonly fields: readonly string[];
  /** sentences of the specification that decide it */
  readonly sentences: readonly string[];
  readonly rows: readonly HexRow[];
  readonly moreRows: number;
}

export interface Trend {
  readonly title: string;
  readonly points: readonly { readonly started: string; readonly value: number }[];
}

/** Distances of one case of the comparison, position by position, as shares of the bound. */
export interface LogitView {
  readonly name: string;
  readonly verdict: string;
  readonly points: readonly { readonly position: number; readonly share: number }[];
}

export interface NightlyReport {
  readonly started: string;
  readonly ended: string;
  readonly commit: string;
  readonly clean: boolean;
  readonly corpus: string;
  readonly spec: string;
  /** whether every part ran to its own end */
  readonly whole: boolean;
  readonly exit: number;
  /** why the run is red though its parts held, a line each */
  readonly quiet: readonly string[];
  readonly regressions: readonly string[];
  readonly parts: readonly PartView[];
  readonly gate: {
    readonly exit: number;
    readonly evidence: readonly RequirementView[];
    readonly stopRules: readonly RequirementView[];
  };
  readonly matrix: MatrixView | null;
  readonly findings: readonly FindingView[];
  readonly moreFindings: number;
  readonly stages: readonly (readonly [name: string, count: number])[];
  readonly logits: readonly LogitView[];
  readonly trends: readonly Trend[];
}
