/** Added tokens in text: order, words, strips, and where they are sought. */
import { assertEquals } from "@std/assert";
import { ids, make } from "./testing.ts";

const SPECIAL = 1, SINGLE_WORD = 2, LEFT_STRIP = 4, RIGHT_STRIP = 8, NORMALIZED = 16;
const ASCII = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte));

/** Bytes for themselves, from id 128 on the added tokens. */
function withAdded(tokens: [text: string, flags: number][], lower = false) {
  return make({
    vocabulary: [...ASCII, ...tokens.map(([text]) => text)],
    added_tokens: tokens.map(([, flags], i) => ({ id: 128 + i, flags })),
  }, {
    kind: "table/1",
    normalizer: lower ? [["lowercase"]] : [],
    unknown: { id: 63, policy: "token" },
  });
}

/** Ids as text, added tokens by number in braces. */
function shown(tokenizer: ReturnType<typeof withAdded>, text: string): string {
  return ids(tokenizer, text).map((id) => id < 128 ? ASCII[id] : `{${id - 128}}`).join("");
}

Deno.test("leftmost, then longest", () => {
  const tokenizer = withAdded([["<a>", SPECIAL], ["<a><b>", SPECIAL], ["a>x", 0], [">>", 0]]);
  assertEquals(shown(tokenizer, "<a>x"), "{0}x");
  assertEquals(shown(tokenizer, "<a><b>"), "{1}");
  assertEquals(shown(tokenizer, "<a><c>>>"), "{0}<c{3}>");
  assertEquals(shown(tokenizer, "a>x"), "{2}");
});

Deno.test("single word: neither neighbour is a letter, digit or _", () => {
  const tokenizer = withAdded([["in", SINGLE_WORD], ["i", 0]]);
  assertEquals(shown(tokenizer, "in in,(in)"), "{0} {0},({0})");
  // where the longest may not stand, a shorter one may
  for (const text of ["ink", "in9", "in_", "iné", "in\u0663"]) {
    assertEquals(shown(tokenizer, text).slice(0, 4), "{1}n", text);
  }
  assertEquals(shown(tokenizer, "9in"), "9{1}n");
});

Deno.test("of equal tokens the lowest id that may stand there counts", () => {
  const tokenizer = withAdded([["in", SINGLE_WORD], ["in", 0], ["on", 0], ["on", SINGLE_WORD]]);
  assertEquals(shown(tokenizer, "in ink"), "{0} {1}k");
  assertEquals(shown(tokenizer, "on one"), "{2} {2}e");
});

Deno.test("strips take all whitespace beside, U+3000 too, and no more", () => {
  const tokenizer = withAdded([["<l>", LEFT_STRIP], ["<r>", RIGHT_STRIP], ["<n>", 0]]);
  assertEquals(shown(tokenizer, "a \t\u3000<l> b"), "a{0} b");
  assertEquals(shown(tokenizer, "a <r>\n\u00a0 b"), "a {1}b");
  assertEquals(shown(tokenizer, "<n> <l>"), "{2}{0}");
  // what one token took the other does not see
  assertEquals(shown(tokenizer, "<r> <l>"), "{1}{0}");
  assertEquals(shown(tokenizer, "a\u200b<l>"), "a???{0}");
});

Deno.test("raw tokens are sought before normalisation, normalized ones after it", () => {
  const tokenizer = withAdded([["ABC", 0], ["abc", NORMALIZED], ["bcA", 0]], true);
  assertEquals(shown(tokenizer, "ABC abc aBc"), "{0} {1} {1}");
  // the raw search comes first, wherever a normalized token would begin
  assertEquals(shown(tokenizer, "abcA"), "a{2}");
});

Deno.test("content holds no added token, and special ones are left out of decoded text", () => {
  const tokenizer = withAdded([["[end]", SPECIAL], ["[user]", 0]]);
  assertEquals(
    ids(tokenizer, "[end]", { content: true }),
    [..."[end]"].map((c) => c.charCodeAt(0)),
  );
  const all = ids(tokenizer, "a[end][user]b");
  assertEquals(tokenizer.decodeText(all), "a[user]b");
  assertEquals(tokenizer.decodeText(all, { special: true }), "a[end][user]b");
});

Deno.test("a token is found only where whole code points stand", () => {
  const tokenizer = make({
    vocabulary: [Uint8Array.of(0xc3), "a"],
    added_tokens: [{ id: 0, flags: 0 }],
  }, { kind: "table/1", unknown: { id: 1, policy: "token" } });
  assertEquals(ids(tokenizer, "é"), [1, 1]);
});
