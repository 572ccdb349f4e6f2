/** The registered pretokenizer ops. */
import { assertEquals } from "@std/assert";
import type { TokenizerOp } from "../../../corpus/writer/bodies.ts";
import { pretokenizerCut } from "./pretokenizer.ts";
import { ids, make } from "./testing.ts";

/** The pieces of a text, each op on every piece of the one before. */
function pieces(text: string, ...ops: TokenizerOp[]): string[] {
  const bytes = new TextEncoder().encode(text);
  let bounds: [number, number][] = [[0, bytes.length]];
  for (const op of ops) {
    const next: [number, number][] = [];
    for (const [start, end] of bounds) {
      pretokenizerCut(op)?.(bytes, start, end, (from, to) => next.push([from, to]));
    }
    bounds = next;
  }
  return bounds.map(([start, end]) => new TextDecoder().decode(bytes.subarray(start, end)));
}

Deno.test("gpt2-split", () => {
  const cases: [string, string[]][] = [
    ["I've it's 'sx", ["I", "'ve", " it", "'s", " '", "sx"]],
    ["I'VE 're", ["I", "'", "VE", " '", "re"]],
    ["a  b   c", ["a", " ", " b", "  ", " c"]],
    ["a \n b", ["a", " \n", " b"]],
    ["a\n\nb \t", ["a", "\n", "\n", "b", " \t"]],
    ["x1 23²½!?é", ["x", "1", " 23²½", "!?", "é"]],
    ["a\u3000b\u3000\u3000c ", ["a", "\u3000", "b", "\u3000", "\u3000", "c", " "]],
    ["e\u0301\u{1f600}", ["e", "\u0301\u{1f600}"]],
    ["", []],
  ];
  for (const [text, expected] of cases) {
    assertEquals(pieces(text, ["gpt2-split"]), expected, JSON.stringify(text));
  }
});

Deno.test("whitespace-split drops whitespace, and only that", () => {
  assertEquals(pieces(" a\tb\u2028\u3000c\u200bd ", ["whitespace-split"]), ["a", "b", "c\u200bd"]);
  assertEquals(pieces(" \n", ["whitespace-split"]), []);
});

Deno.test("punctuation-split: P* and the ASCII symbols alone", () => {
  assertEquals(pieces("ab--c$€«d»\u3002", ["punctuation-split"]), [
    ..."ab|-|-|c|$|€|«|d|»|\u3002".split("|"),
  ]);
  for (let code = 0x21; code < 0x7f; code++) {
    const char = String.fromCharCode(code);
    const alone = !/[0-9A-Za-z]/.test(char);
    assertEquals(pieces(`a${char}a`, ["punctuation-split"]).length, alone ? 3 : 1, char);
  }
});

Deno.test("digits-split n: runs of N from the left into at most n", () => {
  assertEquals(pieces("a1234567b", ["digits-split", 3]), ["a", "123", "456", "7", "b"]);
  assertEquals(pieces("12\u0663½x", ["digits-split", 1]), ["1", "2", "\u0663", "½", "x"]);
});

Deno.test("ops work on every piece of the one before", () => {
  assertEquals(
    pieces("a 12 b", ["digits-split", 1], ["gpt2-split"]),
    ["a", " ", "1", "2", " b"],
  );
  assertEquals(pieces("a,b c", ["none"], ["whitespace-split"], ["punctuation-split"]), [
    ..."a|,|b|c".split("|"),
  ]);
});

Deno.test("thousands of ops take no stack", () => {
  const tokenizer = make({ vocabulary: ["a"] }, {
    kind: "table/1",
    pretokenizer: new Array(16_000).fill(["none"]),
  });
  assertEquals(ids(tokenizer, "aa"), [0, 0]);
});
