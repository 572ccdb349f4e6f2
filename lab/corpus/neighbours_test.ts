/** The neighbours' vectors hold for every implementation, and a wrong one is found. */
import { assert, assertEquals } from "@std/assert";
import { dataTest } from "../data.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { neighbourFaults } from "./neighbours.ts";

dataTest("the neighbours' vectors hold", async () => {
  const { groups, faults } = neighbourFaults(await loadReaders(READER_NAMES.join(",")));
  assertEquals(faults, []);
  assert(groups.length >= 11);
});

dataTest("a reader that takes every text as it comes is found", async () => {
  const [cursor] = await loadReaders("cursor");
  const { verdict } = cursor.read({ source: { size: () => 0, read: () => 0 } });
  const lax = { ...cursor, name: "lax", read: () => ({ verdict }) };
  assert(neighbourFaults([lax]).faults.length > 1000);
});
