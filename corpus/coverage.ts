/** What the corpus exercises of the specification, and what it does not. */
import { CODES, type Identities } from "../readers/contract.ts";
import type { Entry, Index } from "./index.ts";
import { ID_DOMAINS, toHex } from "./writer/identity.ts";
import { ELEMENT_TYPES, profileBody, profileId, REGISTERED } from "./writer/profiles.ts";
import { Citations, type Clause, listed } from "./clauses.ts";
import { REPORT } from "./report_data.ts";
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

/** Items of the report; one that a beginning of an id fits no case of counts as uncovered. */
function reportRows(ids: readonly string[]): Row[] {
  return REPORT.map(([what, starts]) => {
    const counts = starts.map((start) => ids.filter((id) => id.startsWith(start)).length);
    return { what, cases: counts.includes(0) ? 0 : counts.reduce((sum, n) => sum + n, 0) };
  });
}

/** Every stage, class, element type and registered profile (with its tail rule). */
function kindRows(entries: readonly Entry[]): Part[] {
  const count = (what: string, fits: (entry: Entry) => boolean): Row => ({
    what,
    cases: entries.filter(fits).length,
  });
  const accepts = (test: (identities: Identities) => boolean) => ({ expected }: Entry) =>
    expected.verdict === "accept" && expected.identities !== undefined &&
    test(expected.identities);
  const numbers = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  const profiles = [...REGISTERED.values()].map((profile) =>
    [profile.name, toHex(profileId(profile.name, profileBody(profile)))] as const
  );
  return [
    {
      name: "stages",
      rows: numbers(LAST_STAGE).map((stage) =>
        count(
          `stage ${stage}`,
          ({ expected }) => expected.verdict === "reject" && expected.stage === stage,
        )
      ),
    },
    {
      name: "classes",
      rows: numbers(ID_DOMAINS.length - 1).map((n) =>
        count(`class ${n}`, accepts((identities) => identities.class === n))
      ),
    },
    {
      name: "element types",
      rows: Object.keys(ELEMENT_TYPES).map((type) =>
        count(`element type ${type}`, ({ id }) => id.startsWith(`valid/element/${type}-`))
      ),
    },
    {
      name: "profiles",
      rows: profiles.map(([name, id]) =>
        count(`profile ${name}`, accepts(({ profiles }) => profiles.includes(id)))
      ),
    },
  ];
}

/** Every code at every stage that a reader reaches. */
function codeRows(entries: readonly Entry[]): Row[] {
  const seen = new Map<string, number>();
  for (const { expected } of entries) {
    if (expected.verdict === "reject") count(seen, `${expected.stage} ${expected.code}`);
  }
  return Object.entries(CODES).flatMap(([code, stages]) =>
    stages.filter((stage) => stage <= LAST_STAGE).map((stage) => `${stage} ${code}`)
  ).map((what) => ({ what, cases: seen.get(what) ?? 0, why: CODE_REASONS[what] }));
}

function clauseRows(entries: readonly Entry[], clauses: readonly Clause[]): Row[] {
  const cited = new Map<string, number>();
  for (const entry of entries) for (const id of entry.clauses ?? []) count(cited, id);
  const why = reasons(clauses);
  return clauses.map(({ id, text }) => ({
    what: `${id} ${text}`,
    cases: cited.get(id) ?? 0,
    why: why.get(id),
  }));
}

const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);

/** What the corpus exercises: the report's lists, every kind of thing, every code, every clause. */
export function coverage({ entries, clauses = {} }: Index): Part[] {
  const asked = entries.filter(({ withdrawn }) => !withdrawn);
  return [
    { name: "report", rows: reportRows(asked.map(({ id }) => id)) },
    ...kindRows(asked),
    { name: "codes", rows: codeRows(asked) },
    { name: "clauses", rows: clauseRows(asked, listed(clauses)) },
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
