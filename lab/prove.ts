/**
 * Everything that must hold at every commit: format, lint, types, tests, import rules, and
 * the lab's own checks. Ends in a line `N passed, N failed`. Run by `deno task test`.
 *
 * Not named like a test: `deno test` must not find it, for it runs `deno test`.
 */

interface Step {
  readonly name: string;
  /** arguments to deno */
  readonly args: readonly string[];
}

const STEPS: readonly Step[] = [
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "types", args: ["check", "--quiet", "."] },
  { name: "tests", args: ["test", "-A", "--quiet", "--parallel"] },
  { name: "demo", args: lab("demo") },
  { name: "corpus", args: lab("corpus", "check") },
  {
    name: "fuzz",
    args: lab("fuzz", "--executions", "3000", "--workers", "1", "--out", "out/prove"),
  },
];

function lab(...args: readonly string[]): readonly string[] {
  return ["run", "-A", "lab/main.ts", ...args];
}

/** What `deno test` prints last, e.g. `ok | 55 passed (3 steps) | 0 failed | 1 ignored (3s)`. */
const SUMMARY = /(\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/;

const count = { passed: 0, failed: 0, skipped: 0 };

for (const { name, args } of STEPS) {
  console.log(`--- ${name}`);
  const { success, output } = await runDeno(args);
  const summary = output.match(SUMMARY);
  count.passed += Number(summary?.[1] ?? (success ? 1 : 0));
  count.failed += Number(summary?.[2] ?? 0);
  count.skipped += Number(summary?.[3] ?? 0);
  // a run may fail without a failed test: a module that does not load, a leak, a crash
  if (!success && !(Number(summary?.[2]) > 0)) count.failed++;
}

console.log(
  `\n${count.passed} passed, ${count.failed} failed` +
    (count.skipped > 0 ? `, ${count.skipped} skipped` : ""),
);
Deno.exitCode = count.failed === 0 ? 0 : 1;

/** Runs deno with `args`, passing its output on and keeping the end of it. */
async function runDeno(args: readonly string[]): Promise<{ success: boolean; output: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    await Deno.stdout.write(new TextEncoder().encode(chunk));
    output = (output + chunk).slice(-4096);
  }
  return { success: (await child.status).success, output };
}
