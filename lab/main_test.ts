/** The command line: calls that cannot be understood, output that cannot be written. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fitting } from "./help.ts";
import { FABLE, FABLE_TOKENIZER, inFolder, lab, MAIN, packFable } from "./testing.ts";

/** Calls that are wrong, and what the first line on standard error says. */
const WRONG_CALLS: readonly [args: string[], says: string][] = [
  [["nosuch"], "error: unknown command 'nosuch'"],
  [["help", "nosuch"], "error: unknown command 'nosuch'"],
  [["pack", "nosuch"], "error: unknown command 'nosuch'"],
  [["pack", "llama2c", FABLE], "error: required option '--tokenizer <file>' not specified"],
  [
    ["pack", "llama2c", "--tokenizer", FABLE_TOKENIZER, "--out", "x"],
    "error: missing required argument 'model'",
  ],
  [["verify", "--no\u001b[31msuch", "x"], "error: unknown option '--no\\u{1b}[31msuch'"],
  [["verify", "no\u001b[31msuch"], "lab: no\\u{1b}[31msuch: no such file"],
  [["verify", FABLE, "--reader", "table,table"], "lab: reader 'table' is named twice"],
  [
    ["inspect", FABLE, "--reader", "cursor,table"],
    "lab: one reader is expected, not 'cursor,table'",
  ],
  [["run", "x", "--store", "y", "--save-kv", "nosuch/kv.slm"], "lab: nosuch: no such folder"],
  [["replay", "nosuch"], "lab: nosuch: no such file or directory (stat)"],
  [["triage", "nosuch"], "lab: nosuch: no such folder"],
  [["gate", "--findings", "nosuch"], "lab: nosuch: no such folder"],
  [["inspect", "--page", "nosuch/x"], "lab: nosuch/x: no such file or directory (open)"],
  [["inspect", "--page", "lab"], "lab: lab: is a directory (rename)"],
  [
    ["corpus", "publish", "--out", "nosuch", "--key", "nosuch"],
    "lab: nosuch: no such file or directory (readfile)",
  ],
  [["verify", FABLE, "--store", FABLE], `lab: ${FABLE} is not a folder`],
  [
    ["run", "x", "--store", "y", "--seed", "18446744073709551615"],
    "error: option '--seed <n>' argument '18446744073709551615' is invalid. " +
    "a whole number from 0 to 9007199254740991 is expected.",
  ],
  [
    ["fuzz", "--seconds", "1", "--workers", "100000"],
    "error: option '--workers <n>' argument '100000' is invalid. " +
    `a whole number from 1 to ${4 * navigator.hardwareConcurrency} is expected: ` +
    "four a core of this machine.",
  ],
  [
    ["run", "x", "--store", "y", "--tokens", "1,,2"],
    "error: option '--tokens <ids>' argument '1,,2' is invalid. " +
    "whole numbers are expected, as 1,2,3; number 2 of the list is none.",
  ],
];

for (const [args, says] of WRONG_CALLS) {
  const call = args.map((arg) => arg.startsWith("/") ? "FILE" : JSON.stringify(arg)).join(" ");
  Deno.test(`wrong call, exit code 2: lab ${call}`, async () => {
    const { code, out, err } = await lab(args);
    assertEquals([code, out, err.split("\n")[0]], [2, "", says]);
  });
}

Deno.test("help names the commands below a command, wherever it is asked for", async () => {
  const [before, after] = await Promise.all([lab(["help", "pack"]), lab(["pack", "--help"])]);
  assertEquals(before, after);
  assertEquals(before.code, 0);
  assertStringIncludes(before.out, "llama2c [options] <model>");
});

Deno.test("help is wrapped once: no line is short for want of room", async () => {
  const { out } = await lab(["verify", "--help"]);
  assertMatch(out, /rejected,\nwith the stage, code, section and offset\./);
});

Deno.test("a call of nothing shows help and is wrong, whatever is called", async () => {
  const [all, below] = await Promise.all([lab([]), lab(["pack"])]);
  assertEquals([all.code, all.out, below.code, below.out], [2, "", 2, ""]);
  assertStringIncludes(all.err, "Usage: lab");
  assertStringIncludes(below.err, "Usage: lab pack");
});

Deno.test("help fits any width: prose is wrapped, examples and headings stay as they are", () => {
  const text =
    "\nFindings are named by any\nstart of their name.\n\nCodes: 0 all,\n1 not\nParts: a\n" +
    "Examples:\n  deno task lab triage out/fuzz/findings --show crash\n";
  assertEquals(
    fitting(text, 20),
    "\nFindings are named\nby any start of\ntheir name.\n\nCodes: 0 all, 1 not\nParts: a\n" +
      "Examples:\n  deno task lab triage out/fuzz/findings --show crash\n",
  );
  assertEquals(fitting(fitting(text, 20), 80), fitting(text, 80));
});

Deno.test("a reader of our output that leaves early is no error", () =>
  inFolder(async (store) => {
    const { composition } = await packFable(store);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", MAIN, "run", composition.id, "--store", store, "--prompt", "Once"],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await child.stdout.cancel();
    const { value } = await child.stderr.getReader().read();
    assertEquals([(await child.status).code, value], [0, undefined]);
  }));

Deno.test({
  name: "a full disk is one line and exit code 2",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const full = new Deno.Command("sh", {
      args: ["-c", `"$0" run -A "$1" verify "$2" > /dev/full`, Deno.execPath(), MAIN, FABLE],
      stderr: "piped",
    });
    const { code, stderr } = await full.output();
    assertEquals(
      [code, new TextDecoder().decode(stderr)],
      [2, "lab: No space left on device\n"],
    );
  },
});

Deno.test("a campaign whose store is none is one line and exit code 2", () =>
  inFolder(async (out) => {
    Deno.writeTextFileSync(`${out}/campaign.sqlite`, "no database at all, but text".repeat(99));
    const { code, err } = await lab(["fuzz", "--executions", "1", "--resume", "--out", out]);
    assertEquals([code, err], [2, "lab: file is not a database\n"]);
  }));
