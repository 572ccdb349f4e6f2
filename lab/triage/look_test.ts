/** New, known, fixed, regressed; notes stay, and no mark changes what stands. */
import { assertEquals, assertThrows } from "@std/assert";
import type { Reader } from "../../readers/contract.ts";
import { UsageError } from "../exit.ts";
import { withFolder } from "../gate/testing.ts";
import { loadReaders } from "../readers.ts";
import { readLedger, type State, writeLedger } from "./ledger.ts";
import { look } from "./look.ts";

const [cursor, table] = await loadReaders("cursor,table");

/** The cursor reader with another verdict on every file. */
const patched: Reader = {
  ...cursor,
  read: () =>
    ({
      verdict: { verdict: "reject", stage: 5, code: "BadFormatId", section: "header", offset: 8 },
    }) as unknown as ReturnType<Reader["read"]>,
};

function file(folder: string, name: string): void {
  Deno.mkdirSync(`${folder}/${name}`);
  const record = { class: "disagreement", key: "stage 4 against 5", detail: "d", replay: "r" };
  Deno.writeTextFileSync(`${folder}/${name}/finding.json`, JSON.stringify(record));
  Deno.writeFileSync(`${folder}/${name}/input.slm`, new Uint8Array(300));
}

const states = async (folder: string, readers: readonly Reader[], commit = "c"): Promise<State[]> =>
  (await look(folder, readers, commit)).findings.map(({ state }) => state);

Deno.test("a finding's life", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1");
    const bad = [patched, table], good = [cursor, table];
    assertEquals(await states(folder, bad), ["new"]);
    assertEquals(await states(folder, bad), ["known"]);
    assertEquals(await states(folder, good, "mended"), ["fixed"]);
    assertEquals(readLedger(folder).findings["disagreement-1"].commit, "mended");
    assertEquals(await states(folder, bad), ["regressed"]);
    assertEquals(await states(folder, bad), ["regressed"], "until it is mended again");
    assertEquals(await states(folder, good), ["fixed"]);
    file(folder, "disagreement-2");
    assertEquals(await states(folder, bad), ["regressed", "new"]);
  }));

Deno.test("what a person wrote stays, and an expected finding still stands", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1");
    const bad = [patched, table];
    await look(folder, bad, "c");
    const ledger = readLedger(folder);
    const entry = { ...ledger.findings["disagreement-1"], note: "n", expected: true as const };
    writeLedger(folder, { ...ledger, findings: { "disagreement-1": entry } });
    const { findings: [one] } = await look(folder, bad, "d");
    assertEquals([one.state, one.standing, one.entry.note], ["known", "open", "n"]);
  }));

Deno.test("a ledger that is none is named, never overwritten", () =>
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/triage.json`, "{}");
    assertThrows(() => readLedger(folder), UsageError, "is no ledger");
  }));
