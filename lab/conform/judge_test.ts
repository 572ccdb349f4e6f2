import { assertEquals } from "@std/assert";
import type { Entry, Expected } from "../../corpus/index.ts";
import type { Status } from "../../reports/conformance/model.ts";
import { stubIdentities } from "../testee/stub_reader.ts";
import type { Outcome, StageRange, TesteeInfo } from "../testee/testee.ts";
import { fullLine, judge } from "./judge.ts";
import type { KnownFailure } from "./known.ts";

const reject = (stage: number, code = "NonZeroPadding"): Expected & Outcome => ({
  verdict: "reject",
  stage,
  code: code as "NonZeroPadding",
  section: "payload",
});
const accept = { verdict: "accept", identities: stubIdentities() } as const;
const skip: Outcome = { verdict: "skip", why: "not yet" };
const crash: Outcome = { verdict: "crash", why: "exited", stderr: "panic" };

const entry = (expected: Expected, more: Partial<Entry> = {}): Entry =>
  ({
    id: "a/b",
    expected,
    reason: "r",
    spec: "s",
    tags: [],
    since: "1.0.0",
    ...more,
  }) as Entry;
const info = (stages: StageRange = [1, 28]): TesteeInfo => ({
  name: "n",
  version: "1",
  language: "l",
  stages,
  ops: ["read"],
});
const TO_16: StageRange = [1, 16];

const CASES: readonly [
  name: string,
  expected: Expected,
  outcome: Outcome,
  stages: StageRange | undefined,
  status: Status,
][] = [
  ["right", reject(16), reject(16), undefined, "pass"],
  ["another stage", reject(16), reject(24), undefined, "fail"],
  ["a skip", accept, skip, undefined, "fail"],
  ["a crash", reject(16), crash, undefined, "fail"],
  ["partial, skips what is later", reject(24), skip, TO_16, "out-of-scope"],
  ["partial, skips what is good", accept, skip, TO_16, "out-of-scope"],
  ["partial, skips what it should catch", reject(12), skip, TO_16, "fail"],
  [
    "partial, rejects beyond its stages what it should catch",
    reject(12),
    reject(24),
    TO_16,
    "fail",
  ],
  ["partial, rejects beyond its stages", reject(24), reject(24), TO_16, "out-of-scope"],
  ["partial, crashes on what is later", reject(24), crash, TO_16, "fail"],
  ["partial, accepts what fails later", reject(24), accept, TO_16, "fail"],
  ["expectations beyond its stages", reject(27), accept, [1, 26], "out-of-scope"],
];
for (const [name, expected, outcome, stages, status] of CASES) {
  Deno.test(`judged: ${name}`, () => {
    assertEquals(judge(entry(expected), outcome, info(stages), undefined).status, status);
  });
}

Deno.test("where the spec leaves a choice, each right answer passes and no other", () => {
  const free = entry(reject(16), { may_differ: { reason: "either", also: [reject(24)] } });
  const status = (outcome: Outcome) => judge(free, outcome, info(), undefined).status;
  assertEquals(status(reject(16)), "pass");
  assertEquals(status(reject(24)), "pass");
  assertEquals(status(reject(17)), "fail");
  assertEquals(status(accept), "fail");
});

Deno.test("a known failure must fail, and in just that way", () => {
  const status = (outcome: Outcome, known: Partial<KnownFailure> = {}) =>
    judge(entry(reject(16)), outcome, info(), {
      id: "a/b",
      result: "reject 24 NonZeroPadding [payload]",
      reason: "bug 17",
      ...known,
    }).status;
  assertEquals(status(reject(24)), "known");
  assertEquals(status(reject(16)), "fixed");
  assertEquals(status(reject(17)), "changed");
  assertEquals(status(crash), "changed");
  assertEquals(status(crash, { result: "crash" }), "known");
});

Deno.test("differences name each part with both values", () => {
  const other = {
    verdict: "accept",
    identities: { ...stubIdentities(), tensors: ["00".repeat(32)], profiles: ["x"] },
  } as const;
  const { result, differences } = judge(entry(accept), other, info(), undefined);
  assertEquals(result, "accept with other profiles, tensors");
  assertEquals(differences, [
    { field: "profiles", expected: "0 of them", actual: "1 of them" },
    { field: "tensors[0]", expected: "ab".repeat(32), actual: "00".repeat(32) },
  ]);
});

Deno.test("the line of a claim depends on every identity, and on their order not at all", () => {
  const line = (change: object) =>
    fullLine({ verdict: "accept", identities: { ...stubIdentities(), ...change } });
  const turned = Object.fromEntries(Object.entries(stubIdentities()).reverse());
  assertEquals(line({}), fullLine({ verdict: "accept", identities: turned } as unknown as Outcome));
  const lines = Object.keys(stubIdentities()).map((name) => line({ [name]: "other" }));
  assertEquals(new Set([line({}), ...lines]).size, lines.length + 1);
});
