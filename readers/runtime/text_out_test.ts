import { assertEquals } from "@std/assert";
import { TextOut } from "./text_out.ts";
import { make } from "./tokenizer/testing.ts";

/** A token a byte. */
const BYTES = make({
  vocabulary: Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
}, { kind: "table/1" });

/** The pieces that come out for each token, and for the end. */
function run(tokens: Iterable<number>, stops: number[][] = []) {
  const pieces: string[] = [];
  let piece = "";
  const out = new TextOut(BYTES, [], stops.map((s) => Uint8Array.from(s)), (text) => {
    piece += text;
  });
  const take = () => {
    pieces.push(piece);
    piece = "";
  };
  for (const token of tokens) {
    out.push(token);
    take();
    if (out.ended) break;
  }
  out.end();
  take();
  return { pieces, text: out.text, ended: out.ended };
}

const ROCKET = [0xf0, 0x9f, 0x9a, 0x80];

Deno.test("text out: a character comes whole, after its last byte", () => {
  assertEquals(run(ROCKET).pieces, ["", "", "", "\u{1F680}", ""]);
  assertEquals(run([...ROCKET, 0x41, 0, 0x42]).text, "\u{1F680}A\0B");
});

Deno.test("text out: one that stays incomplete is one replacement, at the end", () => {
  assertEquals(run(ROCKET.slice(0, 3)).pieces, ["", "", "", "\uFFFD"]);
  assertEquals(run([...ROCKET.slice(0, 3), 0x41]).text, "\uFFFDA");
  assertEquals(run([0xef, 0xbb, 0xbf, 0x41]).text, "\uFEFFA");
});

Deno.test("text out: stop bytes are bytes, inside a character too", () => {
  assertEquals(run([0x41, ...ROCKET, 0x42], [[0x9a, 0x80]]), {
    pieces: ["A", "", "", "", "\uFFFD", ""],
    text: "A\uFFFD",
    ended: "stop-bytes",
  });
  assertEquals(run([0x41, 0xff, 0x42], [[0xff]]).text, "A");
});

Deno.test("text out: a token that only the model knows has no text", () => {
  assertEquals(run([0x41, 300, 0x42]).text, "AB");
});
