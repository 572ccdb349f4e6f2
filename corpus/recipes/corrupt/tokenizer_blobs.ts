/** Stage 26: blobs of tokenizers outside their grammar. */
import { vocabularyTable } from "../../writer/build/tokenizer.ts";
import { concat, u16, u32, utf8 } from "../../writer/bytes.ts";
import { blobOf, CONTENT, content } from "../blob_bytes.ts";
import { type Case, corrupt, type Recipe, type ValidCase } from "../case.ts";
import { replaced } from "../items.ts";
import { tok } from "../library.ts";
import { withBytes } from "../parts.ts";
import { adding, bpe, fallback, replacing, unigram } from "../valid/tokenizers.ts";
import { literals, named, needed } from "./blob_names.ts";

const MAX = 0xffffffff;

/** A list of faults of one blob, as [local, bytes, why]. */
type Fault = readonly [local: string, payload: Uint8Array, why: string];

const all = (recipe: Recipe, parent: ValidCase, kind: number, faults: readonly Fault[]): Case[] =>
  faults.map(([local, payload, why]) =>
    content(parent, kind, `${recipe.name}/${local}`, why, payload)
  );

/** Faults that every blob with a count at its head can have. */
function countFaults(good: Uint8Array, count: number): Fault[] {
  return [
    ...[count - 1, count + 1, MAX, 0x40000000 + count].filter((n) => n >= 0).map((n): Fault => [
      `count-${n}`,
      withBytes(good, 0, u32(n)),
      `count ${n} for ${count}`,
    ]),
    ["length-1", good.slice(0, 1), "one byte"],
    ["length-3", good.slice(0, 3), "no whole count"],
    ["count-only", good.slice(0, 4), "a count and nothing else"],
    ["byte-less", good.slice(0, -1), "the last byte is missing"],
    ["byte-more", concat(good, new Uint8Array(1)), "a byte more"],
  ];
}

/** `a`, `b`, `ab`, `</s>`: offsets 0, 1, 2, 4, 8. */
const offsets = (list: readonly number[], bytes = "abab</s>") =>
  concat(u32(list.length - 1), ...list.map(u32), utf8(bytes));

export const vocabulary: Recipe = {
  name: "corrupt/blob/vocabulary",
  reason: "count and offsets of a vocabulary",
  spec: "classes.md 4",
  cites: [
    "classes-4 1 tokenizer.vocabulary",
    "classes-4 A blob outside this grammar",
    "slm2-8.26 for a blob its content grammar",
  ],
  cases: () => [
    ...all(vocabulary, tok(), 1, [
      ...countFaults(blobOf(tok(), 1), 4),
      ["first-1", offsets([1, 1, 2, 4, 8]), "offsets begin at 1"],
      ["decreasing", offsets([0, 2, 1, 4, 8]), "an offset falls"],
      ["all-zero", offsets([0, 0, 0, 0, 0]), "every offset is 0, and there are bytes"],
      ["last-zero", offsets([0, 1, 2, 4, 0]), "the last offset falls to 0"],
      [
        "past-then-back",
        offsets([0, 1, 9, 4, 8]),
        "an offset passes the bytes, the next comes back",
      ],
      ["last-short", offsets([0, 1, 2, 4, 7]), "the last is one short of the bytes"],
      ["last-long", offsets([0, 1, 2, 4, 9]), "the last is one past the bytes"],
      ["last-max", offsets([0, 1, 2, 4, MAX]), "the last is 2^32 - 1"],
      [
        "one-entry-more",
        vocabularyTable(["a", "b", "ab", "</s>", "c"]),
        "a whole entry more than vocab_size",
      ],
      ["one-entry-less", vocabularyTable(["a", "b", "ab"]), "a whole entry fewer than vocab_size"],
    ]),
    corrupt(
      tok(),
      `${vocabulary.name}/vocab-size-plus-one`,
      "the body says one entry more",
      replaced(tok(), ["body", "vocab_size"], 5),
      CONTENT,
    ),
    corrupt(
      tok(),
      `${vocabulary.name}/vocab-size-0`,
      "the body says none",
      replaced(tok(), ["body", "vocab_size"], 0),
      CONTENT,
    ),
    corrupt(
      tok(),
      `${vocabulary.name}/vocab-size-2-32`,
      "the body says 2^32 entries more",
      replaced(tok(), ["body", "vocab_size"], 2 ** 32 + 4),
      CONTENT,
    ),
    corrupt(
      tok(),
      `${vocabulary.name}/vocab-size-2-64`,
      "the body says 2^64 - 1",
      replaced(tok(), ["body", "vocab_size"], 2n ** 64n - 1n),
      CONTENT,
    ),
  ],
};

const merge = (...triples: readonly (readonly number[])[]) =>
  concat(u32(triples.length), ...triples.flat().map(u32));

export const merges: Recipe = {
  name: "corrupt/blob/merges",
  reason: "pairs, their results and their ids",
  spec: "classes.md 4",
  cites: ["classes-4 2 tokenizer.merges", "classes-4 A blob outside this grammar"],
  cases: () =>
    all(merges, bpe(), 2, [
      ...countFaults(blobOf(bpe(), 2), 3),
      ...[6, MAX].flatMap((id) =>
        [
          [`left-${id}`, merge([id, 1, 3]), `left ${id} of 6 entries`],
          [`right-${id}`, merge([0, id, 3]), `right ${id} of 6 entries`],
          [`result-${id}`, merge([0, 1, id]), `result ${id} of 6 entries`],
        ] as Fault[]
      ),
      ["pair-twice", merge([0, 1, 3], [0, 1, 3]), "one merge twice"],
      [
        "pair-twice-apart",
        merge([0, 1, 3], [1, 2, 5], [0, 1, 3]),
        "one merge twice, another between",
      ],
      ["result-other", merge([0, 1, 5]), "a b to bc"],
      ["result-swapped", merge([1, 0, 3]), "b a to ab"],
      ["result-longer", merge([0, 1, 4]), "a b to abc"],
      ["result-shorter", merge([3, 2, 3]), "ab c to ab"],
      ["last-result", merge([0, 1, 3], [3, 2, 5]), "the fault is in the last"],
    ]),
};

const scoresOf = (...bits: readonly string[]) =>
  concat(u32(bits.length), ...bits.map((hex) => Uint8Array.fromHex(hex)));

const ZERO = "00000000";

const scores: Recipe = {
  name: "corrupt/blob/scores",
  reason: "one finite score an entry",
  spec: "classes.md 4",
  cites: ["classes-4 3 tokenizer.unigram", "classes-4 A blob outside this grammar"],
  cases: () =>
    all(scores, unigram(), 3, [
      ...countFaults(blobOf(unigram(), 3), 4),
      ["nan", scoresOf("0000c07f", ZERO, ZERO, ZERO), "the first is not a number"],
      ["nan-last", scoresOf(ZERO, ZERO, ZERO, "0100807f"), "the last is a signalling not-a-number"],
      ["nan-negative", scoresOf(ZERO, "ffffffff", ZERO, ZERO), "one is a negative not-a-number"],
      ["infinity", scoresOf(ZERO, ZERO, "0000807f", ZERO), "one is infinite"],
      ["minus-infinity", scoresOf(ZERO, ZERO, ZERO, "000080ff"), "one is infinite and negative"],
      ["one-less", scoresOf(ZERO, ZERO, ZERO), "three scores for four entries"],
      ["one-more", scoresOf(ZERO, ZERO, ZERO, ZERO, ZERO), "five scores for four entries"],
    ]),
};

const pairs = (...list: readonly (readonly [string, string])[]) =>
  concat(u32(list.length), ...list.flat().flatMap((text) => [u16(utf8(text).length), utf8(text)]));

const normalizer: Recipe = {
  name: "corrupt/blob/normalizer",
  reason: "replacements strictly increasing by a source that is not empty",
  spec: "classes.md 4",
  cites: ["classes-4 4 tokenizer.normalizer", "classes-4 A blob outside this grammar"],
  cases: () =>
    all(normalizer, replacing(), 4, [
      ...countFaults(blobOf(replacing(), 4), 4),
      ["source-empty", pairs(["", "x"]), "an empty source"],
      ["source-twice", pairs(["a", "x"], ["a", "y"]), "one source twice"],
      ["order", pairs(["b", "x"], ["a", "y"]), "sources that fall"],
      ["order-prefix", pairs(["ab", "x"], ["a", "y"]), "a prefix after what it begins"],
      ["order-last", pairs(["a", ""], ["c", ""], ["b", ""]), "the last falls"],
      [
        "source-past",
        concat(u32(1), u16(9), utf8("a"), u16(0)),
        "a source longer than what is left",
      ],
      ["source-past-max", concat(u32(1), u16(0xffff), utf8("a")), "a source of 65,535 bytes"],
      [
        "replacement-past",
        concat(u32(1), u16(1), utf8("a"), u16(2), utf8("b")),
        "a replacement one byte longer than what is left",
      ],
      ["replacement-missing", concat(u32(1), u16(1), utf8("a")), "no replacement"],
      ["half-length", concat(u32(1), u16(1), utf8("a"), new Uint8Array(1)), "half a length"],
    ]),
};

export const ids = (change: (list: number[]) => void, n = 256) => {
  const list = Array.from({ length: n }, (_, i) => i);
  change(list);
  return concat(...list.map(u32));
};

export const bytes: Recipe = {
  name: "corrupt/blob/byte-fallback",
  reason: "an id for each of the 256 bytes, whose entry is that byte",
  spec: "classes.md 4",
  cites: ["classes-4 5 tokenizer.byte_fallback", "classes-4 A blob outside this grammar"],
  cases: () =>
    all(bytes, fallback(), 5, [
      ["255", ids(() => {}, 255), "255 ids"],
      ["257", ids(() => {}, 257), "257 ids"],
      ["byte-less", ids(() => {}).slice(0, -1), "the last byte is missing"],
      ["byte-more", concat(ids(() => {}), new Uint8Array(1)), "a byte more"],
      ["one", u32(0), "one id"],
      ...[257, MAX].map((id): Fault => [
        `id-${id}`,
        ids((list) => void (list[0] = id)),
        `id ${id} of 257 entries`,
      ]),
      ["id-last-257", ids((list) => void (list[255] = 257)), "the last id is out of range"],
      ["twice", ids((list) => void (list[1] = 0)), "one id twice"],
      ["twice-last", ids((list) => void (list[255] = 0)), "one id twice, first and last"],
      [
        "swapped",
        ids((list) => void ([list[65], list[66]] = [66, 65])),
        "two bytes have each other's entry",
      ],
      ["longer-entry", ids((list) => void (list[97] = 256)), "the byte a has the entry ab"],
    ]),
};

const added = (...list: readonly (readonly [number, number])[]) =>
  concat(u32(list.length), ...list.flatMap(([id, flags]) => [u32(id), new Uint8Array([flags])]));

const tokens: Recipe = {
  name: "corrupt/blob/added-tokens",
  reason: "ids strictly increasing and in range, flags that are defined",
  spec: "classes.md 4",
  cites: ["classes-4 6 tokenizer.added", "classes-4 A blob outside this grammar"],
  cases: () =>
    all(tokens, adding(), 6, [
      ...countFaults(blobOf(adding(), 6), 3),
      ["id-4", added([0, 0], [4, 0]), "id 4 of 4 entries"],
      ["id-max", added([MAX, 0]), "id 2^32 - 1"],
      ["twice", added([1, 0], [1, 1]), "one id twice"],
      ["order", added([1, 0], [0, 0]), "ids that fall"],
      ...[32, 64, 128, 255].map((
        flags,
      ): Fault => [`flags-${flags}`, added([0, flags]), `flags ${flags}`]),
      ["flags-last", added([0, 0], [3, 32]), "the last has an unknown flag"],
    ]),
};

export const tokenizerBlobs: readonly Recipe[] = [
  vocabulary,
  merges,
  scores,
  normalizer,
  bytes,
  tokens,
  named,
  needed,
  literals,
];
