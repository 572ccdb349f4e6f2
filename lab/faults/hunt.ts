/** How long a seeded fault lives under mutators and oracles alone. */
import process from "node:process";
import type { Reader } from "../../readers/contract.ts";
import { cursor } from "../../readers/cursor/reader.ts";
import { table } from "../../readers/table/reader.ts";
import { mutate } from "../../mutators/mutate.ts";
import { Random } from "../../mutators/random.ts";
import { growing } from "../oracle/growing.ts";
import { CHEAP, DEEP, judge, Observer } from "../oracle/observe.ts";
import type { Finding } from "../oracle/oracle.ts";
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

/** One case in so many asks for piece roots; one accepted case in so many is written again. */
const PIECES = 8, REWRITE = 4;
/** Growth is looked at once, when cases have shown nothing for this long. */
const GROWTH_AFTER = 5;

/** Hunts a fault: the patched reader beside the other one, as a campaign has them. */
export async function hunt(fault: SeededFault, options: HuntOptions): Promise<Hunt> {
  using tree = new PatchedTree(fault);
  const patched = await tree.reader();
  const pair = (one: Reader) => one.name === "table" ? [cursor, one] : [one, table];
  const observer = new Observer(pair(patched));
  const sound = new Observer([cursor, table]);
  const random = new Random(options.seed);
  const begin = process.cpuUsage();
  const passed = () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1e6;
  };
  let executions = 0, grown = false;
  while (passed() < options.seconds) {
    const { bytes, by } = mutate(random.pick(options.seeds), random, random.pick(options.seeds));
    const oracles = executions % REWRITE === 0 ? [...CHEAP, ...DEEP] : CHEAP;
    const pieces = executions % PIECES === 0;
    executions++;
    for (const finding of judge(observer.observe(bytes, pieces), oracles)) {
      const known = judge(sound.observe(bytes, pieces), oracles);
      if (known.some(({ key }) => key === finding.key)) continue; // not of this fault
      return { fault, executions, found: { seconds: passed(), executions, finding, bytes, by } };
    }
    if (grown || passed() < GROWTH_AFTER) continue;
    grown = true;
    const finding = growing(patched);
    if (finding) {
      const found = { seconds: passed(), executions, finding, bytes: null, by: [] };
      return { fault, executions, found };
    }
  }
  return { fault, executions, found: null };
}
