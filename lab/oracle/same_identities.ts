/** Oracle: readers that accept give the same identities (section 9). */
import { clause } from "./clauses.ts";
import { type Answers, type Finding, tuples } from "./oracle.ts";
import { differences, type Field } from "./verdicts.ts";

const NAME = "same-identities";

/** What is made from bytes alone first: an id that is made of others differs because they do. */
const ORDER: readonly Field[] = [
  "class",
  "profiles",
  "tensors",
  "blobs",
  "manifest",
  "semantic_manifest",
  "tensor_layout",
  "whole_file",
  "piece_count",
  "piece_root",
  "artifact_id",
];

/** The sentence that says what an identity is made of. */
const DEFINED: { readonly [field in Field]?: string } = {
  tensors: "slm2-9-12",
  blobs: "slm2-9-14",
  manifest: "slm2-9-9",
  semantic_manifest: "slm2-9-10",
  tensor_layout: "slm2-9-18",
  whole_file: "slm2-9-8",
  artifact_id: "slm2-9-22",
};

export function sameIdentities(answers: Answers): Finding | null {
  const [first, ...others] = answers.seen;
  for (const { outcome, reader } of others) {
    if (first.outcome.verdict !== "accept" || outcome.verdict !== "accept") continue;
    const fields = differences(first.outcome, outcome);
    const field = ORDER.find((one) => fields.includes(one));
    if (field === undefined) continue;
    return {
      oracle: NAME,
      class: "disagreement",
      key: `${NAME} ${field} ${first.reader.name} ${reader.name}`,
      detail: tuples(answers),
      clause: clause(DEFINED[field] ?? "slm2-1-8"),
    };
  }
  return null;
}
