/** Good artifacts of every class to begin a campaign with. */
import fc from "fast-check";
import type { Description } from "../corpus/writer/description.ts";
import { isWriteError } from "../corpus/writer/fault.ts";
import { write } from "../corpus/writer/write.ts";
import { clearPadding } from "../corpus/writer/padding.ts";
import { storageOf, storedBytes } from "../corpus/writer/storage.ts";
import { template } from "../corpus/writer/build/template.ts";
import { tokenizer } from "../corpus/writer/build/tokenizer.ts";
import { FAMILIES } from "./arbitraries/any.ts";
import { parse } from "./artifact.ts";

/** How many are made for one that is kept, so that rare kinds are among them. */
const CHOICE = 3;

/** What arbitraries make too seldom: several quantized tensors with tails, and runs of auxiliaries. */
const RICH: Description = {
  artifact_class: 2,
  body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: true },
  tensors: ([
    ["w/a", [2, 3], "q8-row.exact"],
    ["w/b", [2, 5], "q8-row.exact"],
    ["w/c", [3, 2], "q8-row.exact"],
    ["w/d", [3, 33], "q4-0.b32.row"],
    ["w/e", [3, 33], "q8-0.b32.pad"],
    ["w/f", [2, 65], "nf4.b64.row"],
    ["w/g", [2, 2], "f16"],
    ["s/a", [2], "f32"],
    ["s/c", [3], "f32"],
  ] as const).map(([name, shape, type], i) => ({
    role: name.slice(0, 1),
    name,
    layer: i % 3 - 1,
    shape,
    type,
    payload: new Uint8Array(Number(storedBytes(shape, storageOf(type)))),
  })),
  auxiliaries: [
    { owner: "w/a", target: "s/a" },
    { owner: "w/b", target: "s/a" },
    { owner: "w/c", target: "s/c" },
  ],
};

/** Of many ways to cut one text, and of a code point without a token of its own. */
const WORDS = ["\u4e00a", "b", "a", "ab", "ba", "aba", "\u00e9", "llo"];
const SCORES = [-6, -6, -1, 0, -2, -0.5, -1, -3];

/** Tokenizers that lose nothing: every byte has a token of its own to fall back on. */
const LOSSLESS: readonly Description[] = (["table/1", "unigram/1", "score-bpe/1"] as const).map(
  (kind) => {
    const vocabulary = [...WORDS, ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))];
    return tokenizer({
      vocabulary,
      scores: kind === "table/1" ? undefined : vocabulary.map((_, id) => SCORES[id] ?? -6),
      byte_fallback: Array.from({ length: 256 }, (_, byte) => WORDS.length + byte),
    }, { kind, byte_fallback: true, unknown: { id: null, policy: "bytes" } });
  },
);

const ZEROS = "0".repeat(64);

/**
 * What a person would write: a conversation with roles, a tokenizer that cleans up behind itself, and one that
 * cuts text before it merges.
 */
const TYPICAL: readonly Description[] = [
  tokenizer({
    vocabulary: ["a", "b", "c", "ab", "bc", "abc"],
    merges: [[0, 1, 3], [1, 2, 4], [3, 2, 5], [0, 4, 5]],
  }, { kind: "byte-level-bpe/1" }),
  template({ class: 4, artifact_id: ZEROS, whole_file: ZEROS }, [
    { for_each_message: [{ do: "role" }, ": ", { do: "content" }, { token: 1 }, "\n"] },
    { do: "generation_marker" },
  ], { roles: ["assistant", "user"], generation_marker: 2 }),
  tokenizer({
    vocabulary: [" ", " a", " b", "! ", ".", "a", "a ", "ab", "b", "\u2581a", "\u2581"],
    added_tokens: [{ id: 3, flags: 1 }, { id: 4, flags: 14 }],
    normalizer: [["a", "b"], ["ab", ""]],
  }, {
    kind: "wordpiece/1",
    added_prefix_space: true,
    decoder: ["strip-space-marker", "wordpiece-cleanup"],
    space_marker: "\u2581",
    unknown: { id: 0, policy: "token" },
  }),
  tokenizer({
    vocabulary: ["a", "b", "ba", "ab", "aba", "abab", "?"],
    merges: [[1, 0, 2], [0, 1, 3], [3, 0, 4], [3, 3, 5], [0, 2, 4]],
  }, {
    kind: "byte-level-bpe/1",
    normalizer: [["nfc"], ["lowercase"]],
    pretokenizer: [["gpt2-split"], ["digits-split", 3], ["punctuation-split"]],
    max_expansion: 4,
    unknown: { id: 6, policy: "token" },
  }),
];

/** Entries so long that a reader may treat them apart, each a result of several merges. */
const LONG = tokenizer({
  vocabulary: ["", "a".repeat(256), "b".repeat(256), "a".repeat(256) + "b".repeat(256), "a", "b"],
  merges: [[0, 1, 1], [0, 2, 2], [1, 0, 1], [1, 2, 3], [3, 0, 3], [0, 3, 3]],
}, { kind: "byte-level-bpe/1" });

/**
 * From `each` to twice as many artifacts of every family, of at most `most` bytes, the later ones such as have
 * what none before has: more records of a table, another blob kind. From a seed alone.
 * @param seed a 32-bit integer
 */
export function seedArtifacts(seed: number, each: number, most = 4096): Uint8Array[] {
  const families = Object.values(FAMILIES) as fc.Arbitrary<Description>[];
  return [
    ...[RICH, LONG, ...LOSSLESS, ...TYPICAL].flatMap(written),
    ...families.flatMap((family) => {
      const seen = new Set<string>();
      let count = 0;
      return fc.sample(family, { seed, numRuns: CHOICE * each }).flatMap(written)
        .filter((file) => {
          const traits = traitsOf(file);
          const few = count < each || count < 2 * each && !seen.has(traits);
          const kept = file.length <= most && few;
          if (kept) count++;
          seen.add(traits);
          return kept;
        });
    }),
  ];
}

/** The file of a description, with its padded lanes put right; none where it has none. */
function written(description: Description): Uint8Array[] {
  for (const { payload, shape, type } of description.tensors ?? []) {
    const { profile } = storageOf(type, description.profiles);
    if (profile && payload instanceof Uint8Array) clearPadding(payload, shape, profile.fields);
  }
  const result = write(description);
  return isWriteError(result) ? [] : [result.bytes];
}

/** What an artifact has: none, one or several records of each table, and its blob kinds. */
function traitsOf(file: Uint8Array): string {
  const { quants, tensors, blobs, auxiliaries } = parse(file);
  const several = [quants, tensors, auxiliaries].map(({ length }) => Math.min(length, 2));
  return [...several, ...blobs.map(({ record }) => record[2])].join();
}
