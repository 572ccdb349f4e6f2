import { assert, assertEquals } from "@std/assert";
import { clause } from "../oracle/clauses.ts";
import { FAULTS } from "./bench.ts";
import { patchedText, sourceOf } from "./patched.ts";

Deno.test("the bench has at least forty faults, each under a name of its own", () => {
  assert(FAULTS.length >= 40);
  assertEquals(new Set(FAULTS.map(({ id }) => id)).size, FAULTS.length);
});

for (const fault of FAULTS) {
  Deno.test(`${fault.id}: its text stands once in ${fault.file}, and its clause exists`, () => {
    const source = sourceOf(fault);
    const patched = patchedText(fault, source);
    assert(patched !== null && patched !== source);
    assert(clause(fault.clause).text.length > 0);
  });
}
