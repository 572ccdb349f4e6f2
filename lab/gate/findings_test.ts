/** Findings stand until both readers agree on their input as they are now. */
import { assertEquals } from "@std/assert";
import { type Ask, filedIn, replay, withReplays } from "./findings.ts";
import { withFolder } from "./testing.ts";

function file(folder: string, name: string, record: unknown): void {
  Deno.mkdirSync(`${folder}/${name}`);
  Deno.writeTextFileSync(`${folder}/${name}/finding.json`, JSON.stringify(record));
  Deno.writeFileSync(`${folder}/${name}/input.slm`, new Uint8Array(3));
}

const FLAWED: Ask = () => Promise.resolve([{ class: "disagreement" }]);
const SOUND: Ask = () => Promise.resolve([]);

Deno.test("a finding is open while anything is wrong with its input, whatever its class", () =>
  withFolder(async (folder) => {
    for (const kind of ["crash", "disagreement", "hang", "memory", "protocol"]) {
      file(folder, kind, { class: kind, key: "k", detail: "d" });
    }
    const { findings } = await filedIn(folder);
    assertEquals(findings.length, 5);
    for (const one of findings) {
      assertEquals(await replay(one, FLAWED), { standing: "open", divides: true });
      assertEquals(await replay(one, SOUND), { standing: "gone", divides: false });
    }
  }));

Deno.test("the readers and oracles of this checkout replay it; without time it is unknown", () =>
  withFolder(async (folder) => {
    file(folder, "disagreement-1", { class: "disagreement", key: "k", detail: "d" });
    const { findings: [one] } = await filedIn(folder);
    assertEquals((await withReplays((replayed) => replayed(one))).standing, "gone");
    assertEquals(await withReplays((replayed) => replayed(one), -1), {
      standing: "unknown",
      divides: true,
    });
  }));

Deno.test("what cannot be replayed or read is not passed over", () =>
  withFolder(async (folder) => {
    file(folder, "odd", [1]);
    file(folder, "of-another", { class: "crash", key: "k", detail: "", testee: "true" });
    Deno.mkdirSync(`${folder}/empty`);
    Deno.mkdirSync(`${folder}/.draft-1`);
    const { findings } = await filedIn(folder);
    assertEquals(findings.map(({ name }) => name), ["empty", "odd", "of-another"].sort());
    for (const one of findings) assertEquals((await replay(one, SOUND)).standing, "unknown");
  }));

Deno.test("of many findings the first by name are kept, and the others counted", () =>
  withFolder(async (folder) => {
    for (let i = 0; i < 250; i++) {
      Deno.mkdirSync(`${folder}/f-${String(i * 97 % 250).padStart(3, "0")}`);
    }
    const { findings, more } = await filedIn(folder, 10);
    assertEquals(
      findings.map(({ name }) => name),
      Array.from({ length: 10 }, (_, i) => `f-00${i}`),
    );
    assertEquals(more, 240);
  }));

Deno.test("an endless text in a record is bounded", () =>
  withFolder(async (folder) => {
    file(folder, "long", { class: "crash", key: "k", detail: "x".repeat(16 << 20) });
    file(folder, "longish", { class: "crash", key: "k", detail: "x".repeat(1 << 19) });
    const { findings: [long, longish] } = await filedIn(folder);
    assertEquals(long.class, "unreadable");
    assertEquals(longish.detail.length, 4096);
  }));
