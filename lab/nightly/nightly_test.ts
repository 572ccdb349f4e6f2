/** A run is published whole or not at all; what did not run is red. */
import { assertEquals, assertRejects } from "@std/assert";
import { withFolder } from "../gate/testing.ts";
import { testFigures } from "./figures.ts";
import { nightly, type Options } from "./nightly.ts";
import type { Part } from "./parts.ts";

/** A part that evaluates a line. */
function part(name: string, code: string, seconds = 60): Part {
  return {
    name,
    what: name,
    limit: () => seconds,
    args: () => ["eval", code],
    reduce: testFigures,
  };
}

const GOOD = part("good", "console.log('ok | 3 passed | 0 failed')");

const visible = (folder: string) =>
  [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /^\d/.test(name));

function options(folder: string, parts: readonly Part[], more: Partial<Options> = {}): Options {
  return {
    parts,
    whole: true,
    folder: `${folder}/nightly`,
    records: `${folder}/records`,
    findings: `${folder}/findings`,
    limit: 600,
    seconds: 1,
    seed: 1,
    testees: [],
    onPart() {},
    ...more,
  };
}

const publish = (exit: number) => (_: unknown, draft: string) => {
  Deno.writeTextFileSync(`${draft}/findings.sarif`, "{}");
  return Promise.resolve(exit);
};

Deno.test("the exit code is the gravest, and the folder has records and logs", () =>
  withFolder(async (folder) => {
    const bad = part("bad", "console.log('x'.repeat(9e6)); Deno.exit(3)");
    const { night, folder: made, exit } = await nightly(options(folder, [GOOD, bad]), publish(3));
    assertEquals([night.exit, exit, visible(`${folder}/nightly`).length], [3, 3, 1]);
    assertEquals(night.done[0].run?.record.figures, { passed: 3, failed: 0, ignored: 0 });
    assertEquals(Deno.statSync(`${made}/records/bad.json`).isFile, true);
    assertEquals(Deno.statSync(`${made}/bad.log`).size < 5 << 20, true, "the log is bounded");
  }));

Deno.test("a part over its time is ended, one without time does not run; both are red", () =>
  withFolder(async (folder) => {
    const endless = part("endless", "for (;;);", 1);
    const first = await nightly(options(folder, [endless, GOOD]), publish(2));
    assertEquals(first.night.quiet, ["endless: its time was up"]);
    assertEquals(first.night.exit, 2);
    const { night } = await nightly(options(folder, [GOOD, GOOD], { limit: 0 }), publish(1));
    assertEquals([night.exit, night.quiet], [1, ["good: did not run", "good: did not run"]]);
  }));

Deno.test("a report that cannot be written publishes nothing, and parts alone never do", () =>
  withFolder(async (folder) => {
    await assertRejects(
      () => nightly(options(folder, [GOOD]), () => Promise.reject(new Error("full"))),
      Error,
      "full",
    );
    assertEquals(visible(`${folder}/nightly`), []);
    const alone = await nightly(options(folder, [GOOD], { whole: false }), publish(0));
    assertEquals([alone.folder, alone.exit, visible(`${folder}/nightly`)], [null, 0, []]);
    assertEquals(Deno.statSync(`${folder}/records/good.json`).isFile, true);
  }));
