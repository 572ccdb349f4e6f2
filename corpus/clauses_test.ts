/** The committed clause list is that of the specification beside it. */
import { assertEquals, assertThrows } from "@std/assert";
import { Citations, cut, numbered, readClauses } from "./clauses.ts";

Deno.test("spec/clauses.json holds every sentence of the specification, and no other", () => {
  const committed = JSON.parse(
    Deno.readTextFileSync(new URL("spec/clauses.json", import.meta.url)),
  );
  assertEquals(
    Object.fromEntries(readClauses().map(({ id, text }) => [id, text])),
    committed,
    "deno run -A corpus/clauses.ts writes it anew",
  );
});

const SAMPLE = `## 8. Stages

One thing; another (with; inside). Last.

| stage | checks |
| --- | --- |
| 3 | a: \`X\`; b: \`Y\` |

\`\`\`cddl
m = {
  a: uint,   ; at most 1, or none
  b: [* x],
}
\`\`\`
`;

Deno.test("sentences, stages and schema members are cut apart", () => {
  assertEquals(cut("slm2", SAMPLE), [
    ["slm2-8", "One thing;"],
    ["slm2-8", "another (with; inside)."],
    ["slm2-8", "Last."],
    ["slm2-8.3", "a: \`X\`;"],
    ["slm2-8.3", "b: \`Y\`"],
    ["slm2-8", "m.a: uint ; at most 1, or none"],
    ["slm2-8", "m.b: [* x]"],
  ]);
});

Deno.test("a reworded sentence gets a new id, the others keep theirs", () => {
  const before = Object.fromEntries(
    numbered(cut("slm2", SAMPLE), {}).map(({ id, text }) => [id, text]),
  );
  const after = numbered(cut("slm2", SAMPLE.replace("One thing", "Two things")), before);
  assertEquals(after.map(({ id }) => id).slice(0, 3), ["slm2-8-6", "slm2-8-2", "slm2-8-3"]);
});

Deno.test("a citation fits one clause or is refused", () => {
  const citations = new Citations(numbered(cut("slm2", SAMPLE), {}));
  assertEquals(citations.resolve("slm2-8 another"), ["slm2-8-2"]);
  assertEquals(citations.resolve("slm2-8.3 *"), ["slm2-8.3-1", "slm2-8.3-2"]);
  assertEquals(citations.ofCode(3, "Y"), ["slm2-8.3-2"]);
  assertThrows(() => citations.resolve("slm2-8 nothing"), Error, "fits 0");
  assertThrows(() => citations.resolve("slm2-8 th"), Error, "fits 2");
});
