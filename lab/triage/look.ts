/** Looks at all findings of a folder: replays each, and says what it is by the folder's ledger. */
import { askAlone } from "../campaign/alone.ts";
import { FAULTS } from "../faults/bench.ts";
import { type Filed, filedIn, replay, type Standing, withReplays } from "../gate/findings.ts";
import {
  type Entry,
  LEDGER_FORMAT,
  readLedger,
  type State,
  stateOf,
  updated,
  writeLedger,
} from "./ledger.ts";

export interface Triaged extends Filed {
  readonly state: State;
  readonly standing: Standing;
  readonly entry: Entry;
}

/** Order in which a person wants to see them; what is expected comes last of its state. */
const ORDER: readonly State[] = ["regressed", "new", "known", "fixed"];

/**
 * @param keep whether the ledger is written: a look that is not kept changes nothing
 * @param done told how many were replayed
 */
export function look(
  folder: string,
  commit: string,
  options: { keep?: boolean; done?: (replayed: number, of: number) => void } = {},
): Promise<{ findings: Triaged[]; more: number }> {
  return withReplays((replayed) =>
    lookWith(
      async (one) => one.fault === "" ? (await replayed(one)).standing : await withFault(one),
      folder,
      commit,
      options,
    )
  );
}

/** A finding of a seeded fault is looked at with the fault planted again. */
async function withFault(one: Filed): Promise<Standing> {
  const fault = FAULTS.find(({ id }) => id === one.fault);
  if (fault === undefined) return "unknown";
  return (await replay(one, (input) => askAlone(input, fault))).standing;
}

/** As `look`, by another replay. */
export async function lookWith(
  replayed: (one: Filed) => Promise<Standing>,
  folder: string,
  commit: string,
  { keep = true, done = () => {} }: Parameters<typeof look>[2] = {},
): Promise<{ findings: Triaged[]; more: number }> {
  const { findings, more } = await filedIn(folder);
  const before = readLedger(folder).findings;
  const triaged: Triaged[] = [];
  for (const one of findings) {
    const standing = await replayed(one);
    const was = Object.hasOwn(before, one.name) ? before[one.name] : undefined;
    const entry = updated(was, standing, commit, one.filed || new Date().toISOString());
    triaged.push({ ...one, state: stateOf(was, standing), standing, entry });
    done(triaged.length, findings.length);
  }
  if (keep && triaged.length > 0) {
    const entries = triaged.map(({ name, entry }) => [name, entry]);
    writeLedger(folder, {
      format: LEDGER_FORMAT,
      findings: { ...before, ...Object.fromEntries(entries) },
    });
  }
  const rank = ({ state, entry }: Triaged) => 2 * ORDER.indexOf(state) + (entry.expected ? 1 : 0);
  return { findings: triaged.sort((a, b) => rank(a) - rank(b)), more };
}
