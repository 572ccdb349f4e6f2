/** `lab conform` as a person runs it, on the tiny corpus and stand-in testees. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeTinyCorpus } from "./tiny_corpus.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const TESTEE = fileURLToPath(new URL("oracle_testee.ts", import.meta.url));

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function conform(...args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, "conform", "--workers", "2", ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** A test with the tiny corpus in a folder of its own. */
function corpusTest(
  name: string,
  body: (folder: string, testee: (mistake?: string, name?: string) => string[]) => Promise<void>,
): void {
  Deno.test(name, async () => {
    const folder = await Deno.makeTempDir();
    try {
      writeTinyCorpus(folder);
      const testee = (mistake = "none", name = "stand-in") => [
        "--testee",
        `'${Deno.execPath()}' run -A '${TESTEE}' '${folder}' '${name}' ${mistake}`,
      ];
      await body(folder, testee);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

corpusTest("a testee that is right holds, however it is sent", async (folder, testee) => {
  const { code, out, err } = await conform("--corpus", folder, ...testee());
  assertEquals([code, err], [0, ""]);
  assertStringIncludes(out, "stand-in 1.0 (TypeScript, stages 1-28): holds");
  assertStringIncludes(out, "as expected 36\n");
  assert(/content id [0-9a-f]{64}/.test(out));
});

corpusTest("a failure shows both tuples, the reason and the sentence", async (folder, testee) => {
  const { code, out } = await conform("--corpus", folder, ...testee("wrong-section"));
  assertEquals(code, 1);
  assertStringIncludes(out, "as expected 35, NOT as expected 1");
  assertStringIncludes(
    out,
    `  header/padding
    expected  reject 16 NonZeroPadding [manifest]
    actual    reject 16 NonZeroPadding [file]
    case      Of a good file one thing is changed: padding.
    spec      slm2.md 8, stage 16
              "Checks run in the order in which this text lists them."`,
  );
});

corpusTest("a wrong identity is named, with both values", async (folder, testee) => {
  const { code, out } = await conform("--corpus", folder, ...testee("wrong-id"));
  assertEquals(code, 1);
  assertStringIncludes(out, `actual    accept with other manifest`);
  assertStringIncludes(out, `      actual   ${"00".repeat(30)}`);
});

corpusTest("a skip within its stages is a failure", async (folder, testee) => {
  const { code, out } = await conform("--corpus", folder, ...testee("skips-stage-4"));
  assertEquals(code, 1);
  assertStringIncludes(out, "as expected 34, NOT as expected 2");
  assertStringIncludes(out, "skip 2, crash 0");
});

corpusTest(
  "crash and hang are results of their own; the rest is still asked",
  async (folder, testee) => {
    const args = ["--corpus", folder, "--time-limit", "3", "--case", "header/*"];
    const crash = await conform(...args, ...testee("crashes"));
    assertEquals(crash.code, 1);
    assertStringIncludes(crash.out, "as expected 30, NOT as expected 1");
    assertStringIncludes(crash.out, "crash 1, hang 0");
    assertStringIncludes(crash.out, "stderr    panic: <index out of bounds>");
    const hang = await conform(...args, ...testee("hangs"));
    assertEquals(hang.code, 1);
    assertStringIncludes(hang.out, "crash 0, hang 1");
  },
);

corpusTest(
  "a testee that always crashes is given up, and nothing is published",
  async (folder, testee) => {
    const out = join(folder, "out");
    const run = await conform(
      "--corpus",
      folder,
      "--give-up",
      "5",
      "--out",
      out,
      ...testee("crashes-always"),
    );
    assertEquals(run.code, 1);
    assertStringIncludes(run.out, "given up after 5 faults in a row, the last: crash");
    assertStringIncludes(run.out, "not run");
    assertEquals([...Deno.readDirSync(out)].some(({ name }) => name.startsWith("claim")), false);
  },
);

corpusTest("testees that contradict each other exit with 3", async (folder, testee) => {
  const { code, out } = await conform(
    ...["--corpus", folder, ...testee("none", "one"), ...testee("accepts-flags", "other")],
  );
  assertEquals(code, 3);
  assertStringIncludes(out, "1 cases divide the testees:");
  assertStringIncludes(
    out,
    "  header/flags in verdict\n    reject 10 NonZeroFlags [header]: one\n    accept: other",
  );
});

corpusTest(
  "a claim holds when it is run again, and breaks with the reader",
  async (folder, testee) => {
    const out = join(folder, "out");
    const made = await conform("--corpus", folder, "--out", out, ...testee());
    assertEquals(made.code, 0, made.err);
    const claim = join(out, "claim-1.json");
    assertStringIncludes(Deno.readTextFileSync(join(out, "badge-1.svg")), "SLM2 corpus 1.0.0");
    const check = (...args: string[]) => conform("--corpus", folder, "--check", claim, ...args);
    const again = await check(...testee());
    assertEquals(again.code, 0);
    assertStringIncludes(again.out, "the claim holds: 36 verdicts, corpus 1.0.0");
    const broken = await check(...testee("accepts-flags"));
    assertEquals(broken.code, 1);
    assertStringIncludes(
      broken.out,
      "header/flags\n  claimed reject 10 NonZeroFlags [header]\n  actual  accept ",
    );
    assertEquals((await check(...testee("none", "another"))).code, 1);
    assertEquals((await check("--case", "header/*", ...testee())).code, 2);
    Deno.writeTextFileSync(
      claim,
      Deno.readTextFileSync(claim).replace("reject 10 NonZeroFlags", "reject 11 NonZeroFlags"),
    );
    const edited = await check(...testee());
    assertEquals(edited.code, 2);
    assertStringIncludes(edited.err, "was changed after it was made");
  },
);

corpusTest("a run goes on from its journal", async (folder, testee) => {
  const journal = join(folder, "journal");
  const args = ["--corpus", folder, "--resume", journal, ...testee("crashes")];
  const first = await conform(...args);
  const answered = Deno.readTextFileSync(journal);
  assertEquals(answered.trimEnd().split("\n").length, 37);
  // as if it had been broken off amid a line
  Deno.writeTextFileSync(journal, answered.split("\n").slice(0, 20).join("\n") + '\n{"testee":');
  const second = await conform(...args);
  assertEquals(second.out, first.out);
  assertEquals(Deno.readTextFileSync(journal).trimEnd().split("\n").length, 37);
  const other = await conform(...args, "--time-limit", "3");
  assertEquals(other.code, 2);
  assertStringIncludes(other.err, "is no journal of this corpus and these limits");
});

corpusTest("with --json each line is an object", async (folder, testee) => {
  const { code, out } = await conform("--corpus", folder, "--json", ...testee("accepts-flags"));
  assertEquals(code, 1);
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.length, 37);
  const failed = lines.filter(({ status }) => status === "fail");
  assertEquals(failed.map((one) => [one.case, one.kind, one.expected]), [
    ["header/flags", "accept", "reject 10 NonZeroFlags [header]"],
  ]);
  assertEquals(lines[36].counts.status.pass, 35);
});

corpusTest(
  "an expected-failure list is drafted, filled in, and then held",
  async (folder, testee) => {
    const out = join(folder, "out");
    const args = ["--corpus", folder, ...testee("skips-stage-4")];
    await conform(...args, "--out", out);
    const list = join(out, "expected-failures-1.json");
    const known = (...more: string[]) =>
      conform("--corpus", folder, "--expected-failures", list, ...more);
    const unfilled = await known(...testee("skips-stage-4"));
    assertEquals(unfilled.code, 2);
    assertStringIncludes(unfilled.err, "/failures/0/reason");
    const filled = Deno.readTextFileSync(list).replaceAll('"reason": ""', '"reason": "bug 17"');
    Deno.writeTextFileSync(list, filled);
    const holds = await known(...testee("skips-stage-4"));
    assertEquals(holds.code, 0);
    assertStringIncludes(holds.out, "as expected 34, known failures 2\n");
    const fixed = await known(...testee());
    assertEquals(fixed.code, 1);
    assertStringIncludes(fixed.out, "unexpected successes 2");
    assertStringIncludes(fixed.out, "though listed as an expected failure");
    const other = await known(...testee("none", "another"));
    assertEquals(other.code, 2);
    assertStringIncludes(other.err, "is about 'stand-in'; asked were another");
  },
);

corpusTest("requests are printed for a debugger", async (folder) => {
  const { code, out } = await conform("--corpus", folder, "--case", "header/f*", "--requests");
  assertEquals(code, 0);
  const [hello, ...lines] = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(hello, { hello: "slm2-testee/1" });
  assertEquals(lines.map(({ id, op }) => [id, op]), [[1, "read"], [2, "read"], [3, "read"]]);
  assert(lines.every(({ path }) => path.endsWith(".slm")));
});

const USAGE: readonly [name: string, args: string[], err: string][] = [
  ["nobody to ask", [], "nobody to ask"],
  ["an open quote", ["--testee", "'a"], "open quote"],
  ["no such program", ["--testee", "./no-such-program"], "not a testee"],
  ["a program that says nothing", ["--testee", "true"], "without an answer to the greeting"],
  ["no such case", ["--testee", "x", "--case", "nothing/**"], "no case matches"],
  ["no such reader", ["--reader", "third"], "no reader 'third'"],
  ["no number", ["--workers", "many"], "a whole number"],
];
corpusTest("a mistake of the person is told and exits with 2", async (folder) => {
  for (const [name, args, wanted] of USAGE) {
    const { code, err } = await conform("--corpus", folder, ...args);
    assertEquals(code, 2, name);
    assertStringIncludes(err, wanted, name);
    assert(!err.includes("at async"), `${name} shows a stack`);
  }
  assertEquals((await conform("--corpus", join(folder, "none"), "--testee", "x")).code, 2);
});

corpusTest("a file that a checkout changed stops the run", async (folder, testee) => {
  const path = join(folder, "header/flags.slm");
  const bytes = Deno.readFileSync(path);
  bytes[4] = 0x0a;
  Deno.writeFileSync(path, bytes);
  const { code, err } = await conform("--corpus", folder, ...testee());
  assertEquals(code, 2);
  assertStringIncludes(err, "line ends");
});
