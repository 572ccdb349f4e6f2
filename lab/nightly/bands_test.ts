/** A lab that falls silent is red: each watched figure, on history of its own. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { recordOf, withFolder } from "../gate/testing.ts";
import { bandOf, quiet, regressions } from "./bands.ts";
import { History } from "./history.ts";

const FUZZ = {
  executions: 1_000_000,
  "executions-per-second": 20_000,
  edges: 3000,
  "all-edges": 5000,
  "accept-share": 0.1,
  "stage-4": 1000,
  "stage-21": 50,
  "finds-havoc": 40,
  findings: 0,
};
const RUN = { commit: "c", corpus: "a", budget: "60 s", exit: 0 };

/** A history of `FUZZ`, with a little noise, and a bench. */
function withHistory(use: (history: History) => void) {
  return withFolder((folder) => {
    const history = new History(`${folder}/history.sqlite`);
    for (let i = 0; i < 6; i++) {
      const figures = Object.fromEntries(
        Object.entries(FUZZ).map(([name, value]) => [name, value * (1 + 0.01 * (i % 3))]),
      );
      history.add({ ...RUN, started: `2026-01-0${i + 1}T00:00:00Z` }, [
        recordOf("fuzz", figures),
        recordOf("bench", { rows: 3, "ratio-readers-cursor": 0.8 }),
      ]);
      history.commit();
    }
    try {
      use(history);
    } finally {
      history.close();
    }
  });
}

const judge = (history: History, figures: Record<string, number>) =>
  quiet([recordOf("fuzz", figures)], history, RUN.budget);

Deno.test("a run like its history is not quiet", () =>
  withHistory((history) => assertEquals(judge(history, FUZZ), [])));

Deno.test("each figure that falls, or is gone, is red", () =>
  withHistory((history) => {
    const watched = Object.keys(FUZZ).filter((name) =>
      name !== "executions" && name !== "findings"
    );
    for (const name of watched) {
      const fallen = judge(history, { ...FUZZ, [name]: 0 });
      assert(fallen.some((line) => line.includes(name)), `${name}: ${fallen}`);
      const { [name as keyof typeof FUZZ]: _, ...rest } = FUZZ;
      assert(judge(history, rest).some((line) => line.includes(`${name} is not reported`)));
    }
    assertMatch(judge(history, { ...FUZZ, "accept-share": 0.5 }).join(), /accept-share is 0.5/);
    assertEquals(judge(history, { ...FUZZ, edges: 4000 }), [], "more coverage is no fault");
  }));

Deno.test("few events may be none by chance", () => {
  const watch = { tolerance: 0.9, counts: true } as const;
  assert(bandOf([3, 5, 4, 6], watch)!.low <= 0);
  assert(bandOf([300, 500, 400, 600], watch)!.low > 0);
});

Deno.test("nothing instrumented, executed or accepted is red without any history", () =>
  withFolder((folder) => {
    const history = new History(`${folder}/history.sqlite`);
    const lines = judge(history, { ...FUZZ, "all-edges": 0, edges: 0, executions: 0 });
    history.close();
    assertEquals(lines.length, 3);
    assertMatch(lines.join("\n"), /nothing was executed\n.*nothing was instrumented\n.*no instr/);
  }));

Deno.test("other budgets are other histories", () =>
  withHistory((history) => {
    const figures = { ...FUZZ, edges: 10 };
    assertEquals(quiet([recordOf("fuzz", figures)], history, "5 s"), []);
  }));

Deno.test("what got worse since the last run is named", () =>
  withHistory((history) => {
    const records = [
      recordOf("fuzz", { ...FUZZ, findings: 2 }),
      recordOf("bench", { rows: 3, "ratio-readers-cursor": 0.5 }),
    ];
    assertEquals(regressions(records, history, RUN.budget), [
      "fuzz: findings from 0 to 2",
      "bench: ratio-readers-cursor from 0.800 to 0.500",
    ]);
    assertEquals(regressions([recordOf("fuzz", FUZZ)], history, RUN.budget), []);
  }));

Deno.test("a band holds the middle of its history, and zero only where zero was", () => {
  const values = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 3 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (history, tolerance) => {
      const band = bandOf(history, { tolerance, both: true })!;
      const sorted = [...history].sort((a, b) => a - b);
      const middle = sorted[sorted.length >> 1];
      assert(band.low <= middle && sorted[(sorted.length - 1) >> 1] <= band.high);
      if (history.every((value) => value > 1e-300)) assert(band.low > 0);
    }),
  );
  assertEquals(bandOf([1, 2], { tolerance: 0 }), null);
});
