/** What the corpus exercises of the specification, and what it does not. */
import { CODES } from "../readers/contract.ts";
import type { Index } from "./index.ts";
import { Citations, type Clause, listed } from "./clauses.ts";
import { CODE_REASONS, REASONS } from "./uncovered_data.ts";

/** One thing that is to be covered, and how many cases do. */
export interface Row {
  readonly what: string;
  readonly cases: number;
  /** why it is right that none does */
  readonly why?: string;
}
/** Rows under one heading. */
export interface Part {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Stages that a reader reaches (slm2.md section 8), by `read`, `piece` and `signature`. */
const LAST_STAGE = 28;

/** The reason that is written down for each clause that has one. */
function reasons(clauses: readonly Clause[]): Map<string, string> {
  const citations = new Citations(clauses);
  return new Map(
    REASONS.flatMap(([reason, cited]) =>
      cited.flatMap((text) => citations.resolve(text)).map((id): [string, string] => [id, reason])
    ),
  );
}

/** Counts, for every code at every stage, and for every clause, the cases that exercise it. */
export function coverage({ entries, clauses: table = {} }: Index): Part[] {
  const clauses = listed(table);
  const asked = entries.filter(({ withdrawn }) => !withdrawn);
  const codes = new Map<string, number>();
  const cited = new Map<string, number>();
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const { expected, clauses: exercised = [] } of asked) {
    if (expected.verdict === "reject") add(codes, `${expected.stage} ${expected.code}`);
    for (const id of exercised) add(cited, id);
  }
  const why = reasons(clauses);
  const pairs = Object.entries(CODES).flatMap(([code, stages]) =>
    stages.filter((stage) => stage <= LAST_STAGE).map((stage) => `${stage} ${code}`)
  );
  return [
    {
      name: "codes",
      rows: pairs.map((what) => ({ what, cases: codes.get(what) ?? 0, why: CODE_REASONS[what] })),
    },
    {
      name: "clauses",
      rows: clauses.map(({ id, text }) => ({
        what: `${id} ${text}`,
        cases: cited.get(id) ?? 0,
        why: why.get(id),
      })),
    },
  ];
}

/** Rows without a case and without a reason, and reasons for rows that have cases. */
export function gaps(parts: readonly Part[]): { uncovered: string[]; stale: string[] } {
  const rows = parts.flatMap(({ rows }) => rows);
  return {
    uncovered: rows.filter(({ cases, why }) => cases === 0 && !why).map(({ what }) => what),
    stale: rows.filter(({ cases, why }) => cases > 0 && why).map(({ what }) => what),
  };
}
