/** Which steps of a tokenizer two encoders part over: those without which they agree. */
import type { Candidate, Value } from "../../../readers/contract.ts";
import type { Accepted } from "../runtime.ts";

/** The clause of each step. */
export const DECIDES: { readonly [step: string]: string } = {
  "max_expansion": "classes-4-29",
  "auto": "classes-4-40",
  "added tokens": "classes-4-41",
  "prefix space": "classes-4-45",
  "normalizer table": "classes-4-46",
  "space marker": "classes-4-48",
  "nfc": "classes-4-25",
  "nfkc": "classes-4-25",
  "lowercase": "classes-4-25",
  "strip-accents": "classes-4-25",
  "clean-control": "classes-4-67",
  "cjk-space": "classes-4-68",
  "prepend": "classes-4-47",
  "replace": "classes-4-25",
  "collapse-space": "classes-4-69",
  "gpt2-split": "classes-4-63",
  "whitespace-split": "classes-4-64",
  "punctuation-split": "classes-4-65",
  "digits-split": "classes-4-66",
  "none": "classes-4-26",
  "byte-level-bpe/1": "classes-4-74",
  "score-bpe/1": "classes-4-76",
  "unigram/1": "classes-4-77",
  "wordpiece/1": "classes-4-81",
  "table/1": "classes-4-84",
};

type Body = ReadonlyMap<string, Value>;

const ADDED = 6, TABLE = 4;
const NO_EDGE: Value = new Map<string, Value>([["auto", false], ["id", null]]);

const without = (field: string, value: Value) => (accepted: Accepted): Accepted =>
  withBody(accepted, new Map([...bodyOf(accepted.candidate), [field, value]]));

const withoutBlob = (kind: number) => ({ candidate, ...rest }: Accepted): Accepted => {
  const kept = candidate.blobs.filter((blob) => blob.kind !== kind);
  const blobs = kept.map((blob) => candidate.blobs.indexOf(blob));
  return {
    ...rest,
    candidate: { ...candidate, blobs: kept },
    blobs: (index) => rest.blobs(blobs[index]),
  };
};

/** What every tokenizer may have, and how it goes away. */
const PARTS: readonly (readonly [step: string, (accepted: Accepted) => Accepted])[] = [
  ["max_expansion", without("max_expansion", 2 ** 30)],
  ["auto", (accepted) => without("bos", NO_EDGE)(without("eos", NO_EDGE)(accepted))],
  ["added tokens", withoutBlob(ADDED)],
  ["prefix space", without("added_prefix_space", false)],
  ["normalizer table", withoutBlob(TABLE)],
  ["space marker", without("space_marker", null)],
];

/**
 * Takes one step after another away while they part.
 * @returns what they part over, in the order of encoding: the kind where nothing else remains
 */
export function decidingSteps(
  accepted: Accepted,
  part: (simpler: Accepted) => boolean,
): readonly string[] {
  const steps: string[] = [];
  let simplest = accepted;
  const gone = (simpler: Accepted): boolean => {
    const goes = part(simpler);
    if (goes) simplest = simpler;
    return goes;
  };
  const kind = String(bodyOf(accepted.candidate).get("kind"));
  for (const [step, drop] of PARTS) {
    if (step === "space marker" && kind === "wordpiece/1") continue; // there it is the kind's
    if (!gone(drop(simplest))) steps.push(step);
  }
  for (const field of ["normalizer", "pretokenizer"]) {
    let at = 0;
    while (true) {
      const ops = bodyOf(simplest.candidate).get(field) as readonly (readonly Value[])[];
      if (at === ops.length) break;
      if (gone(without(field, ops.filter((_, i) => i !== at))(simplest))) continue;
      steps.push(String(ops[at][0]));
      at++;
    }
  }
  return steps.length > 0 ? [...new Set(steps)] : [kind];
}

/** The class body of a candidate. */
export const bodyOf = ({ manifest }: Candidate): Body => manifest.get("body") as Body;

/** The same artifact with another class body. */
export function withBody({ candidate, ...rest }: Accepted, body: Body): Accepted {
  const manifest = new Map([...candidate.manifest, ["body", body as Value]]);
  return { ...rest, candidate: { ...candidate, manifest } };
}
