/** Decoding: steps, and a stream that gives what all ids at once give. */
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { TokenizerBody } from "../../../corpus/writer/bodies.ts";
import { ids, make } from "./testing.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

function tokenizer(vocabulary: (string | Uint8Array)[], body: Partial<TokenizerBody>) {
  return make({
    vocabulary,
    added_tokens: [{ id: 0, flags: 1 }],
  }, { kind: "table/1", ...body });
}

Deno.test("markers, then cleaning, then the first space", () => {
  const vocabulary = ["[special]", "\u2581a", "\u2581", ".", "b"];
  const body = {
    space_marker: "\u2581",
    added_prefix_space: true,
    decoder: ["strip-space-marker", "wordpiece-cleanup"],
  };
  const text = (...list: number[]) => tokenizer(vocabulary, body).decodeText(list);
  assertEquals(text(1, 1), "a a");
  assertEquals(text(0, 1, 2, 3), "a.");
  // one space goes for one mark
  assertEquals(text(4, 2, 2, 3), "b .");
  assertEquals(text(2, 2, 4), " b");
  assertEquals(text(2, 3), ".");
  assertEquals(tokenizer(vocabulary, body).decodeText([1, 1], { continues: true }), " a a");
  const plain = tokenizer(vocabulary, { ...body, decoder: [] });
  assertEquals(plain.decodeText([1]), "\u2581a");
});

Deno.test("a stream gives what all ids at once give, and holds no more than it must", () => {
  const vocabulary = [
    "[special]",
    ...BYTES,
    "\u2581",
    "\u2581a",
    " ",
    " .",
    "?",
    "\u{1f680}",
    "",
    "aXY",
    "XYX",
  ];
  const id = fc.oneof(
    fc.nat({ max: vocabulary.length - 1 }),
    fc.constantFrom(
      ...[0xe2, 0x96, 0x81, 0xf0, 0x9f, 0x9a, 0x80, 0x20, 0x2e].map((b) => b + 1),
      257,
      258,
      259,
      260,
    ),
  );
  fc.assert(
    fc.property(
      fc.array(id, { maxLength: 24 }),
      fc.constantFrom("\u2581", "XYXX", null),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (list, space_marker, added_prefix_space, strip, clean) => {
        const t = tokenizer(vocabulary, {
          space_marker,
          added_prefix_space,
          decoder: [
            ...(strip ? ["strip-space-marker"] : []),
            ...(clean ? ["wordpiece-cleanup"] : []),
          ],
        });
        const stream = t.stream();
        const parts = list.map((one) => stream.push(one));
        assertEquals(parts.join("") + stream.end(), t.decodeText(list));
        // slowly, on the text itself
        let text = Uint8Array.from(list.flatMap((one) => one === 0 ? [] : [...t.token(one)]))
          .reduce((s, byte) => s + String.fromCharCode(byte), "");
        const marker = space_marker &&
          [...new TextEncoder().encode(space_marker)].map((b) => String.fromCharCode(b)).join("");
        if (strip && marker) text = text.replaceAll(marker, " ");
        if (clean) text = text.replace(/ ([.?!,])/g, "$1");
        if (added_prefix_space) text = text.replace(/^ /, "");
        const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
        assertEquals(t.decode(list), bytes);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("an incomplete character is held back; broken off, it is one U+FFFD", () => {
  const t = make({
    vocabulary: [...BYTES, "?"],
    scores: new Array(257).fill(0),
    byte_fallback: Array.from({ length: 256 }, (_, byte) => byte),
  }, { kind: "score-bpe/1", unknown: { id: 256, policy: "bytes" }, decoder: ["byte-fallback"] });
  const rocket = ids(t, "\u{1f680}");
  assertEquals(rocket, [0xf0, 0x9f, 0x9a, 0x80]);
  const whole = t.stream();
  assertEquals(rocket.map((id) => whole.push(id)), ["", "", "", "\u{1f680}"]);
  assertEquals(whole.end(), "");
  const broken = t.stream();
  assertEquals(rocket.slice(0, 3).map((id) => broken.push(id)), ["", "", ""]);
  assertEquals(broken.end(), "\ufffd");
  assertEquals(t.decodeText([0xf0, 0x9f, 0x41, 0x80, 0xed, 0xa0]), "\ufffdA\ufffd\ufffd\ufffd");
  assertEquals(t.decodeText(ids(t, "\ufeffa\0b")), "\ufeffa\0b");
});

Deno.test("an id outside the vocabulary is a bug of the caller", () => {
  const t = tokenizer(["[special]", "a"], {});
  for (const id of [2, -1, 0.5, NaN]) assertThrows(() => t.decode([id]), RangeError);
});

Deno.test("bos and eos at the ends of a whole text where they are automatic", () => {
  const t = tokenizer(["<s>", "</s>", "a"], {
    bos: { auto: true, id: 0 },
    eos: { auto: true, id: 1 },
  });
  assertEquals(ids(t, "a"), [0, 2, 1]);
  assertEquals(ids(t, ""), [0, 1]);
  assertEquals(ids(t, "a", { special: false }), [2]);
  const none = tokenizer(["<s>", "a"], { bos: { auto: false, id: 0 } });
  assertEquals(ids(none, "a"), [1]);
});
