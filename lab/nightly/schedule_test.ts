/** Examples of schedules use options that the command has. */
import { assert, assertEquals } from "@std/assert";
import nightly from "../commands/nightly.ts";
import { SCHEDULES } from "./schedule.ts";

Deno.test("every schedule runs the nightly with options that there are", () => {
  const known = nightly().options.map(({ long }) => long);
  for (const [name, text] of Object.entries(SCHEDULES)) {
    const runs = [...text.matchAll(/deno task -q nightly(.*)/g)];
    assertEquals(runs.length, 1, name);
    const options = runs[0][1].match(/--[a-z]+/g) ?? [];
    assert(options.length > 0);
    assertEquals(options.filter((one) => !known.includes(one)), []);
  }
});
