/** Looks at all findings of a folder: replays each, and says what it is by the folder's ledger. */
import { askAlone } from "../campaign/alone.ts";
import { Opinions } from "../campaign/opinions.ts";
import { UsageError } from "../exit.ts";
import { FAULTS } from "../faults/bench.ts";
import {
  type Filed,
  filedIn,
  inputOf,
  replay,
  type Standing,
  withReplays,
} from "../gate/findings.ts";
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
  /** why it could not be replayed, where that is known */
  readonly why?: string;
}

/** Order in which a person wants to see them; what is expected comes last of its state. */
const ORDER: readonly State[] = ["regressed", "new", "known", "fixed"];

export interface LookOptions {
  /** whether the ledger is written: a look that is not kept changes nothing */
  readonly keep?: boolean;
  /** told how many were replayed */
  readonly done?: (replayed: number, of: number) => void;
}

/** @param testees whether commands that stand in findings are run, to ask the readers they are about */
export function look(
  folder: string,
  commit: string,
  { testees = false, ...options }: LookOptions & { readonly testees?: boolean } = {},
): Promise<{ findings: Triaged[]; more: number }> {
  return withReplays(async (replayed) => {
    const others = new Others();
    const replay = async (one: Filed): Promise<Standing> => {
      if (one.fault !== "") return await withFault(one);
      const { standing } = await replayed({ ...one, testee: "" });
      if (one.testee === "" || standing !== "gone") return standing;
      return testees ? await others.standing(one) : "unknown";
    };
    try {
      const { findings, more } = await lookWith(replay, folder, commit, options);
      return { findings: findings.map((one) => ({ ...one, why: others.why.get(one.name) })), more };
    } finally {
      await others.close();
    }
  });
}

/** Readers of others, each started once for all findings about it. */
class Others {
  readonly #started = new Map<string, Promise<Opinions | string>>();
  /** by the finding's name: why it could not be told */
  readonly why = new Map<string, string>();

  async standing(one: Filed): Promise<Standing> {
    const input = inputOf(one), opinions = await this.#opinions(one);
    if (typeof opinions === "string") this.why.set(one.name, opinions);
    if (typeof opinions === "string" || input === null) return "unknown";
    return (await opinions.ask(input)).length > 0 ? "open" : "gone";
  }

  async close(): Promise<void> {
    for (const started of this.#started.values()) {
      const opinions = await started;
      if (typeof opinions !== "string") await opinions.close();
    }
  }

  /** Those of a finding's command, or why they do not start. */
  #opinions({ testee, testeeIn }: Filed): Promise<Opinions | string> {
    const key = `${testeeIn}\n${testee}`;
    const known = this.#started.get(key);
    if (known !== undefined) return known;
    const cwd = testeeIn === "" ? undefined : testeeIn;
    const started = Opinions.open([testee], 1, undefined, cwd).catch((error) => {
      if (error instanceof UsageError) return error.message;
      throw error;
    });
    this.#started.set(key, started);
    return started;
  }
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
  { keep = true, done = () => {} }: LookOptions = {},
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
