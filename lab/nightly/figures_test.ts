/** Figures are those of the output, and output that is none gives none. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  benchFigures,
  compareFigures,
  conformFigures,
  corpusFigures,
  faultFigures,
  type Figures,
  fuzzFigures,
  type Reduce,
  testFigures,
} from "./figures.ts";

function figures(reduce: Reduce, ...lines: readonly unknown[]): Figures {
  const found: Figures = {};
  for (const line of lines) reduce(found, typeof line === "string" ? line : JSON.stringify(line));
  return found;
}

Deno.test("tests", () => {
  const line = "ok | 55 passed (3 steps) | 0 failed | 1 ignored (3s)";
  assertEquals(figures(testFigures, "x", line), { passed: 55, failed: 0, ignored: 1 });
  assertEquals(figures(testFigures, "FAILED | 2 passed | 3 failed (1s)"), {
    passed: 2,
    failed: 3,
    ignored: 0,
  });
});

Deno.test("conform counts what is wrong, not run, or contradicts", () => {
  const status = { pass: 5, fail: 1, known: 0, fixed: 0, changed: 0, "not-run": 2 };
  const result = { crash: 1, hang: 0, memory: 0, protocol: 0 };
  const one = { counts: { status, result }, corpus: { cases: 8 }, faults: ["x"] };
  const found = figures(conformFigures, { case: "a" }, one, one, { contradiction: {} });
  assertEquals(found, {
    testees: 2,
    contradictions: 1,
    cases: 16,
    passing: 10,
    failing: 8,
    crash: 2,
    hang: 0,
    memory: 0,
    protocol: 0,
  });
});

Deno.test("fuzz, corpus, compare and bench", () => {
  const stages = Array.from({ length: 33 }, (_, i) => i === 27 ? 25 : i === 4 ? 75 : 0);
  const campaign = {
    executions: 100,
    seconds: 2,
    edges: 3,
    allEdges: 9,
    corpus: 4,
    rate: 50,
    stages,
    findings: { crash: 1, disagreement: 2 },
    mutators: { havoc: { tries: 10, finds: 1 } },
  };
  const fuzz = figures(fuzzFigures, campaign);
  assertEquals([fuzz.findings, fuzz["accept-share"], fuzz["stage-4"]], [3, 0.25, 75]);
  assertEquals([fuzz["yield-havoc"], fuzz["all-edges"]], [0.1, 9]);
  assertEquals(figures(corpusFigures, { cases: 3, faults: ["a"], uncovered: [], stale: [] }), {
    cases: 3,
    faults: 1,
    uncovered: 0,
    stale: 0,
  });
  const compare = figures(compareFigures, { verdict: "holds" }, {
    verdict: "breach",
    envelope: { absolute: 2 },
    positions: [{ absolute: 1 }, { absolute: 3 }],
    flips: [],
  });
  assertEquals([compare.held, compare.breaches, compare["share-of-budget"]], [1, 1, 1.5]);
  const bench = figures(benchFigures, {
    suite: "r",
    name: "a / b",
    unit: "ratio",
    value: 2,
    holds: false,
  });
  assertEquals(bench, { rows: 1, below: 1, "ratio-r-a-over-b": 2 });
});

Deno.test("no line of any output makes a reducer throw on text that is not the lab's", () => {
  const all = [
    testFigures,
    conformFigures,
    corpusFigures,
    fuzzFigures,
    compareFigures,
    benchFigures,
  ];
  fc.assert(fc.property(fc.string(), (line) => {
    for (const reduce of all) assertEquals(figures(reduce, line), {});
  }));
});

Deno.test("seeded faults: found, missed, and the slowest", () => {
  const found = {
    id: "a",
    found: true,
    seconds: 3,
    executions: 10,
    buckets: ["x", "y"],
    large: false,
  };
  const lines = [found, { ...found, id: "b", seconds: 7, large: true }, {
    ...found,
    id: "c",
    found: false,
  }];
  const figures: Record<string, number> = {};
  for (const line of lines) faultFigures(figures, JSON.stringify(line));
  assertEquals([figures.found, figures.missed, figures.long], [2, 1, 1]);
  assertEquals([figures["seconds-a"], figures["seconds-most"], figures.buckets], [3, 7, 4]);
});
