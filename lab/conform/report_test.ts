/** Known failures, stale entries and contradictions, on the tiny corpus and made-up outcomes. */
import { assertEquals } from "@std/assert";
import type { Index } from "../../corpus/index.ts";
import type { Outcome, TesteeInfo } from "../testee/testee.ts";
import type { KnownFailure } from "./known.ts";
import { makeReport, type TesteeRun } from "./report.ts";
import { writeTinyCorpus } from "./tiny_corpus.ts";

const folder = Deno.makeTempDirSync();
const index: Index = writeTinyCorpus(folder);
Deno.removeSync(folder, { recursive: true });
const entries = index.entries.filter(({ withdrawn }) => !withdrawn);

/** A testee that is right but for the outcomes given. */
function runOf(name: string, wrong: Record<string, Outcome> = {}): TesteeRun {
  const info: TesteeInfo = {
    name,
    version: "1",
    language: "l",
    stages: [1, 28],
    ops: ["read"],
  };
  const outcomes = entries.map(({ id, expected }) => [id, wrong[id] ?? expected] as const);
  return {
    info,
    notes: [],
    outcomes: new Map(outcomes as [string, Outcome][]),
    end: null,
    closing: [],
  };
}

const skip: Outcome = { verdict: "skip", why: "" };
const known = (...failures: KnownFailure[]) => [{
  format: "slm2-expected-failures/1" as const,
  testee: "a",
  failures,
}];
const failure = (id: string, result: string): KnownFailure => ({ id, result, reason: "bug 17" });

Deno.test("each way in which an expected failure can go wrong is seen", () => {
  const list = known(
    failure("header/flags", "skip"),
    failure("header/major", "skip"),
    failure("header/minor", "crash"),
    failure("header/no-such", "skip"),
    failure("valid/withdrawn", "skip"),
    failure("piece/index", "skip"),
  );
  const wrong = { "header/flags": skip, "header/minor": skip };
  const { testees: [a, b] } = makeReport(index, entries, "", [runOf("a", wrong), runOf("b")], list);
  const status = (id: string) => a.results[entries.findIndex((entry) => entry.id === id)].status;
  assertEquals(status("header/flags"), "known");
  assertEquals(status("header/major"), "fixed");
  assertEquals(status("header/minor"), "changed");
  assertEquals(a.faults, [
    "expected failure header/no-such is stale: the corpus has no such case",
    "expected failure valid/withdrawn is stale: the case is withdrawn",
    "expected failure piece/index is stale: it is not among the testee's operations",
  ]);
  assertEquals(b.faults, [], "the list speaks about a alone");
});

Deno.test("an entry outside the selection is not stale", () => {
  const some = entries.slice(0, 2);
  const list = known(failure("header/flags", "skip"));
  assertEquals(makeReport(index, some, "some", [runOf("a")], list).testees[0].faults, []);
});

Deno.test("a skip contradicts nobody, another verdict does", () => {
  const runs = [
    runOf("a"),
    runOf("b", {
      "header/flags": skip,
      "header/major": { verdict: "reject", stage: 6, code: "BadMagic", section: "header" },
    }),
    runOf("c"),
  ];
  assertEquals(makeReport(index, entries, "", runs, []).contradictions, [{
    id: "header/major",
    fields: ["code"],
    answers: [
      { result: "reject 6 UnsupportedVersion [header]", testees: ["a", "c"] },
      { result: "reject 6 BadMagic [header]", testees: ["b"] },
    ],
  }]);
});

Deno.test("what was not asked says why", () => {
  const run = { ...runOf("a"), outcomes: new Map(), end: "the run was stopped" };
  const { testees: [a] } = makeReport(index, entries, "", [run], []);
  assertEquals(a.results[0].status, "not-run");
  assertEquals(a.results[0].why, "the run was stopped");
  assertEquals(a.results[entries.findIndex(({ op }) => op === "piece")].status, "out-of-scope");
});
