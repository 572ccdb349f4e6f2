/** Tokenizers of every kind, with every blob and every op; and chat templates. */
import { type Step, template } from "../../writer/build/template.ts";
import { tokenizer, type TokenizerParts } from "../../writer/build/tokenizer.ts";
import type { TokenizerBody, TokenizerOp } from "../../writer/bodies.ts";
import { utf8 } from "../../writer/bytes.ts";
import { ramp } from "../bytes.ts";
import { lazy, type Recipe, valid } from "../case.ts";
import { ref, tok } from "../library.ts";

/** 256 one-byte tokens. */
export const BYTES = Array.from({ length: 256 }, (_, byte) => new Uint8Array([byte]));

const make = (
  local: string,
  why: string,
  parts: TokenizerParts,
  body: Pick<TokenizerBody, "kind"> & Partial<TokenizerBody>,
) => valid(`valid/tokenizer/${local}`, why, tokenizer(parts, body));

const SMALL = ["a", "b", "ab", "abc"];
const scores = (n: number) => Float32Array.from({ length: n }, (_, id) => -id / 2);

/** Tables of every kind, each as small as it may be. */
export const bpe = lazy(() =>
  make("byte-level-bpe", "byte-level-bpe/1: vocabulary and merges", {
    vocabulary: ["a", "b", "c", "ab", "abc", "bc"],
    merges: [[0, 1, 3], [3, 2, 4], [1, 2, 5]],
  }, { kind: "byte-level-bpe/1" })
);
export const unigram = lazy(() =>
  make("unigram", "unigram/1: vocabulary and scores", { vocabulary: SMALL, scores: scores(4) }, {
    kind: "unigram/1",
  })
);
export const fallback = lazy(() =>
  make("byte-fallback", "score-bpe/1 with byte fallback", {
    vocabulary: [...BYTES, "ab"],
    scores: scores(257),
    byte_fallback: BYTES.map((_, id) => id),
  }, { kind: "score-bpe/1", unknown: { id: null, policy: "bytes" } })
);
export const replacing = lazy(() =>
  make("normalizer", "replacements in the order of their sources, one to nothing", {
    vocabulary: SMALL,
    normalizer: [["A", "a"], ["AB", "ab"], ["B", ""], ["\u00e4", "a"]],
  }, { kind: "table/1" })
);
export const adding = lazy(() =>
  make("added-tokens", "added tokens under every flag", {
    vocabulary: SMALL,
    added_tokens: [{ id: 0, flags: 0 }, { id: 1, flags: 31 }, { id: 3, flags: 16 }],
  }, { kind: "table/1" })
);

const kinds: Recipe = {
  name: "valid/tokenizer",
  reason: "each kind with what it needs, each blob at its edges, each relation of the body",
  spec: "classes.md 4",
  cites: [
    "classes-4 1 tokenizer.vocabulary",
    "classes-4 2 tokenizer.merges",
    "classes-4 3 tokenizer.unigram",
    "classes-4 4 tokenizer.normalizer",
    "classes-4 5 tokenizer.byte_fallback",
    "classes-4 6 tokenizer.added",
    "classes-4 kind = ",
    "classes-4 A blob that is not needed",
    "classes-4 Blobs (media type",
  ],
  cases: () => [
    bpe(),
    unigram(),
    fallback(),
    replacing(),
    adding(),
    make("score-bpe", "score-bpe/1: vocabulary and scores", {
      vocabulary: SMALL,
      scores: scores(4),
    }, { kind: "score-bpe/1" }),
    make("wordpiece", "wordpiece/1: a vocabulary", { vocabulary: ["\u2581a", "b"] }, {
      kind: "wordpiece/1",
      space_marker: "\u2581",
      decoder: ["wordpiece-cleanup", "strip-space-marker"],
    }),
    make("all-blobs-unneeded", "table/1 with every blob that it does not need", {
      vocabulary: [...BYTES, "ab"],
      merges: [[97, 98, 256]],
      scores: scores(257),
      normalizer: [["x", "y"]],
      byte_fallback: BYTES.map((_, id) => id),
      added_tokens: [{ id: 256, flags: 1 }],
    }, { kind: "table/1", byte_fallback: false }),
    make("arbitrary-bytes", "entries that are no UTF-8, of every byte", {
      vocabulary: [...BYTES, Uint8Array.fromHex("fffe80"), Uint8Array.fromHex("eda080"), ramp(300)],
    }, { kind: "table/1" }),
    make("empty-entries", "entries may be empty", { vocabulary: ["", "a", "", ""] }, {
      kind: "table/1",
    }),
    make("nul-entries", "entries of zeros: the bytes begin like an offset", {
      vocabulary: ["\0\0\0\0", "\0\0\0\0\0\0\0\0", "a"],
    }, { kind: "table/1" }),
    make("long-entries", "300 entries, the last of 70,000 bytes", {
      vocabulary: [...Array.from({ length: 299 }, (_, i) => `${i}`), "x".repeat(70000)],
    }, { kind: "table/1" }),
    make("no-scores", "scores of nothing", { vocabulary: [], scores: [] }, { kind: "unigram/1" }),
    make("equal-entries", "entries may repeat", { vocabulary: ["a", "a", "b", "a"] }, {
      kind: "table/1",
    }),
    make("no-entries", "a vocabulary of nothing", { vocabulary: [] }, { kind: "table/1" }),
    make("empty-tables", "merges, replacements and added tokens: none of each", {
      vocabulary: SMALL,
      merges: [],
      normalizer: [],
      added_tokens: [],
    }, { kind: "byte-level-bpe/1" }),
    make("merge-of-empty", "a merge with an empty entry", {
      vocabulary: ["", "a"],
      merges: [[0, 1, 1], [1, 0, 1], [0, 0, 0]],
    }, { kind: "byte-level-bpe/1" }),
    make("scores-at-ends", "finite scores: the greatest, the least, subnormal, negative zero", {
      vocabulary: SMALL,
      scores: [3.4028234663852886e38, -3.4028234663852886e38, 1.401298464324817e-45, -0],
    }, { kind: "unigram/1" }),
    make("fallback-permuted", "bytes may have any ids", {
      vocabulary: [...BYTES].reverse(),
      byte_fallback: BYTES.map((_, byte) => 255 - byte),
    }, { kind: "table/1", unknown: { id: null, policy: "bytes" } }),
    make("long-replacement", "texts of 255, 256 and 4,096 bytes", {
      vocabulary: SMALL,
      normalizer: [["x".repeat(255), "y".repeat(256)], ["z", "w".repeat(4096)]],
    }, { kind: "table/1" }),
    make("expansion-0", "max_expansion is free", { vocabulary: SMALL }, {
      kind: "table/1",
      max_expansion: 0,
    }),
    make("unknown-token", "policy token with an id", { vocabulary: SMALL }, {
      kind: "table/1",
      unknown: { id: 3, policy: "token" },
    }),
    make("unknown-id-unused", "an id that the policy does not need", { vocabulary: SMALL }, {
      kind: "table/1",
      unknown: { id: 0, policy: "reject" },
    }),
    make("ids-last", "every id at vocab_size - 1", { vocabulary: SMALL }, {
      kind: "table/1",
      bos: { auto: true, id: 3 },
      eos: { auto: true, id: 3 },
      roles: { pad: 3 },
      stop_tokens: [3],
      unknown: { id: 3, policy: "token" },
    }),
    make("ids-without-auto", "ids that are not put anywhere", { vocabulary: SMALL }, {
      kind: "table/1",
      bos: { auto: false, id: 0 },
      eos: { auto: false, id: 1 },
    }),
    make("stop-bytes", "stop bytes of every length, in the order of their encodings", {
      vocabulary: SMALL,
    }, {
      kind: "table/1",
      stop_bytes: [
        new Uint8Array(0),
        new Uint8Array([255]),
        new Uint8Array([0, 0]),
        new Uint8Array(24),
      ],
    }),
    make("space-marker-text", "any text as the marker", { vocabulary: SMALL }, {
      kind: "table/1",
      space_marker: "",
    }),
  ],
};

const NORMALIZERS: readonly TokenizerOp[] = [
  ["nfc"],
  ["nfkc"],
  ["lowercase"],
  ["strip-accents"],
  ["clean-control"],
  ["cjk-space"],
  ["prepend", ""],
  ["prepend", "\u2581"],
  ["replace", "", ""],
  ["replace", "a", "bb"],
  ["collapse-space"],
];
const PRETOKENIZERS: readonly TokenizerOp[] = [
  ["gpt2-split"],
  ["whitespace-split"],
  ["punctuation-split"],
  ["digits-split", 1],
  ["digits-split", 2 ** 53 - 1],
  ["none"],
];

const ops: Recipe = {
  name: "valid/tokenizer-op",
  reason: "every registered op with its operands, alone and in rows",
  spec: "classes.md 4",
  cites: ["classes-4 Normalizer registry", "classes-4 Pretokenizer registry", "classes-4 op = "],
  cases: () => {
    const op = (local: string, body: Partial<TokenizerBody>) =>
      valid(
        `valid/tokenizer-op/${local}`,
        `the op ${local}`,
        tokenizer({ vocabulary: SMALL }, { kind: "table/1", ...body }),
      );
    return [
      ...NORMALIZERS.map((one, i) => op(`normalizer-${i}-${one[0]}`, { normalizer: [one] })),
      ...PRETOKENIZERS.map((one, i) => op(`pretokenizer-${i}-${one[0]}`, { pretokenizer: [one] })),
      op("all", { normalizer: NORMALIZERS, pretokenizer: PRETOKENIZERS }),
      op("twice", { normalizer: [["nfc"], ["nfc"]], pretokenizer: [["none"], ["none"]] }),
    ];
  },
};

const chat = (
  local: string,
  why: string,
  program: readonly Step[],
  body: Parameters<typeof template>[2] = {},
) => valid(`valid/template/${local}`, why, template(ref(tok()), program, body));

/** A template of two literals, 262,144 bytes in all. */
export const fullLiterals = lazy(() =>
  chat("literals-256-kib", "literals of just 256 KiB in all", ["x".repeat(262000), "y".repeat(144)])
);

const conditions = (levels: number): Step[] =>
  levels === 0 ? [{ do: "content" }] : [{ if_role: "user", then: conditions(levels - 1) }];

const templates: Recipe = {
  name: "valid/template",
  reason: "every instruction, nested as far as may be",
  spec: "classes.md 5",
  cites: [
    "classes-5 instruction = ",
    "classes-5 block = ",
    "classes-5 Blobs of kind 16",
    "classes-5 1 emit_literal",
    "classes-10 16 | template.literal",
  ],
  cases: () => [
    fullLiterals(),
    chat("literal", "a literal", ["hello"]),
    chat("literal-twice", "one blob for two uses", ["a", "b", "a"]),
    chat("token", "a token, whose id only a tokenizer can judge", [{ token: 2 ** 53 - 1 }]),
    chat("stop", "a stop at the top", [{ do: "stop" }]),
    chat("generation-marker", "a generation marker", [{ do: "generation_marker" }], {
      generation_marker: 3,
    }),
    chat("generation-marker-twice", "a generation marker in two places, one inside the loop", [{
      for_each_message: [{ do: "generation_marker" }],
    }, { do: "generation_marker" }], { generation_marker: 0 }),
    chat("loop", "a loop over messages", [{
      for_each_message: [{ do: "role" }, { do: "content" }],
    }]),
    chat("loop-empty", "a loop over nothing", [{ for_each_message: [] }]),
    chat("loops", "two loops, one after the other", [{ for_each_message: [{ do: "role" }] }, {
      for_each_message: [{ do: "content" }],
    }]),
    chat("conditions", "conditions of both sorts", [{
      for_each_message: [{
        if_role: "user",
        then: [{ if_present: "name", then: ["x", { do: "stop" }] }],
      }, { if_present: "name", then: [] }],
    }], { fields: ["name"], roles: ["user"] }),
    chat("undeclared", "a condition may name a role that is not declared", [{
      for_each_message: [{ if_role: "constructor", then: [] }],
    }]),
    chat("deepest", "conditions as deep as CBOR lets them be", [{
      for_each_message: conditions(5),
    }], { roles: ["user"] }),
    chat("4096-instructions", "just 4,096 instructions", [{
      for_each_message: Array.from({ length: 4095 }, (): Step => ({ do: "content" })),
    }]),
    chat("literal-bom", "a literal begins with U+FEFF", ["\ufeffA"]),
    chat("literal-not-nfc", "a literal is UTF-8 and nothing more: not in NFC", ["e\u0301"]),
    chat("literal-unassigned", "nor assigned", ["\u0378"]),
    chat("literal-nul", "nor free of U+0000", ["\0"]),
    chat("fields-and-roles", "declared and not used", [], {
      fields: ["a", "b", "aa"],
      roles: ["system", "user"],
      stop_tokens: [0, 23, 24, 256],
    }),
    valid("valid/template/unused-literal", "a literal that no instruction emits", {
      ...template(ref(tok()), ["used"]),
      blobs: [
        { kind: 16, name: "a", media_type: "text/plain", payload: utf8("used") },
        { kind: 16, name: "b", media_type: "text/plain", payload: utf8("unused") },
      ],
    }),
  ],
};

export const tokenizers: readonly Recipe[] = [kinds, ops, templates];
