/** The audit sees what two readers share, and the house's two share nothing. */
import { assert, assertEquals } from "@std/assert";
import { auditIndependence, isIndependent } from "./independence.ts";
import { similarity, tokens } from "./tokens.ts";
import { withFolder } from "./testing.ts";

const RULE = `
/** checks */
export function check(record: Uint8Array, offset: number): string | null {
  const rank = record[offset + 2];
  if (rank < 1 || rank > 8) return "ShapeInvalid";
  for (let i = 0; i < rank; i++) {
    if (record[offset + 32 + 8 * i] === 0) return "ShapeInvalid";
  }
  return null;
}
`;

Deno.test("the readers of the house were written apart", () => {
  const found = auditIndependence();
  assertEquals([found.strays, found.packages], [[], []]);
  assert(found.similarity.of > 10_000, "the measure saw both readers");
  assert(isIndependent(found), `${found.similarity.share}`);
});

Deno.test("copied text, a common package and a stray import show", () =>
  withFolder((root) => {
    for (const [name, source] of [["one", RULE], ["two", RULE.replace("checks", "judges")]]) {
      Deno.mkdirSync(`${root}/${name}`);
      Deno.writeTextFileSync(
        `${root}/${name}/check.ts`,
        `import { blake3 } from "@noble/hashes/blake3.js";\nimport { x } from "../other/x.ts";\n${source}`,
      );
    }
    const found = auditIndependence(["one", "two"], root);
    assertEquals(found.packages, ["@noble/hashes"]);
    assertEquals(found.strays, [
      "one/check.ts imports other/x.ts",
      "two/check.ts imports other/x.ts",
    ]);
    assertEquals(found.similarity.share, 1);
    assertEquals(isIndependent(found), false);
  }));

Deno.test("comments and layout are no tokens, texts are", () => {
  assertEquals(tokens('a // b\n + /* c */ "d // e"'), ["a", "+", '"d // e"']);
  const other = RULE.replaceAll("rank", "dimensions").replaceAll("record", "bytes");
  assert(similarity([RULE], [other]).share < 0.5);
});
