/** How long a seeded fault lives under mutators and oracles alone. */
import process from "node:process";
import type { Reader } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { growing } from "../oracle/growing.ts";
import { CHEAP, DEEP, judge, Observer } from "../oracle/observe.ts";
import type { Finding, Oracle } from "../oracle/oracle.ts";
import { rendered } from "../oracle/rendered.ts";
import { roundTrip } from "../oracle/round_trip.ts";
import { houseRuntime, type RuntimeParts } from "../oracle/runtime.ts";
import { sameNumbers } from "../oracle/same_numbers.ts";
import type { SeededFault } from "./fault.ts";
import { PatchedTree } from "./patched.ts";

/** The end of one hunt. */
export interface Hunt {
  readonly fault: SeededFault;
  /** null: it survived */
  readonly found: {
    /** of processor time, so that other processes on the machine do not count */
    readonly seconds: number;
    readonly executions: number;
    readonly finding: Finding;
    /** the case that showed it; null where no single case did */
    readonly bytes: Uint8Array | null;
    /** the mutators that made the case */
    readonly by: readonly string[];
  } | null;
  readonly executions: number;
}

export interface HuntOptions {
  readonly seeds: readonly Uint8Array[];
  readonly seed: number;
  /** given up after so much processor time */
  readonly seconds: number;
}

/** One case in so many asks for piece roots. */
const PIECES = 8;
/** Growth is looked at once, when cases have shown nothing for this long. */
const GROWTH_AFTER = 5;

/** A reader or a runtime with the fault in it, as a campaign has it, and the sound ones. */
interface Prey {
  readonly reader: Reader | null;
  readonly faulty: Arena;
  readonly sound: Arena;
}

/** Readers that observe a case, and oracles over what they did. */
interface Arena {
  readonly observer: Observer;
  readonly oracles: readonly Oracle[];
}

async function preyOf(tree: PatchedTree): Promise<Prey> {
  const reader = await tree.reader();
  const sound = new Observer([cursor, table]);
  if (reader === null) {
    const over = (parts: RuntimeParts) => [roundTrip(parts), rendered(parts), sameNumbers(parts)];
    return {
      reader,
      faulty: { observer: sound, oracles: over(await tree.runtime()) },
      sound: { observer: sound, oracles: over(houseRuntime()) },
    };
  }
  const oracles = [...CHEAP, ...DEEP];
  const pair = reader.name === "table" ? [cursor, reader] : [reader, table];
  return {
    reader,
    faulty: { observer: new Observer(pair), oracles },
    sound: { observer: sound, oracles },
  };
}

/** Hunts a fault: the seeds as they are, then mutants of them. */
export async function hunt(fault: SeededFault, options: HuntOptions): Promise<Hunt> {
  using tree = new PatchedTree(fault);
  const { reader, faulty, sound } = await preyOf(tree);
  const { seeds } = options;
  const random = new Random(options.seed);
  const begin = process.cpuUsage();
  const passed = () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1e6;
  };
  let executions = 0, grown = reader === null;
  while (passed() < options.seconds) {
    const { bytes, by } = executions < seeds.length
      ? { bytes: seeds[executions], by: [] }
      : mutate(random.pick(seeds), random, random.pick(seeds));
    const pieces = executions++ % PIECES === 0;
    const ask = ({ observer, oracles }: Arena) => {
      const observation = observer.input(bytes, pieces);
      return observation === null ? [] : judge(observation, oracles);
    };
    const findings = ask(faulty);
    const known = findings.length > 0 ? ask(sound) : []; // a finding of the sound ones is another
    const finding = findings.find(({ key }) => !known.some((one) => one.key === key));
    if (finding) {
      return { fault, executions, found: { seconds: passed(), executions, finding, bytes, by } };
    }
    if (grown || reader === null || passed() < GROWTH_AFTER) continue;
    grown = true;
    const slow = growing(reader);
    if (slow) {
      const found = { seconds: passed(), executions, finding: slow, bytes: null, by: [] };
      return { fault, executions, found };
    }
  }
  return { fault, executions, found: null };
}
