/** What is no tokenizer, and blobs that changed since a reader saw them. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { tokenizer } from "../../../corpus/writer/build/tokenizer.ts";
import * as blob from "./blobs.ts";
import { candidateOf } from "./testing.ts";
import { loadTokenizer } from "./tokenizer.ts";

const PARTS = {
  vocabulary: [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), "ab", "<x>"],
  merges: [[0x61, 0x62, 256]] as [number, number, number][],
  scores: new Array(258).fill(-1),
  normalizer: [["x", "y"], ["z", ""]] as [string, string][],
  byte_fallback: Array.from({ length: 256 }, (_, byte) => byte),
  added_tokens: [{ id: 257, flags: 1 }],
};
const DESCRIPTION = tokenizer(PARTS, { kind: "score-bpe/1" });

const PARSERS: { [kind: number]: (bytes: Uint8Array) => unknown } = {
  1: (bytes) => blob.readVocabulary(bytes, 258),
  2: (bytes) => blob.readMerges(bytes, 258),
  3: (bytes) => blob.readScores(bytes, 258),
  4: (bytes) => blob.readReplacements(bytes),
  5: (bytes) => blob.readByteFallback(bytes, 258),
  6: (bytes) => blob.readAddedTokens(bytes, 258),
};

Deno.test("an artifact of another class is no tokenizer", () => {
  const { candidate, blobs } = candidateOf(DESCRIPTION);
  const result = loadTokenizer({ ...candidate, artifact_class: 5 }, (index) => blobs[index]);
  assert("error" in result && result.error === "NotATokenizer");
});

Deno.test("each blob, cut short or with a count that is not its own, is named", () => {
  const { candidate, blobs } = candidateOf(DESCRIPTION);
  assert(!("error" in loadTokenizer(candidate, (index) => blobs[index])));
  for (const [index, { kind, name }] of candidate.blobs.entries()) {
    const good = blobs[index];
    assert(PARSERS[kind](good) !== null, name);
    for (let size = 0; size < good.length; size += Math.max(1, good.length >> 6)) {
      assertEquals(PARSERS[kind](good.subarray(0, size)), null, `${name} of ${size} bytes`);
    }
    const bad = good.slice();
    if (kind === 5) bad[3] = 0xff;
    else bad[0] ^= 1;
    const result = loadTokenizer(candidate, (i) => i === index ? bad : blobs[i]);
    assertEquals(result, { error: "BadBlob", detail: name });
  }
});

Deno.test("a blob that the kind needs and lacks is named", () => {
  const { candidate, blobs } = candidateOf(DESCRIPTION);
  for (const [kind, detail] of [[1, "vocabulary"], [3, "scores"], [5, "byte-fallback"]] as const) {
    const rest = candidate.blobs.filter((one) => one.kind !== kind);
    const result = loadTokenizer(
      { ...candidate, blobs: rest },
      (index) => blobs[candidate.blobs.indexOf(rest[index])],
    );
    assertEquals(result, { error: "MissingBlob", detail });
  }
});

Deno.test("no bytes make a blob's reader throw", () => {
  const { candidate, blobs } = candidateOf(DESCRIPTION);
  const byKind = new Map(candidate.blobs.map(({ kind }, index) => [kind, blobs[index]]));
  fc.assert(
    fc.property(
      fc.constantFrom(...byKind.keys()),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 8 }),
      (kind, changes) => {
        const bytes = byKind.get(kind)!.slice();
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        PARSERS[kind](bytes);
      },
    ),
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    for (const parse of Object.values(PARSERS)) parse(bytes);
  }));
});
