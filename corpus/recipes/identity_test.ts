/** The identity matrix holds for what the writer writes, and its oracle can say no. */
import { assert, assertEquals } from "@std/assert";
import { pairsOf } from "./identity.ts";
import { COLUMNS, identityFaults } from "./identity_columns.ts";

for (const [row, before, after] of pairsOf()) {
  Deno.test(`identity matrix: ${row.name}`, () => {
    assertEquals(identityFaults(row, before.identities, after.identities), []);
  });
}

Deno.test("every identity changes in some row and stays in some row", () => {
  for (const column of COLUMNS) {
    assert(pairsOf().some(([{ differ }]) => differ.includes(column)), column);
    assert(pairsOf().some(([{ differ }]) => !differ.includes(column)), column);
  }
});

Deno.test("an identity that stays where it must change is found, and the other way round", () => {
  const [[row, before, after]] = pairsOf().filter(([{ name }]) => name === "payload-byte");
  assertEquals(
    identityFaults(row, before.identities, {
      ...after.identities,
      tensors: before.identities.tensors,
    }),
    ["tensors"],
  );
  assertEquals(identityFaults(row, before.identities, { ...after.identities, manifest: "" }), [
    "manifest",
  ]);
});
