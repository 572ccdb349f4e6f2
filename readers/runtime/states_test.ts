import { assertEquals, assertThrows } from "@std/assert";
import { NEXT, Progress, type State } from "./states.ts";

const ORDER = Object.keys(NEXT) as State[];

Deno.test("states: only the next one can be reached from each", () => {
  for (const [at, from] of ORDER.entries()) {
    for (const to of ORDER) {
      const progress = new Progress();
      for (const state of ORDER.slice(1, at + 1)) progress.reach(state);
      if (to === NEXT[from]) progress.reach(to);
      else assertThrows(() => progress.reach(to), Error, `${from} does not lead to ${to}`);
    }
  }
});

Deno.test("states: each is announced once, in the report's order", () => {
  const seen: State[] = [];
  const progress = new Progress((state) => seen.push(state));
  for (const state of ORDER.slice(1)) progress.reach(state);
  assertEquals(seen, [
    "RECEIVING",
    "QUARANTINED_COMPLETE",
    "STRUCTURALLY_VALID",
    "CONTENT_VALID",
    "DEPENDENCIES_VALID",
    "POLICY_VALID",
    "RUNTIME_STAGED",
    "ACTIVE",
  ]);
});
