/** A standing and records for tests of the gate. */
import { type Bound, type Judgement, LIVE, type Live } from "./check.ts";
import { EVIDENCE } from "./evidence.ts";
import { STOP_RULES } from "./stop_rules.ts";
import { keepRecord, type PartRecord, seal } from "./record.ts";
import type { Standing } from "./standing.ts";

export const NOW: Standing = {
  commit: "c".repeat(40),
  clean: true,
  corpus: "a".repeat(64),
  spec: "5".repeat(64),
  tools: { deno: "2.9.6" },
};

/** A record of `part` with the given figures. */
export function recordOf(
  part: string,
  figures: Record<string, number> = {},
  of: Standing = NOW,
): PartRecord {
  const time = "2026-01-02T03:04:05.000Z";
  return seal({ part, command: part, ...of, started: time, ended: time, exit: 0, figures });
}

/** Live checks that all hold. */
export const ALL_LIVE = Object.fromEntries(
  LIVE.map((name) => [name, { state: "held", why: "", command: "" }]),
) as Record<Live, Judgement>;

/** Writes, for each part that the requirements name, a record that meets all bounds. */
export function keepAll(folder: string, of: Standing = NOW): void {
  const figures = new Map<string, Record<string, number>>();
  for (const { checks } of [...EVIDENCE, ...STOP_RULES]) {
    for (const check of checks) {
      if (!("record" in check)) continue;
      const mine = figures.get(check.record) ?? {};
      for (const { figure, least, most } of check.bounds as readonly Bound[]) {
        mine[figure] = least ?? most ?? 0;
      }
      figures.set(check.record, mine);
    }
  }
  for (const [part, mine] of figures) keepRecord(folder, recordOf(part, mine, of));
}

/** Gives `use` a folder that is gone afterwards. */
export async function withFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
