/** Findings stand until both readers agree on their input as they are now. */
import { assertEquals } from "@std/assert";
import type { Reader } from "../../readers/contract.ts";
import { loadReaders } from "../readers.ts";
import { filedIn, replayHere } from "./findings.ts";
import { withFolder } from "./testing.ts";

function file(folder: string, name: string, record: unknown): void {
  Deno.mkdirSync(`${folder}/${name}`);
  Deno.writeTextFileSync(`${folder}/${name}/finding.json`, JSON.stringify(record));
  Deno.writeFileSync(`${folder}/${name}/input.slm`, new Uint8Array(3));
}

Deno.test("a disagreement is open while readers differ, and gone when they no longer do", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1", { class: "disagreement", key: "k", detail: "d" });
    const [{ findings: [one] }, readers] = [filedIn(folder), await loadReaders("cursor,table")];
    assertEquals(await replayHere(one, readers), "gone");
    const [cursor] = readers;
    const patched: Reader = {
      ...cursor,
      read: () => ({
        verdict: { verdict: "reject", stage: 4, code: "BadMagic", section: "header", offset: 0 },
      } as ReturnType<Reader["read"]>),
    };
    assertEquals(await replayHere(one, [patched, cursor]), "open");
    const dead: Reader = {
      ...cursor,
      read() {
        throw new RangeError("x");
      },
    };
    assertEquals(await replayHere(one, [dead, cursor]), "open");
  }));

Deno.test("what cannot be replayed or read is not passed over", () =>
  withFolder(async (folder) => {
    file(folder, "hang-1", { class: "hang", key: "hang", detail: "" });
    file(folder, "odd", [1]);
    Deno.mkdirSync(`${folder}/empty`);
    Deno.mkdirSync(`${folder}/.draft-1`);
    const { findings } = filedIn(folder), readers = await loadReaders("cursor");
    assertEquals(findings.map(({ name }) => name), ["empty", "hang-1", "odd"]);
    for (const one of findings) assertEquals(await replayHere(one, readers), "unknown");
  }));

Deno.test("an endless text in a record is bounded", () =>
  withFolder((folder) => {
    file(folder, "long", { class: "crash", key: "k", detail: "x".repeat(16 << 20) });
    file(folder, "longish", { class: "crash", key: "k", detail: "x".repeat(1 << 19) });
    const { findings: [long, longish] } = filedIn(folder);
    assertEquals(long.class, "unreadable");
    assertEquals(longish.detail.length, 4096);
  }));
