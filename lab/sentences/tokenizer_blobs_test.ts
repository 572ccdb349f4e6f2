/** Tokenizer blobs (classes.md 4): a row a sentence. */
import { tokenizer, vocabularyTable } from "../../corpus/writer/build/tokenizer.ts";
import { concat, u32 } from "../../corpus/writer/bytes.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { getField, setField } from "../../corpus/writer/fields.ts";
import { edited, type Edits, hash, type Row, sentences } from "./sentences.ts";

const CONTENT = "26 BlobContent [payload]";

const PARTS = { vocabulary: ["a", "b", "ab", "", "a"] };

const TABLE = tokenizer(PARTS, { kind: "table/1" });

const bytes256 = Array.from({ length: 256 }, (_, i) => new Uint8Array([i]));

const ids = (n: number) => Array.from({ length: n }, (_, i) => i);

type Blobs = NonNullable<Description["blobs"]>;

const tables = (
  sentence: string,
  description: Description,
  expected: string,
  blobs: (b: Blobs) => Blobs = (b) => b,
  edits: Edits = {},
): Row => [
  sentence,
  () => edited({ ...description, blobs: blobs(description.blobs!) }, edits),
  expected,
];

const blob = (
  kind: number,
  name: string,
  payload: Uint8Array,
  media_type = "application/slm2-table",
) => ({ kind, name, media_type, payload });

const also = (...more: Blobs) => (b: Blobs) => [...b, ...more];

const without = (kind: number) => (b: Blobs) => b.filter((one) => one.kind !== kind);

const pair = (source: number[], to: number[]) =>
  concat(new Uint8Array([source.length, 0, ...source]), new Uint8Array([to.length, 0, ...to]));

const added = (...tokens: [number, number][]) =>
  concat(
    u32(tokens.length),
    ...tokens.map(([id, flags]) => concat(u32(id), new Uint8Array([flags]))),
  );

const merges = (...rows: number[][]) => concat(u32(rows.length), ...rows.flat().map(u32));

const BPE = tokenizer({ ...PARTS, merges: [[0, 1, 2]] }, { kind: "byte-level-bpe/1" });

const SCORED = tokenizer({ ...PARTS, scores: [0, 1, -1, 3e38, -0] }, { kind: "unigram/1" });

const FALLBACK = tokenizer({ vocabulary: bytes256, byte_fallback: ids(256) }, { kind: "table/1" });

sentences(
  "classes.md 4, blobs",
  [
    tables("entries repeat and are empty", TABLE, "accept"),
    tables("no entry", tokenizer({ vocabulary: [] }, { kind: "table/1" }), "accept"),
    tables("another vocab_size", TABLE, CONTENT, (b) => b, { "body.vocab_size": 6 }),
    tables("a vocab_size of 64 bits", TABLE, CONTENT, (b) => b, {
      "body.vocab_size": 2n ** 64n - 1n,
    }),
    tables("another name", TABLE, CONTENT, (b) => b.map((one) => ({ ...one, name: "vocab" }))),
    tables(
      "another media type",
      TABLE,
      CONTENT,
      (b) => b.map((one) => ({ ...one, media_type: "text/plain" })),
    ),
    tables(
      "a second vocabulary",
      TABLE,
      CONTENT,
      also(blob(1, "z", vocabularyTable(PARTS.vocabulary))),
    ),
    tables(
      "offsets not from 0",
      TABLE,
      CONTENT,
      () => [
        blob(1, "vocabulary", concat(u32(5), ...[1, 1, 1, 1, 1, 1].map(u32), new Uint8Array(1))),
      ],
    ),
    tables(
      "bytes past the last offset",
      TABLE,
      CONTENT,
      (b) => [{ ...b[0], payload: concat(b[0].payload as Uint8Array, new Uint8Array(1)) }],
    ),
    tables("no vocabulary", TABLE, CONTENT, () => [blob(6, "added-tokens", added())]),
    tables("no vocabulary, merges of none", BPE, CONTENT, () => [blob(2, "merges", merges())]),
    tables("merges", BPE, "accept"),
    tables("merges are needed", BPE, CONTENT, without(2)),
    tables("merges of none", BPE, "accept", (b) => [b[0], blob(2, "merges", merges())]),
    tables(
      "an unneeded blob is checked",
      TABLE,
      CONTENT,
      also(blob(2, "merges", merges([0, 1, 0]))),
    ),
    tables(
      "a result with equal bytes, whatever its id",
      TABLE,
      "accept",
      also(blob(2, "merges", merges([4, 1, 2], [0, 1, 2], [0, 3, 4]))),
    ),
    tables(
      "a pair twice, not adjacent",
      TABLE,
      CONTENT,
      also(blob(2, "merges", merges([0, 1, 2], [4, 1, 2], [0, 1, 2]))),
    ),
    tables("an id out of range", TABLE, CONTENT, also(blob(2, "merges", merges([0, 1, 5])))),
    tables(
      "a count of 2^32 - 1",
      TABLE,
      CONTENT,
      also(blob(2, "merges", concat(u32(2 ** 32 - 1), new Uint8Array(12)))),
    ),
    tables("scores", SCORED, "accept"),
    tables("scores are needed", SCORED, CONTENT, without(3)),
    tables(
      "a score too few",
      SCORED,
      CONTENT,
      (b) => [b[0], blob(3, "scores", concat(u32(4), new Uint8Array(16)))],
    ),
    tables(
      "an infinite score",
      SCORED,
      CONTENT,
      (
        b,
      ) => [
        b[0],
        blob(3, "scores", concat(u32(5), new Uint8Array(16), new Uint8Array([0, 0, 0x80, 0xff]))),
      ],
    ),
    tables(
      "a NaN",
      SCORED,
      CONTENT,
      (
        b,
      ) => [
        b[0],
        blob(3, "scores", concat(u32(5), new Uint8Array([1, 0, 0x80, 0x7f]), new Uint8Array(16))),
      ],
    ),
    tables(
      "replacements",
      TABLE,
      "accept",
      also(blob(4, "normalizer", concat(u32(2), pair([97], []), pair([97, 0], [255])))),
    ),
    tables("no replacement", TABLE, "accept", also(blob(4, "normalizer", u32(0)))),
    tables(
      "an empty source",
      TABLE,
      CONTENT,
      also(blob(4, "normalizer", concat(u32(1), pair([], [97])))),
    ),
    tables(
      "a source twice",
      TABLE,
      CONTENT,
      also(blob(4, "normalizer", concat(u32(2), pair([97], [1]), pair([97], [2])))),
    ),
    tables(
      "sources by their bytes, not their lengths",
      TABLE,
      CONTENT,
      also(blob(4, "normalizer", concat(u32(2), pair([98], []), pair([97, 97], [])))),
    ),
    tables(
      "a pair cut off",
      TABLE,
      CONTENT,
      also(blob(4, "normalizer", concat(u32(1), pair([97], [1]).slice(0, -1)))),
    ),
    tables(
      "a byte after the last pair",
      TABLE,
      CONTENT,
      also(blob(4, "normalizer", concat(u32(1), pair([97], []), new Uint8Array(1)))),
    ),
    tables("byte fallback", FALLBACK, "accept"),
    tables("byte fallback is needed", FALLBACK, CONTENT, without(5)),
    tables(
      "not needed, and checked",
      FALLBACK,
      CONTENT,
      (b) => [b[0], blob(5, "byte-fallback", new Uint8Array(1024))],
      { "body.byte_fallback": false },
    ),
    tables(
      "two bytes exchanged",
      FALLBACK,
      CONTENT,
      (b) => [b[0], blob(5, "byte-fallback", concat(...[1, 0, ...ids(256).slice(2)].map(u32)))],
    ),
    tables(
      "an id twice",
      FALLBACK,
      CONTENT,
      (b) => [b[0], blob(5, "byte-fallback", concat(...[0, 0, ...ids(256).slice(2)].map(u32)))],
    ),
    tables(
      "255 of them",
      FALLBACK,
      CONTENT,
      (b) => [b[0], blob(5, "byte-fallback", concat(...ids(255).map(u32)))],
    ),
    tables("added tokens", TABLE, "accept", also(blob(6, "added-tokens", added([0, 0], [4, 31])))),
    tables("an unknown flag", TABLE, CONTENT, also(blob(6, "added-tokens", added([0, 32])))),
    tables("a token twice", TABLE, CONTENT, also(blob(6, "added-tokens", added([1, 0], [1, 0])))),
    tables("a token that is none", TABLE, CONTENT, also(blob(6, "added-tokens", added([5, 0])))),
    tables("the hash before the content", TABLE, "26 PayloadHashMismatch [payload]", (b) => b),
  ].map((row): Row =>
    row[0] !== "the hash before the content" ? row : [row[0], () => {
      const bytes = row[1]();
      const at = Number(getField(bytes, "header.payload_offset"));
      bytes[at] = 9;
      return bytes;
    }, row[2]]
  ),
);

/** A file whose blob `i` has another hash than its bytes. */
const damaged = (description: Description, i: number, edits: Edits = {}) => () => {
  const bytes = edited(description, edits);
  setField(bytes, `blob[${i}].content_hash`, hash(7));
  return bytes;
};

sentences("slm2.md 8, stage 26, object by object", [
  [
    "a grammar before a later hash",
    damaged({
      ...TABLE,
      blobs: also(blob(2, "merges", merges([0, 1, 0])), blob(6, "added-tokens", added()))(
        TABLE.blobs!,
      ),
    }, 2),
    CONTENT,
  ],
  [
    "what is missing, only after the last hash",
    damaged({ ...BPE, blobs: [BPE.blobs![0], blob(6, "added-tokens", added())] }, 1),
    "26 PayloadHashMismatch [payload]",
  ],
  [
    "without a vocabulary, merges are at fault at their own place",
    damaged({
      ...BPE,
      blobs: [blob(2, "merges", merges([0, 1, 2])), blob(6, "added-tokens", added())],
    }, 1),
    CONTENT,
  ],
  [
    "merges of none are not",
    damaged({ ...BPE, blobs: [blob(2, "merges", merges()), blob(6, "added-tokens", added())] }, 1),
    "26 PayloadHashMismatch [payload]",
  ],
  [
    "byte-fallback is",
    damaged({
      ...TABLE,
      blobs: [
        blob(5, "byte-fallback", concat(...ids(256).map(u32))),
        blob(6, "added-tokens", added()),
      ],
    }, 1),
    CONTENT,
  ],
  [
    "a name before a later hash",
    damaged({
      ...TABLE,
      blobs: [blob(1, "x", new Uint8Array(1)), blob(6, "added-tokens", added())],
    }, 1),
    CONTENT,
  ],
]);
