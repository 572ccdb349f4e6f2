/** The registered normalizer ops, alone and in the steps of a stretch. */
import { assertEquals } from "@std/assert";
import { fault, ids, loaded, make } from "./testing.ts";
import type { TokenizerBody, TokenizerOp } from "../../../corpus/writer/bodies.ts";
import { tokenizer, type TokenizerParts } from "../../../corpus/writer/build/tokenizer.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

function bytewise(body: Partial<TokenizerBody>, parts: Partial<TokenizerParts> = {}) {
  return make({ vocabulary: BYTES, ...parts }, { kind: "table/1", max_expansion: 100, ...body });
}

/** What the steps make of a text. */
function normalized(text: string, body: Partial<TokenizerBody>, parts = {}): string {
  return utf8.decode(Uint8Array.from(ids(bytewise(body, parts), text)));
}

Deno.test("each op", () => {
  const cases: [TokenizerOp[], string, string][] = [
    [[["nfc"]], "e\u0301 \u212b \ufb01", "\xe9 \xc5 \ufb01"],
    [[["nfkc"]], "e\u0301 \u212b \ufb01 \uff21", "\xe9 \xc5 fi A"],
    [[["lowercase"]], "AÉΣΑΣ \u0130", "aéσασ i\u0307"],
    [[["strip-accents"]], "Kant\u014d \u01dc \ud55c", "Kanto u \u1112\u1161\u11ab"],
    [[["clean-control"]], "a\0b\ufffdc\x07d\u200be\tf\u3000g\u0085h\r\n", "abcde f gh  "],
    [[["cjk-space"]], "a\u4e2db\u3040\u{2a6df}", "a \u4e2d b\u3040 \u{2a6df} "],
    [[["prepend", "<é>"]], "x", "<é>x"],
    [[["replace", "aa", "b"]], "aaaaa", "bba"],
    [[["replace", "", "b"]], "aa", "aa"],
    [[["collapse-space"]], "  a   b \t  c ", " a b \t c "],
    [[["lowercase"], ["strip-accents"]], "l\u01db\u0301shi \u0130", "lushi i"],
  ];
  for (const [normalizer, text, expected] of cases) {
    assertEquals(normalized(text, { normalizer }), expected, normalizer.join());
  }
});

Deno.test("code points that 16.0.0 does not assign pass every op", () => {
  const ops: TokenizerOp[] = [
    ["nfc"],
    ["nfkc"],
    ["lowercase"],
    ["strip-accents"],
    ["clean-control"],
    ["cjk-space"],
  ];
  // assigned in 17.0.0, a noncharacter, and the last of all
  const text = "a\u1c8b\u{16ea0}\uffff\u{10ffff}";
  for (const op of ops) assertEquals(normalized(text, { normalizer: [op] }), text, op[0]);
});

Deno.test("steps 1 to 4 in their order", () => {
  const steps = {
    added_prefix_space: true,
    space_marker: "\u2581",
    normalizer: [["replace", "  ", "-"], ["prepend", "<"], ["lowercase"]] as TokenizerOp[],
  };
  assertEquals(normalized(" A B", steps), "<-a\u2581b");
  assertEquals(normalized("A  B", steps), "<\u2581a-b");
  // an empty text stays empty
  assertEquals(normalized("", steps), "");
  // wordpiece takes the marker itself
  const word = make({ vocabulary: ["_a", " ", "b"] }, { kind: "wordpiece/1", space_marker: "_" });
  assertEquals(ids(word, "a b"), [0, 1, 2]);
});

Deno.test("only a stretch that begins the input gets a space and a prefix", () => {
  const parts = { vocabulary: [...BYTES, "<x>"], added_tokens: [{ id: 256, flags: 1 }] };
  const steps = { added_prefix_space: true, normalizer: [["prepend", "^"]] as TokenizerOp[] };
  const tokenizer = bytewise(steps, parts);
  const shown = (text: string) =>
    ids(tokenizer, text).map((id) => id === 256 ? "<x>" : String.fromCharCode(id)).join("");
  assertEquals(shown("a<x>b"), "^ a<x>b");
  assertEquals(shown("<x>b"), "<x>b");
  assertEquals(shown(" a"), "^  a");
});

Deno.test("the replacement blob: leftmost, longest, its output not read again", () => {
  const normalizer: [string, string][] = [["a", "b"], ["b", "a"], ["ab", "x"], ["abc", ""]];
  assertEquals(normalized("aabba abcb", {}, { normalizer }), "bxab a");
  // before the ops
  const ops: TokenizerOp[] = [["replace", "b", "c"]];
  assertEquals(normalized("a", { normalizer: ops }, { normalizer }), "c");
});

Deno.test("max_expansion bounds a stretch against its own bytes, at each step", () => {
  const lower = { normalizer: [["lowercase"]] as TokenizerOp[] };
  assertEquals(fault(bytewise({ ...lower, max_expansion: 1 }), "\u0130"), "Expansion");
  assertEquals(normalized("\u0130", { ...lower, max_expansion: 2 }), "i\u0307");
  const space = { added_prefix_space: true };
  assertEquals(fault(bytewise({ ...space, max_expansion: 1 }), "abc"), "Expansion");
  assertEquals(fault(bytewise({ space_marker: "\u2581", max_expansion: 2 }), " "), "Expansion");
  // a step may not pass the bound even if a later one would shrink the text again
  const there: TokenizerOp[] = [["replace", "a", "bbbb"], ["replace", "bbbb", "a"]];
  assertEquals(fault(bytewise({ normalizer: there, max_expansion: 3 }), "aa"), "Expansion");
  assertEquals(normalized("aa", { normalizer: there, max_expansion: 4 }), "aa");
  // nor may many steps that each double it fill the memory first
  const doubling = new Array(64).fill(["replace", "a", "aa"]) as TokenizerOp[];
  assertEquals(fault(bytewise({ normalizer: doubling, max_expansion: 1000 }), "a"), "Expansion");
  // whatever bound the artifact itself declares
  const boundless = {
    normalizer: [["replace", "a", "b".repeat(65_536)]] as TokenizerOp[],
    max_expansion: Number.MAX_SAFE_INTEGER,
  };
  assertEquals(fault(bytewise(boundless), "a".repeat(17)), "TooLarge");
});

Deno.test("text that is none is refused with its place", () => {
  const tokenizer = bytewise({});
  const at = (text: string | Uint8Array) => {
    const result = tokenizer.encode(text);
    return "error" in result ? [result.error, result.offset] : [...result];
  };
  assertEquals(at("a\u{1f600}\ud800b"), ["LoneSurrogate", 3]);
  assertEquals(at("\udc00\ud800"), ["LoneSurrogate", 0]);
  assertEquals(at(Uint8Array.of(0x61, 0xed, 0xa0, 0x80)), ["BadUtf8", 1]);
  assertEquals(at("a\0\ufeff"), [0x61, 0, 0xef, 0xbb, 0xbf]);
});

Deno.test("a replacement that makes no UTF-8 is an encode error", () => {
  const count = Uint8Array.of(1, 0, 0, 0), pair = Uint8Array.of(1, 0, 0x61, 1, 0, 0x80);
  const payload = Uint8Array.of(...count, ...pair);
  const blob = { kind: 4, name: "normalizer", media_type: "application/slm2-table", payload };
  const { blobs, ...rest } = tokenizer({ vocabulary: BYTES }, { kind: "table/1" });
  assertEquals(fault(loaded({ ...rest, blobs: [...blobs ?? [], blob] }), "a"), "BadReplacement");
});
