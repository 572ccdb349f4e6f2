/** The gate opens on whole evidence of this very standing, and on nothing less. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { EVIDENCE } from "./evidence.ts";
import { type GateResult, judgeGate } from "./gate.ts";
import { keepRecord } from "./record.ts";
import { STOP_RULES } from "./stop_rules.ts";
import type { Standing } from "./standing.ts";
import { ALL_LIVE, keepAll, NOW, recordOf, withFolder } from "./testing.ts";

const AGREE = { judgements: ALL_LIVE, disagreement: false };

const DISAGREE = {
  judgements: {
    ...ALL_LIVE,
    agreement: { state: "broken", why: "1 case", command: "conform" },
    disagreements: { state: "broken", why: "1 open", command: "triage" },
  },
  disagreement: true,
} as const;

const judge = (records: string, live: typeof AGREE | typeof DISAGREE = AGREE, now = NOW) =>
  judgeGate({ now, records, receipts: `${records}/receipts`, live });

const states = ({ evidence, stopRules }: GateResult) =>
  Object.fromEntries([...evidence, ...stopRules].map(({ id, state }) => [id, state]));

Deno.test("the report's fifteen and fifteen, each with a check and an id of its own", () => {
  assertEquals([EVIDENCE.length, STOP_RULES.length], [15, 15]);
  const all = [...EVIDENCE, ...STOP_RULES];
  assertEquals(new Set(all.map(({ id }) => id)).size, 30);
  assert(all.every(({ checks }) => checks.length > 0));
});

Deno.test("whole evidence opens it; what needs people is waiting", () =>
  withFolder(async (folder) => {
    keepAll(folder);
    const result = await judge(folder);
    assertEquals(result.exit, 0);
    assertEquals(new Set(Object.values(states(result))), new Set(["held", "waiting"]));
    assertEquals(states(result).E12, "waiting");
  }));

Deno.test("without records everything that needs one is missing, with the command for it", () =>
  withFolder(async (folder) => {
    const result = await judge(folder);
    assertEquals(result.exit, 1);
    assertEquals(states(result).E9, "missing");
    assertEquals(result.evidence[8].judgements[0].command, "deno task lab nightly --part compare");
  }));

Deno.test("each record alone shuts it: away, stale, tampered, out of bounds, or failed", () =>
  withFolder(async (folder) => {
    keepAll(folder);
    const parts = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert(parts.length >= 10);
    for (const name of parts) {
      const path = `${folder}/${name}`, good = Deno.readTextFileSync(path);
      const { figures } = JSON.parse(good);
      const part = name.replace(".json", "");
      const another: Standing = { ...NOW, commit: "d".repeat(40) };
      const spoils: [string, () => void][] = [
        ["away", () => Deno.removeSync(path)],
        ["stale", () => keepRecord(folder, recordOf(part, figures, another))],
        ["tampered", () => Deno.writeTextFileSync(path, good.replace('"exit": 0', '"exit": 1'))],
        ["no figures", () => keepRecord(folder, recordOf(part, {}))],
        [
          "out of bounds",
          () =>
            keepRecord(
              folder,
              recordOf(
                part,
                Object.fromEntries(
                  Object.entries<number>(figures).map(([k, v]) => [k, v || 1e9])
                    .map(([k, v]) => [k, v === 1e9 ? 1 : -1]),
                ),
              ),
            ),
        ],
      ];
      for (const [what, spoil] of spoils) {
        spoil();
        assertEquals((await judge(folder)).exit, 1, `${name} ${what}`);
        Deno.writeTextFileSync(path, good);
      }
    }
    assertEquals((await judge(folder)).exit, 0);
  }));

Deno.test("readers that disagree stop it whatever the records say, and only fresh ones open it again", () =>
  withFolder(async (folder) => {
    const patched = { ...NOW, clean: false };
    keepAll(folder);
    const broken = await judge(folder, DISAGREE, patched);
    assertEquals(broken.exit, 3);
    assertEquals([states(broken).E3, states(broken).S3], ["broken", "broken"]);
    // a conformance run of the patched tree replaces the good one; then the patch is undone
    keepRecord(folder, recordOf("conform", { testees: 2, cases: 1, failing: 0 }, patched));
    const undone = await judge(folder);
    assertEquals([undone.exit, states(undone).E3], [1, "missing"]);
    assertMatch(undone.evidence[2].judgements[2].why, /tree with changes/);
    keepAll(folder);
    assertEquals((await judge(folder)).exit, 0);
  }));
