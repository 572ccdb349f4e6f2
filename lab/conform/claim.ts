/**
 * A claim: what one testee answered to every case of one corpus, in a file that anybody can
 * check by running the testee again. It carries a hash over all of it, so that a verdict
 * that was edited shows without a run.
 */
import { Ajv2020 } from "ajv/2020";
import { createHash } from "node:crypto";
import type { Hex } from "../../readers/contract.ts";
import { type CaseResult, STATUSES, tally } from "../../reports/conformance/model.ts";
import { UsageError } from "../exit.ts";
import type { TesteeInfo } from "../testee/testee.ts";

export const CLAIM_FORMAT = "slm2-claim/1";

export interface Claim {
  readonly format: typeof CLAIM_FORMAT;
  readonly reader: TesteeInfo;
  readonly corpus: { readonly version: string; readonly content_id: Hex; readonly spec: string };
  /** limits laid on every case beyond its own: none, since they would change what is right */
  readonly policy: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  /** case id to the whole verdict: an accept carries a digest over all identities */
  readonly cases: Readonly<Record<string, string>>;
  /** SHA-256 of the claim as JSON without whitespace, this key left out */
  readonly hash: Hex;
}

/**
 * @param results judged results, for the counts
 * @param verdicts case id to `fullLine`, in the order of the index
 */
export function makeClaim(
  reader: TesteeInfo,
  corpus: Claim["corpus"],
  results: readonly CaseResult[],
  verdicts: Readonly<Record<string, string>>,
): Claim {
  const { version, content_id, spec } = corpus;
  const claim = {
    format: CLAIM_FORMAT,
    reader,
    corpus: { version, content_id, spec },
    policy: {},
    counts: tally(STATUSES, results, ({ status }) => status),
    cases: verdicts,
  } as const;
  return { ...claim, hash: hashOf(claim) };
}

function hashOf(claim: Omit<Claim, "hash">): Hex {
  return createHash("sha256").update(JSON.stringify(claim)).digest("hex");
}

export function claimText(claim: Claim): string {
  return JSON.stringify(claim, null, 1) + "\n";
}

const TEXT = { type: "string" };
const ALL_TEXT = { type: "object", additionalProperties: TEXT };
const ALL_COUNTS = { type: "object", additionalProperties: { type: "integer" } };
const validate = new Ajv2020({ strict: false }).compile<Claim>({
  type: "object",
  additionalProperties: false,
  required: ["format", "reader", "corpus", "policy", "counts", "cases", "hash"],
  properties: {
    format: { const: CLAIM_FORMAT },
    reader: {
      type: "object",
      required: ["name", "version", "language", "stages", "ops"],
      properties: { name: TEXT, version: TEXT, language: TEXT },
    },
    corpus: { ...ALL_TEXT, required: ["version", "content_id", "spec"] },
    policy: { ...ALL_COUNTS, maxProperties: 0 },
    counts: ALL_COUNTS,
    cases: ALL_TEXT,
    hash: TEXT,
  },
});

/** @throws UsageError where `text` is no claim, or was changed after it was made */
export function parseClaim(text: string, path: string): Claim {
  let claim: unknown;
  try {
    claim = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
  if (!validate(claim)) {
    const [fault] = validate.errors ?? [];
    throw new UsageError(`${path} at ${fault?.instancePath || "/"} ${fault?.message}`);
  }
  const { hash, ...rest } = claim;
  if (hashOf(rest) !== hash) {
    throw new UsageError(`${path} was changed after it was made: its hash is not that of its text`);
  }
  return claim;
}

/** One case whose verdict is not the one claimed. */
export interface Broken {
  readonly id: string;
  readonly claimed: string;
  readonly actual: string;
}

/** Where a new run differs from a claim; cases that only one of the two has count. */
export function compareClaims(claimed: Claim, actual: Claim): Broken[] {
  const ids = new Set([...Object.keys(claimed.cases), ...Object.keys(actual.cases)]);
  const verdict = ({ cases }: Claim, id: string) =>
    Object.hasOwn(cases, id) ? cases[id] : "not asked";
  return [...ids].map((id) => ({
    id,
    claimed: verdict(claimed, id),
    actual: verdict(actual, id),
  })).filter((one) => one.claimed !== one.actual);
}
