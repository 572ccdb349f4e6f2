/** The smallest artifact of each class that the writer makes: what a fault is planted into. */
import fc from "fast-check";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description, Reference } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import { FAMILIES } from "../../mutators/arbitraries/any.ts";

const ZEROS = "0".repeat(64);
const NOTHING: Reference = { class: 4, artifact_id: ZEROS, whole_file: ZEROS };

/** One element is the least that a tensor may have. */
const SCALAR = { role: "a", name: "a", shape: [], type: "u8", payload: Uint8Array.of(0) };

const MADE: readonly Description[] = [
  template(NOTHING, []),
  tensorPack([SCALAR], 1),
  tensorPack([SCALAR], 2),
  tokenizer({ vocabulary: ["a"] }, { kind: "table/1" }),
  tokenizer({ vocabulary: ["a"] }, { kind: "wordpiece/1" }),
  tokenizer({ vocabulary: ["a"], merges: [] }, { kind: "byte-level-bpe/1" }),
  tokenizer({ vocabulary: ["a"], scores: [0] }, { kind: "unigram/1" }),
  tokenizer({ vocabulary: ["a"], scores: [0] }, { kind: "score-bpe/1" }),
];

/** Samples of a family of which the smallest is taken: generators make small ones often. */
const SAMPLES = 64;

let known: readonly Uint8Array[] | undefined;

/** Small good artifacts of every class, the smallest first; the same at every call. */
export function smallestArtifacts(): readonly Uint8Array[] {
  known ??= [
    ...MADE.flatMap(written),
    ...Object.values(FAMILIES).flatMap((family) =>
      fc.sample(family as fc.Arbitrary<Description>, { seed: 1, numRuns: SAMPLES })
        .flatMap(written).toSorted((a, b) => a.length - b.length).slice(0, 1)
    ),
  ].toSorted((a, b) => a.length - b.length);
  return known;
}

function written(description: Description): Uint8Array[] {
  const result = write(description);
  return isWriteError(result) ? [] : [result.bytes];
}
