/** What the specification names is in the dictionary, in the forms in which a file holds it. */
import { assert, assertEquals } from "@std/assert";
import { specTokens } from "./dictionary.ts";

const hex = (tokens: readonly Uint8Array[]) => tokens.map((token) => token.toHex());

Deno.test("words stand bare and as texts of CBOR, numbers in their narrowest form, each once", () => {
  const text = 'The key `role` is "flat/1" or `role`; at most 65,536 of 300, or 0x01020304, or 7.';
  assertEquals(hex(specTokens([text])), [
    "726f6c65",
    "64726f6c65",
    "666c61742f31",
    "66666c61742f31",
    "00000100",
    "2c01",
    "04030201",
  ]);
});

Deno.test("the dictionary holds what the specification's own tables name", () => {
  const known = new Set(hex(specTokens()));
  const words = ["q8-0.b32", "unigram/1", "artifact_class", "whole-file", "ed25519"];
  for (const word of words) assert(known.has(new TextEncoder().encode(word).toHex()), word);
  assert(known.size < 1024, "a dictionary leaves room for what code compares with");
});
