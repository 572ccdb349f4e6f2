/** What the page draws is what parts printed, and nothing where they printed none. */
import { assertEquals } from "@std/assert";
import { recordOf, withFolder } from "../gate/testing.ts";
import { History } from "./history.ts";
import { campaignOf, logitsOf, matrixOf, ratesOf, trendsOf } from "./views.ts";

Deno.test("logits: shares of the bound by position, distances by layer, exact cases at zero", () =>
  withFolder((folder) => {
    assertEquals(logitsOf(folder), []);
    const line = {
      name: "source/p1/wasm",
      backend: "wasm",
      verdict: "holds",
      envelope: { absolute: 0.5 },
      positions: [{ position: 3, absolute: 0.25 }],
      layers: [{ at: "layer 0", absolute: 0.125 }],
    };
    const exact = {
      ...line,
      name: "resumed/wasm",
      envelope: { absolute: 0 },
      positions: [{ position: 0, absolute: 0 }],
      layers: undefined,
    };
    const lines = [line, exact, { name: "x" }].map((one) => JSON.stringify(one));
    Deno.writeTextFileSync(`${folder}/compare.log`, [...lines, "{", "a warning"].join("\n"));
    assertEquals(logitsOf(folder), [
      {
        group: "source",
        subject: "source/p1",
        backend: "wasm",
        verdict: "holds",
        points: [{ position: 3, share: 0.5 }],
        layers: [{ name: "layer 0", error: 0.125 }],
      },
      {
        group: "resumed",
        subject: "resumed",
        backend: "wasm",
        verdict: "holds",
        points: [{ position: 0, share: 0 }],
        layers: [],
      },
    ]);
  }));

Deno.test("rates: those with a bound, in words", () =>
  withFolder((folder) => {
    const rate = { suite: "s", group: "g", name: "a / b", value: 0.5, unit: "ratio" };
    const lines = [
      { ...rate, least: 0.75, holds: false },
      { ...rate, most: 3, holds: true },
      { ...rate, holds: null },
    ];
    Deno.writeTextFileSync(
      `${folder}/bench.log`,
      lines.map((one) => JSON.stringify(one)).join("\n"),
    );
    assertEquals(ratesOf(folder).map(({ name, bound, holds }) => [name, bound, holds]), [
      ["s: g, a / b", "at least 0.750", false],
      ["s: g, a / b", "at most 3", true],
    ]);
  }));

Deno.test("matrix: groups over both parts, what is out of scope not asked", () =>
  withFolder((folder) => {
    assertEquals(matrixOf(folder), null);
    const testee = (name: string, ...statuses: string[]) => ({
      name,
      version: "2",
      language: "C",
      results: statuses.map((status) => ({ status })),
    });
    const cases = [{ group: "a/b/c" }, { group: "a/b" }, { group: "d" }];
    const write = (part: string, testees: unknown[]) => {
      Deno.mkdirSync(`${folder}/${part}`);
      Deno.writeTextFileSync(`${folder}/${part}/report.json`, JSON.stringify({ cases, testees }));
    };
    write("conform", [
      testee("cursor", "pass", "fail", "out-of-scope"),
      testee("table", "pass", "pass", "pass"),
    ]);
    write("browser", [
      testee("cursor", "pass", "pass", "pass"),
      testee("cursor@chromium", "pass", "pass", "pass"),
    ]);
    const matrix = matrixOf(folder)!;
    assertEquals(matrix.testees, [
      "cursor 2, in process",
      "table 2, in process",
      "cursor 2, in chromium",
    ]);
    assertEquals(matrix.rows.map(({ group }) => group), ["all groups", "a/b", "d"]);
    assertEquals(matrix.rows.map(({ cells }) => cells[0]), [
      { pass: 1, wrong: 1, asked: 2 },
      { pass: 1, wrong: 1, asked: 2 },
      { pass: 0, wrong: 0, asked: 0 },
    ]);
  }));

Deno.test("trends have the band of the runs before the last one", () =>
  withFolder((folder) => {
    const history = new History(`${folder}/history.sqlite`);
    const run = { commit: "c", corpus: "a", budget: "b", exit: 0 };
    for (const [i, edges] of [100, 100, 102, 50].entries()) {
      history.add({ ...run, started: `2026-01-0${i + 1}T00:00:00Z` }, [
        recordOf("fuzz", { edges }),
      ]);
      history.commit();
    }
    const [trend] = trendsOf(history, "b");
    history.close();
    assertEquals([trend.part, trend.figure, trend.points.length], ["fuzz", "edges", 4]);
    assertEquals(trend.band, { low: 90, high: Infinity });
  }));

Deno.test("a campaign that did not run is none; mutators come by what they brought", () => {
  assertEquals(campaignOf(undefined), null);
  const figures = { executions: 5, edges: 3, "yield-a": 0.1, "yield-b": 0.2, "finds-a": 1 };
  assertEquals(campaignOf(figures)?.yields, [["b", 0.2], ["a", 0.1]]);
});
