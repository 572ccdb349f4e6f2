/** What runs of text have to hold: the rules of composition, each where a reader may have it wrong. */
import { assert, assertEquals } from "@std/assert";
import { Random } from "./random.ts";
import { textRun } from "./text_runs.ts";

const RUNS: readonly string[] = (() => {
  const random = new Random(5);
  return Array.from({ length: 1000 }, () => textRun(random));
})();

/** What a text shows about composition, as normal text that some algorithm would change. */
const SHOWN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["U+11A7 behind a syllable without a tail, which is no tail", /[\uac00\uac1c\ud788]\u11a7/],
  ["a tail behind a syllable that has one", /[\uac01\uac1b\ud7a3][\u11a8\u11c2]/],
  ["a vowel behind what is no lead", /\u1113[\u1161\u1175]/],
  ["U+1176 behind a lead, which is no vowel that composes", /[\u1100\u1112]\u1176/],
];

for (const [what, pattern] of SHOWN) {
  Deno.test(`runs of text hold ${what}`, () => {
    assert(RUNS.some((text) => pattern.test(text)));
  });
}

Deno.test("runs of text hold a mark that another keeps from composing with its base", () => {
  const isNormal = (text: string) => text.normalize("NFC") === text;
  const blocked = (text: string) => {
    const points = [...text];
    return points.some((base, i) => {
      const [between, last] = [points[i + 1], points[i + 2]];
      return last !== undefined && isNormal(base + between + last) && !isNormal(base + last);
    });
  };
  assert(RUNS.some(blocked));
});

Deno.test("runs of text are normal", () => {
  for (const text of RUNS) if (text.length > 2) assertEquals(text.normalize("NFC"), text);
});
