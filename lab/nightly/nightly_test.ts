/** A run is published whole or not at all; what did not run is red. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { UsageError } from "../exit.ts";
import { withFolder } from "../gate/testing.ts";
import { testFigures } from "./figures.ts";
import { History } from "./history.ts";
import { nightly, type Options } from "./nightly.ts";
import { FUZZ_SHARE, type Part, PARTS, timeFor } from "./parts.ts";

/** A part that evaluates a line. */
function part(name: string, code: string): Part {
  return {
    name,
    what: name,
    usual: () => 1,
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
    budget: 600,
    seconds: 1,
    seed: 1,
    testees: [],
    stopped: new AbortController().signal,
    onStart() {},
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

Deno.test("a part over its time is ended, one without time does not run; neither is whole", () =>
  withFolder(async (folder) => {
    const endless: Part = { ...part("endless", "for (;;);"), usual: () => 0.05 };
    const first = await nightly(
      options(folder, [endless, GOOD], { budget: 2, timeFor: () => 2 }),
      publish(2),
    );
    assertEquals(first.night.quiet[0], "endless: cut off after 2 s");
    assertEquals([first.night.whole, first.night.exit], [false, 2]);
    assertEquals(first.folder?.endsWith(".partial"), true);
    const { night } = await nightly(options(folder, [GOOD, GOOD], { budget: 0 }), publish(1));
    const quiet = "good: did not run: the budget was used up";
    assertEquals([night.exit, night.whole, night.quiet], [1, false, [quiet, quiet]]);
  }));

Deno.test("figures of a part that was cut off are no history; those of its neighbours are", () =>
  withFolder(async (folder) => {
    const cut = part("cut", "console.log('ok | 1 passed | 0 failed'); for (;;);");
    await nightly(options(folder, [GOOD, cut], { timeFor: () => 3 }), publish(2));
    const history = new History(`${folder}/nightly/history.sqlite`);
    const points = (name: string) => history.points(name, "passed", "600 s, 1 s of fuzzing").length;
    assertEquals([points("good"), points("cut"), history.lastExit("cut")], [1, 0, 2]);
    history.close();
  }));

Deno.test("a report that cannot be written publishes nothing, and parts alone never do", () =>
  withFolder(async (folder) => {
    await assertRejects(
      () => nightly(options(folder, [GOOD]), () => Promise.reject(new Error("full"))),
      Error,
      "full",
    );
    assertEquals(visible(`${folder}/nightly`), []);
    const history = new History(`${folder}/nightly/history.sqlite`);
    assertEquals(history.lastExit("good"), null, "nor is it history");
    history.close();
    const alone = await nightly(options(folder, [GOOD], { whole: false }), publish(0));
    assertEquals([alone.folder, alone.exit, visible(`${folder}/nightly`)], [null, 0, []]);
    assertEquals(Deno.statSync(`${folder}/records/good.json`).isFile, true);
  }));

Deno.test("no part takes the time that those after it need", () => {
  const choice = { budget: 600, seconds: 600 * FUZZ_SHARE, seed: 1, testees: [] };
  const usual = PARTS.map((one) => one.usual(choice)).reduce((a, b) => a + b);
  assert(usual <= 600, `a budget of 600 s is for ${usual} s of work`);
  // each part hangs for as long as it may: all others still have what they usually need
  for (const hanging of PARTS.keys()) {
    let left = 600;
    for (const [i, part] of PARTS.entries()) {
      const seconds = timeFor(PARTS.slice(i), choice, left);
      assert(seconds >= part.usual(choice) && left > 0, `${part.name} has ${seconds} s`);
      left -= i === hanging ? seconds : part.usual(choice);
    }
    assert(left > -60, "the last one may end a little late");
  }
});

Deno.test("a second run in the same folder is refused", () =>
  withFolder(async (folder) => {
    const slow = part("slow", "await new Promise((end) => setTimeout(end, 2000))");
    const first = nightly(options(folder, [slow]), publish(0));
    await assertRejects(() => nightly(options(folder, [GOOD]), publish(0)), UsageError, "another");
    assertEquals((await first).exit, 0);
  }));

/** A nightly in a process of its own, whose part has a child; `began` names both once they run. */
function separate(folder: string): { process: Deno.ChildProcess; began: () => Promise<number[]> } {
  const pids = `${folder}/pids`;
  const inner = `Deno.writeTextFileSync(${
    JSON.stringify(pids)
  }, Deno.ppid + " " + Deno.pid + " end");
    setInterval(() => {}, 1000)`;
  const part = `new Deno.Command(Deno.execPath(), { args: ["eval", ${JSON.stringify(inner)}] })
    .outputSync()`;
  const script = `
    import { nightly } from ${JSON.stringify(import.meta.resolve("./nightly.ts"))};
    import { Interrupt } from ${JSON.stringify(import.meta.resolve("./interrupt.ts"))};
    const interrupt = new Interrupt(), folder = ${JSON.stringify(folder)};
    const part = { name: "one", what: "", usual: () => 60, reduce() {},
      args: () => ["eval", ${JSON.stringify(part)}] };
    await nightly({ parts: [part], whole: true, folder: folder + "/nightly",
      records: folder + "/records", findings: folder + "/findings", budget: 60, seconds: 1,
      seed: 1, testees: [], stopped: interrupt.signal, onStart() {}, onPart() {} },
      () => Promise.resolve(0)).catch(() => {}).finally(() => interrupt.end());`;
  const process = new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  }).spawn();
  return {
    process,
    began: async () => {
      for (;;) {
        const text = exists(pids) ? Deno.readTextFileSync(pids) : "";
        if (text.endsWith("end")) return text.split(" ").slice(0, 2).map(Number);
        await delay(50);
      }
    },
  };
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const exists = (path: string) => {
  try {
    return Deno.statSync(path) !== null;
  } catch {
    return false;
  }
};

for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
  Deno.test({
    name: `${signal} publishes nothing, and leaves no process and no draft to the next run`,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      withFolder(async (folder) => {
        const { process, began } = separate(folder);
        const pids = await began();
        process.kill(signal);
        assertEquals((await process.status).signal, signal);
        while (pids.some((pid) => exists(`/proc/${pid}`))) await delay(50);
        const drafts = () =>
          [...Deno.readDirSync(`${folder}/nightly`)].filter(({ name }) => name.startsWith(".draft"))
            .length;
        assertEquals([visible(`${folder}/nightly`), drafts()], [[], signal === "SIGKILL" ? 1 : 0]);
        await nightly(options(folder, [GOOD]), publish(0));
        assertEquals([visible(`${folder}/nightly`).length, drafts()], [1, 0]);
      }),
  });
}
