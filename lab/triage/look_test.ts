/** New, known, fixed, regressed; notes stay, and no mark changes what stands. */
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import { cursor } from "../../readers/cursor/reader.ts";
import { fileFinding } from "../campaign/findings.ts";
import { seedRequests } from "../campaign/requests.ts";
import type { Flaw } from "../campaign/subject.ts";
import { UsageError } from "../exit.ts";
import type { Standing } from "../gate/findings.ts";
import { withFolder } from "../gate/testing.ts";
import { readLedger, type State, writeLedger } from "./ledger.ts";
import { OWED } from "../oracle/opinion.ts";
import { askOfInput } from "../testee/input.ts";
import { askReader } from "../testee/open.ts";
import { look, lookWith } from "./look.ts";

const BAD = () => Promise.resolve<Standing>("open");
const GOOD = () => Promise.resolve<Standing>("gone");

function file(folder: string, name: string): void {
  Deno.mkdirSync(`${folder}/${name}`);
  const record = { class: "disagreement", key: "stage 4 against 5", detail: "d", replay: "r" };
  Deno.writeTextFileSync(`${folder}/${name}/finding.json`, JSON.stringify(record));
  Deno.writeFileSync(`${folder}/${name}/input.slm`, new Uint8Array(300));
}

const states = async (folder: string, replayed: typeof BAD, commit = "c"): Promise<State[]> =>
  (await lookWith(replayed, folder, commit)).findings.map(({ state }) => state);

Deno.test("a finding's life", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1");
    assertEquals(await states(folder, BAD), ["new"]);
    assertEquals(await states(folder, BAD), ["known"]);
    assertEquals(await states(folder, GOOD, "mended"), ["fixed"]);
    assertEquals(readLedger(folder).findings["disagreement-1"].commit, "mended");
    assertEquals(await states(folder, BAD), ["regressed"]);
    assertEquals(await states(folder, BAD), ["regressed"], "until it is mended again");
    assertEquals(await states(folder, GOOD), ["fixed"]);
    file(folder, "disagreement-2");
    assertEquals(await states(folder, BAD), ["regressed", "new"]);
  }));

Deno.test("what a person wrote stays, and an expected finding still stands", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1");
    await lookWith(BAD, folder, "c");
    const ledger = readLedger(folder);
    const entry = { ...ledger.findings["disagreement-1"], note: "n", expected: true as const };
    writeLedger(folder, { ...ledger, findings: { "disagreement-1": entry } });
    const { findings: [one] } = await lookWith(BAD, folder, "d");
    assertEquals([one.state, one.standing, one.entry.note], ["known", "open", "n"]);
  }));

Deno.test("a ledger that is none is named, never overwritten", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/triage.json`, "{}");
    assertThrows(() => readLedger(folder), UsageError, "is no ledger");
  }));

Deno.test("a finding about a testee is asked of it again, from whichever folder; else it says why not", () =>
  withFolder(async (folder) => {
    const campaign = fileURLToPath(new URL("../campaign/", import.meta.url));
    const run = (mode: string) => `'${Deno.execPath()}' run -A --quiet ./flawed.ts ${mode}`;
    const input = seedRequests(8192).find((one) => {
      const verdict = askReader(cursor, askOfInput(one)!);
      return verdict.verdict === "reject" && verdict.code === "BaseMismatch";
    })!;
    const commands = {
      bad: [run("wrong-code"), campaign],
      good: [run("good"), campaign],
      gone: ["./no-such-reader", campaign],
      moved: [run("good"), `${folder}/no-such-folder`],
    };
    for (const [key, [testee, testeeIn]] of Object.entries(commands)) {
      const flaw: Flaw = { class: "disagreement", key, detail: "d", testee, testeeIn };
      fileFinding(folder, flaw, input);
    }
    const { findings } = await look(folder, "c", { testees: true });
    const told = Object.fromEntries(
      findings.map(({ key, standing, why }) => [key, [standing, why?.includes("could not start")]]),
    );
    assertEquals(told, {
      bad: ["open", undefined],
      good: ["gone", undefined],
      gone: ["unknown", true],
      moved: ["unknown", true],
    });
    const { findings: [one] } = await look(folder, "c", { keep: false });
    assertEquals(one.standing, "unknown", "no command is run where that was not asked for");
  }));

Deno.test("what a testee owes is the sentence of testee.md", () => {
  const path = new URL("../../corpus/spec/testee.md", import.meta.url);
  assertStringIncludes(Deno.readTextFileSync(path).replaceAll(/\s+/g, " "), OWED.text);
});
