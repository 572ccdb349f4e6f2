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
  /** asked of each */
  readonly cases: number;
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

/** Some bytes of an input: a field of the specification, or what lies between fields. */
export interface HexRow {
  readonly offset: number;
  /** name of the field, such as `header.file_size`; keys of a manifest are the file's own texts */
  readonly name: string;
  readonly hex: string;
  /** the value, for people */
  readonly value: string;
  /**
   * `fault`: a verdict names this place. `differs`: not as in the valid artifact beside it.
   * `sealed`: a hash that differs because what it covers does.
   */
  readonly mark: "" | "fault" | "differs" | "sealed";
  /** which bytes of the row differ, counted from 0 */
  readonly marked: readonly number[];
  /** the bytes of the valid artifact, empty where it has none; null where they are the same */
  readonly was: string | null;
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
  /** what was asked of the readers, where it was more than to read the artifact */
  readonly asked: string;
  readonly size: number;
  readonly verdicts: readonly { readonly reader: string; readonly result: string }[];
  /** in which parts the verdicts differ */
  readonly fields: readonly string[];
  /** sentences of the specification that decide it */
  readonly sentences: readonly string[];
  /** what the bytes are held against; empty where nothing is like them */
  readonly parent: string;
  readonly rows: readonly HexRow[];
  readonly moreRows: number;
}

/** Where the values of a figure lie in its own history. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

export interface Trend {
  readonly part: string;
  readonly figure: string;
  readonly points: readonly { readonly started: string; readonly value: number }[];
  /** null where there are too few runs */
  readonly band: Band | null;
}

/** Errors of one case of the comparison on one backend. */
export interface LogitView {
  /** the kind of case, such as `source` */
  readonly group: string;
  /** the case, whatever the backend */
  readonly subject: string;
  readonly backend: string;
  readonly verdict: string;
  /** position by position, as shares of the bound */
  readonly points: readonly { readonly position: number; readonly share: number }[];
  /** layer by layer, as distances; empty where they were not measured */
  readonly layers: readonly { readonly name: string; readonly error: number }[];
}

/** One measured rate or ratio that has a bound. */
export interface RateView {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** in words */
  readonly bound: string;
  readonly holds: boolean;
}

/** What a campaign did. */
export interface CampaignView {
  readonly executions: number;
  readonly perSecond: number;
  readonly edges: number;
  readonly allEdges: number;
  readonly entries: number;
  /** mutators and the share of their tries that were kept, the best first */
  readonly yields: readonly (readonly [name: string, share: number])[];
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
    /** sentences of the specification that no vector exercises, and that no campaign reached */
    readonly withoutVector: readonly string[];
    readonly unreached: readonly string[];
  };
  readonly matrix: MatrixView | null;
  readonly findings: readonly FindingView[];
  readonly moreFindings: number;
  /** null: none ran */
  readonly campaign: CampaignView | null;
  readonly stages: readonly (readonly [name: string, count: number])[];
  readonly logits: readonly LogitView[];
  readonly rates: readonly RateView[];
  readonly trends: readonly Trend[];
}

/** A whole number for people. */
export const number = (value: number): string => value.toLocaleString("en-US");

/** A number in few characters. */
export function short(value: number): string {
  if (Number.isInteger(value)) return number(value);
  const size = Math.abs(value);
  if (size >= 1000) return number(Math.round(value));
  return size < 0.001 ? value.toExponential(1) : value.toPrecision(3);
}

export const percent = (part: number, all: number): string =>
  `${all > 0 ? (100 * part / all).toFixed(1) : 0}%`;
