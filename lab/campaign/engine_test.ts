/** The engine on the neutral target, and what it is made of. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type BuildOptions, buildSubject, endBuilding } from "./build.ts";
import { Random } from "../../mutators/random.ts";
import { load } from "./load.ts";
import { Corpus, distill, type Entry } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { Schedule } from "./schedule.ts";
import { runSlice } from "./slice.ts";
import { editsOf } from "./input_to_state.ts";
import { instrument, timedCode } from "./instrument.ts";
import { planted, seedInput, subject } from "./neutral.ts";
import { buildBoth, Solo } from "./solo.ts";
import type { Subject } from "./subject.ts";

const NEUTRAL: BuildOptions = {
  entry: "lab/campaign/neutral.ts",
  instrumented: ["lab/campaign/neutral.ts"],
};
const ENGINE = { slices: 4, executions: 1000, limit: 4096, edits: 4000, digest: true };

Deno.test("instrumented code does what it did, and its counters say where it went", async () => {
  const { code, edges } = await buildSubject({ ...NEUTRAL, level: "edges" });
  const { exports, counters } = await load<{ subject: Subject }>(code);
  await endBuilding();
  const raised = () => counters.filter((count) => count > 0).length;
  const seed = seedInput();
  const outcomes = [seed, seed.subarray(0, 40), seed.with(0, 0)].map((input) => {
    counters.fill(0);
    const outcome = exports.subject.run(input, () => {});
    assertEquals(outcome, subject.run(input, () => {}));
    return [outcome, raised()];
  });
  assert(edges.length > 150 && counters.length >= edges.length, "every arm has a counter");
  const [valid, short, other] = outcomes;
  assertEquals([valid[0], short[0], other[0]], [0, 3, 4]);
  assert(valid[1] > 60 && short[1] > 3 && short[1] < other[1] && other[1] < valid[1]);
});

Deno.test("operands that stand in brackets and commas are told of whole", () => {
  const source = "export const f = (a, b) => (a, b) === (b ? 1 : 2) || a > 3 && !(a < 9);";
  const { code, edges } = instrument(source, "f.ts", 0, "compares");
  assert(edges.length === 5 && code.includes("$left(") && code.includes("$right("));
});

Deno.test("a clock runs in what a module exports, from the outermost call to its end", async () => {
  const source = "let n = 0; class A { #in() { n++; } out() { this.#in(); return f(n); } }\n" +
    "function f(x) { if (x > 1) throw new Error(); return x; }\nexport { A, f };";
  const told: string[] = [];
  Object.assign(globalThis, {
    $enter: () => told.push("enter"),
    $leave: () => told.push("leave"),
  });
  const { exports } = await load<{ A: new () => { out(): number } }>(timedCode(source));
  const one = new exports.A();
  assertEquals(one.out(), 1);
  assertThrows(() => one.out());
  const call = ["enter", "enter", "leave", "leave"];
  assertEquals(told, [...call, ...call]);
});

Deno.test("three planted bugs are found from one seed, and again with the same seed", async () => {
  assertEquals(Object.values(planted), [true, true, true]);
  const builds = await buildBoth(NEUTRAL);
  await endBuilding();
  const runs = await Promise.all([1, 1, 2].map(async (seed) => {
    const solo = await Solo.of(builds, { ...ENGINE, seed }, [seedInput()]);
    const found = new Set<string>();
    const digests: number[] = [];
    while (solo.executions < 400_000 && found.size < 3) {
      for (const report of solo.round()) {
        digests.push(report.digest);
        for (const { flaw } of report.found) found.add(flaw.key);
      }
    }
    return { found: [...found].sort(), digests, edges: solo.corpus.seen.edges };
  }));
  assertEquals(runs[0], runs[1]);
  assertEquals(runs[0].found, ["aligned", "magic", "repeated"]);
  assert(runs[0].digests.some((digest, i) => digest !== runs[2].digests[i]));
});

Deno.test("a loop that grows with its input is climbed, by what it costs alone", () => {
  const sevens = (input: Uint8Array) => input.filter((byte) => byte === 7).length;
  const climb = (climbed: boolean) => {
    const steps = new Uint32Array(1);
    const subject: Subject = {
      run(input) {
        steps[0] += sevens(input) ** 2;
        return 0;
      },
    };
    const engine = { subject, comparing: subject, limit: 256, edits: 0, digest: false };
    const corpus = new Corpus(8);
    const now = new Coverage(new Uint8Array(8));
    for (let round = 0; round < 20; round++) {
      const plan = { seed: round, executions: 1000, deterministic: [], skip: [] };
      const inputs = round === 0 ? [new Uint8Array(32)] : [];
      const options = climbed ? { ...engine, steps } : engine;
      corpus.merge(runSlice(options, corpus, now, { ...plan, inputs }));
    }
    return Math.max(...corpus.entries.map(({ bytes }) => sevens(bytes)));
  };
  const [without, by] = [climb(false), climb(true)];
  assert(by > 60 && by > 10 * without, `${by} sevens, ${without} without a look at the cost`);
});

Deno.test("a mutant over the limit is judged and told of, and the corpus stays as it is", () => {
  const subject: Subject = {
    run(input, report) {
      if (input.length > 64) report({ class: "crash", key: `${input.length}`, detail: "" });
      return input.length;
    },
  };
  const corpus = new Corpus(8);
  const now = new Coverage(new Uint8Array(8));
  const mutate = (_: Uint8Array, random: Random) => ({
    bytes: new Uint8Array(random.pick([16, 100, 200])),
    by: [],
  });
  const options = { subject, comparing: subject, mutate, limit: 64, edits: 0, digest: false };
  const plan = {
    seed: 1,
    executions: 500,
    deterministic: [],
    skip: [],
    inputs: [new Uint8Array(8)],
  };
  const keysOf = (longest?: number) => {
    const report = runSlice({ ...options, longest }, corpus, now, plan);
    corpus.merge(report);
    return report.found.map(({ flaw: { key } }) => key);
  };
  assertEquals(keysOf(), []);
  assertEquals(keysOf(128), ["100"]);
  assert(corpus.entries.every(({ bytes }) => bytes.length <= 64));
});

Deno.test("an input that holds one operand is given the other, in every form and place", () => {
  const input = Uint8Array.of(9, 0x2c, 0x01, 0, 0, 9, 0x01, 0x2c);
  const edits = editsOf(input, [{ site: "", left: 300, right: 500 }], 64, 100);
  const wanted = edits.map(({ offset, put }) => `${offset} ${put.toHex()}`);
  for (const edit of ["1 f4010000", "6 01f4", "6 01f5"]) {
    assert(wanted.includes(edit), `${edit} in ${wanted}`);
  }
});

Deno.test("a distilled corpus shows all that the whole one shows", () => {
  const entry = (length: number, features: number[]): Entry => ({
    bytes: new Uint8Array(length),
    length,
    features: Uint32Array.from(features),
    depth: 0,
    stage: 0,
    edits: -1,
    steps: 0,
    spent: 0,
    finds: 0,
  });
  const all = [entry(9, [1, 2, 3]), entry(5, [1, 2]), entry(4, [2]), entry(7, [3])];
  const kept = distill(all);
  assertEquals(new Set(kept.flatMap(({ features }) => [...features])), new Set([1, 2, 3]));
  assert(kept.length < all.length);
});

Deno.test("of what a campaign begins with, a sort of few has turns as a sort of many has", () => {
  const entry = (first: number): Entry => ({
    bytes: Uint8Array.of(first),
    length: 1,
    features: new Uint32Array(0),
    depth: 0,
    stage: 20,
    edits: -1,
    steps: 0,
    spent: 0,
    finds: 0,
  });
  const corpus = [entry(1), ...Array.from({ length: 99 }, () => entry(0))];
  const random = new Random(1);
  const turns = (sort?: (entry: Entry) => string) => {
    const schedule = new Schedule(corpus, undefined, sort);
    return Array.from({ length: 4000 }, () => schedule.pick(random)).filter((n) => n === 0).length;
  };
  const [without, balanced] = [turns(), turns(({ bytes }) => `${bytes[0]}`)];
  assert(balanced > 200 && balanced > 4 * without, `${balanced} turns of 4000, ${without} without`);
});

Deno.test("an entry whose loops take long has fewer turns, and still has some", () => {
  const entry = (steps: number): Entry => ({
    bytes: new Uint8Array(1),
    length: 1,
    features: new Uint32Array(0),
    depth: 1,
    stage: 27,
    edits: -1,
    steps,
    spent: 0,
    finds: 0,
  });
  const random = new Random(1);
  const schedule = new Schedule(Array.from({ length: 40 }, (_, i) => entry(i % 2 ? 100_000 : 100)));
  const turns = Array.from({ length: 8000 }, () => schedule.pick(random) ?? 0);
  const costly = turns.filter((number) => number % 2 === 1).length;
  assert(costly > 100 && costly < 2000, `${costly} turns of 8000`);
});
