/** The five kinds against the sentences of section 4, done slowly. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { fault, ids, make } from "../testing.ts";

/** Letters, one of two bytes among them, so that merges meet often. */
const LETTERS = ["a", "b", "é"];
const words = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 5 });
const texts = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 40 });
const RUNS = { numRuns: 300 };

const latin1 = (text: string) => {
  let out = "";
  for (const byte of new TextEncoder().encode(text)) out += String.fromCharCode(byte);
  return out;
};

Deno.test("score-bpe/1: the best pair, leftmost on ties, again and again", () => {
  const pieces = fc.array(fc.tuple(words, fc.integer({ min: -3, max: 0 })), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, texts, (drawn, text) => {
      const vocabulary = [...LETTERS, ...drawn.map(([piece]) => piece)];
      const scores = [0, 0, 0, ...drawn.map(([, score]) => score)];
      const idOf = (piece: string) => vocabulary.indexOf(piece);
      const symbols = [...text];
      while (true) {
        let best = -1;
        for (let i = 0; i + 1 < symbols.length; i++) {
          const id = idOf(symbols[i] + symbols[i + 1]);
          if (id < 0) continue;
          const bestId = best < 0 ? -1 : idOf(symbols[best] + symbols[best + 1]);
          if (best < 0 || scores[id] > scores[bestId]) best = i;
        }
        if (best < 0) break;
        symbols.splice(best, 2, symbols[best] + symbols[best + 1]);
      }
      const tokenizer = make({ vocabulary, scores }, { kind: "score-bpe/1" });
      assertEquals(ids(tokenizer, text), symbols.map(idOf));
    }),
    RUNS,
  );
});

Deno.test("byte-level-bpe/1: the lowest rank everywhere from the left, again and again", () => {
  // merges of whatever pairs of tokens, so that one of lower rank may need one of higher
  const pairs = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 });
  fc.assert(
    fc.property(pairs, fc.boolean(), texts, (drawn, reversed, text) => {
      const vocabulary = ["a", "b", "\xc3", "\xa9"];
      let merges: [number, number, number][] = [];
      for (const [l, r] of drawn) {
        const [left, right] = [l % vocabulary.length, r % vocabulary.length];
        if (merges.some(([a, b]) => a === left && b === right)) continue;
        vocabulary.push(vocabulary[left] + vocabulary[right]);
        merges.push([left, right, vocabulary.length - 1]);
      }
      if (reversed) merges = merges.reverse();
      const expected = [...latin1(text)].map((byte) => vocabulary.indexOf(byte));
      while (true) {
        const applies = merges.find(([l, r]) =>
          expected.some((id, i) => id === l && expected[i + 1] === r)
        );
        if (applies === undefined) break;
        for (let i = 0; i + 1 < expected.length; i++) {
          if (expected[i] === applies[0] && expected[i + 1] === applies[1]) {
            expected.splice(i, 2, applies[2]);
          }
        }
      }
      const tokenizer = make({
        vocabulary: vocabulary.map((entry) => Uint8Array.from(entry, (c) => c.charCodeAt(0))),
        merges,
      }, { kind: "byte-level-bpe/1" });
      assertEquals(ids(tokenizer, text), expected);
    }),
    RUNS,
  );
});

Deno.test("byte-level-bpe/1: a lower rank waits until a higher one was done everywhere", () => {
  const tokenizer = make({
    vocabulary: ["a", "b", "ab", "aba"],
    merges: [[2, 0, 3], [0, 1, 2]],
  }, { kind: "byte-level-bpe/1" });
  assertEquals(ids(tokenizer, "abab"), [2, 2]);
  assertEquals(ids(tokenizer, "aba"), [3]);
});

Deno.test("unigram/1: the best sum in f32, the longer last token on ties", () => {
  const pieces = fc.array(fc.tuple(words, fc.integer({ min: -4, max: 1 })), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(pieces, texts, (drawn, text) => {
      const vocabulary = ["[unknown]", ...drawn.map(([piece]) => piece)];
      // thirds, so that sums round
      const scores = [0, ...drawn.map(([, score]) => Math.fround(score / 3))];
      const least = Math.fround(Math.min(...scores) - 10);
      const chars = [...text];
      const best: ({ sum: number; path: number[] } | null)[] = [{ sum: 0, path: [] }];
      for (let end = 1; end <= chars.length; end++) {
        best.push(null);
        for (let start = end - 1; start >= 0; start--) {
          const id = vocabulary.indexOf(chars.slice(start, end).join(""));
          const edge = id >= 0 ? scores[id] : start === end - 1 ? least : null;
          const before = best[start];
          if (edge === null || before === null) continue;
          const sum = Math.fround(before.sum + edge);
          const now = best[end];
          if (now === null || sum >= now.sum) {
            best[end] = { sum, path: [...before.path, Math.max(id, 0)] };
          }
        }
      }
      const tokenizer = make({ vocabulary, scores }, {
        kind: "unigram/1",
        unknown: { id: 0, policy: "token" },
      });
      assertEquals(ids(tokenizer, text), best[chars.length]?.path);
    }),
    RUNS,
  );
});

Deno.test("unigram/1: tokens may divide a code point, uncovered ones may not", () => {
  const halves = [Uint8Array.of(0xc3), Uint8Array.of(0xa9)];
  const both = make({ vocabulary: halves, scores: [-1, -1] }, { kind: "unigram/1" });
  assertEquals(ids(both, "é"), [0, 1]);
  const one = make({ vocabulary: [halves[0]], scores: [-1] }, { kind: "unigram/1" });
  assertEquals(fault(one, "é"), "Uncovered");
});

Deno.test("wordpiece/1: longest match with the marker before each word, or the whole word not", () => {
  const tokenizer = make({
    vocabulary: ["[UNK]", "_un", "_u", "n", "aff", "able", "a", "_", "_é"],
    added_tokens: [{ id: 0, flags: 1 }],
  }, {
    kind: "wordpiece/1",
    space_marker: "_",
    pretokenizer: [["whitespace-split"]],
    unknown: { id: 0, policy: "token" },
  });
  assertEquals(ids(tokenizer, "unaffable un naffn a"), [1, 4, 5, 1, 7, 3, 4, 3, 7, 6]);
  // x stands nowhere: the word is one unknown, however much of it would match
  assertEquals(ids(tokenizer, "un unx un"), [1, 0, 1]);
  assertEquals(ids(tokenizer, "a".repeat(100)), [7, ...new Array(100).fill(6)]);
  assertEquals(ids(tokenizer, "a".repeat(101)), [0]);
  assertEquals(ids(tokenizer, "é" + "a".repeat(99)), [8, ...new Array(99).fill(6)]);
});

Deno.test("table/1: longest match from the left, else one byte", () => {
  const tokenizer = make({ vocabulary: ["a", "ab", "abcd", "c", "?"] }, {
    kind: "table/1",
    unknown: { id: 4, policy: "token" },
  });
  assertEquals(ids(tokenizer, "abcabcda"), [1, 3, 2, 0]);
  assertEquals(ids(tokenizer, "aéa"), [0, 4, 4, 0]);
});

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

Deno.test("what is not covered: an error, unknown once a unit, or the unit's bytes", () => {
  const byte_fallback = Array.from({ length: 256 }, (_, byte) => byte);
  const unit = { "score-bpe/1": 1, "unigram/1": 1, "table/1": 2, "byte-level-bpe/1": 2 } as const;
  for (const [kind, units] of Object.entries(unit) as [keyof typeof unit, number][]) {
    const parts = { vocabulary: ["x", "?"], scores: [-1, -1], merges: [] };
    assertEquals(fault(make(parts, { kind }), "xé"), "Uncovered", kind);
    const token = make(parts, { kind, unknown: { id: 1, policy: "token" } });
    assertEquals(ids(token, "xéx"), [0, ...new Array(units).fill(1), 0], kind);
    const bytes = make({
      vocabulary: [...ALL_BYTES, "xx"],
      scores: new Array(257).fill(-1),
      merges: [],
      byte_fallback,
    }, { kind, unknown: { id: null, policy: "bytes" } });
    assertEquals(ids(bytes, "é"), [0xc3, 0xa9], kind);
  }
});

Deno.test("score-bpe/1: byte-fallback itself covers, and its tokens merge with nothing", () => {
  const tokenizer = make({
    vocabulary: [...ALL_BYTES, "a", "é", "\x41b", "b"],
    scores: [...new Array(256).fill(0), -1, -2, -3, -4],
    byte_fallback: Array.from({ length: 256 }, (_, byte) => byte),
  }, { kind: "score-bpe/1", unknown: { id: 256, policy: "token" } });
  // A has no token but its byte's, so that Ab, whose spelling is a token, is never formed
  assertEquals(ids(tokenizer, "Abé"), [0x41, 259, 257]);
});

Deno.test("lookups yield the lowest of equal entries, and none that a blob names", () => {
  const vocabulary = ["a", "b", "ab", "ab", "ab", ""];
  const scores = new Array(6).fill(-1);
  const added_tokens = [{ id: 2, flags: 16 }];
  const tokenizer = make({ vocabulary, scores, added_tokens }, { kind: "score-bpe/1" });
  assertEquals(ids(tokenizer, "ab", { content: true }), [3]);
  assertEquals(ids(tokenizer, "ab"), [2]);
  const merges: [number, number, number][] = [[0, 1, 2]];
  const bpe = make({ vocabulary, merges, added_tokens }, { kind: "byte-level-bpe/1" });
  assertEquals(ids(bpe, "ab", { content: true }), [0, 1]);
});

Deno.test("merging 256 KiB of one letter is done", () => {
  const doubling = Array.from({ length: 16 }, (_, i) => "a".repeat(2 ** i));
  const score = make({ vocabulary: doubling, scores: doubling.map((_, i) => -i) }, {
    kind: "score-bpe/1",
  });
  assertEquals(ids(score, "a".repeat(1 << 18)), new Array(8).fill(15));
  const merges = doubling.slice(1).map((_, i): [number, number, number] => [i, i, i + 1]);
  const bpe = make({ vocabulary: doubling, merges }, { kind: "byte-level-bpe/1" });
  assertEquals(ids(bpe, "a".repeat(1 << 18)), new Array(8).fill(15));
});
