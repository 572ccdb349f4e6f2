/**
 * How fast the guided engine is beside the same mutations without guidance, what its counters cost,
 * and how soon it finds planted bugs, on the neutral target from one seed; then campaigns as they run.
 */
import { Random } from "../../mutators/random.ts";
import { buildSubject, endBuilding } from "../campaign/build.ts";
import { load } from "../campaign/load.ts";
import { Coverage } from "../campaign/coverage.ts";
import { Havoc } from "../campaign/havoc.ts";
import { planted, seedInput } from "../campaign/neutral.ts";
import { buildBoth, type Builds, Solo } from "../campaign/solo.ts";
import type { Subject } from "../campaign/subject.ts";
import { memoryRows, watchRows, workerRows } from "./campaign.ts";
import { jsfuzzRow } from "./jsfuzz.ts";
import { readerRowsOnOneCore } from "./one_core.ts";
import { interleave, type Row } from "./rounds.ts";

const NEUTRAL = {
  entry: "lab/campaign/neutral.ts",
  instrumented: ["lab/campaign/neutral.ts"],
};

type Neutral = { readonly subject: Subject; readonly planted: typeof planted };

/** Slices for a target that takes a microsecond. */
const ENGINE = { slices: 8, executions: 2000, limit: 4096, edits: 4000, digest: false };

const ROUNDS = 7;
const INPUTS = 2048;
const REPEATS = 9;
/** A search ends here, found or not. */
const MOST_EXECUTIONS = 8_000_000;

/** The seconds within which each planted bug is to be found: medians of nine seeds. */
const BUGS = { magic: 5, repeated: 1, aligned: 1 };

export async function fuzzRows(): Promise<Row[]> {
  const builds = await buildBoth(NEUTRAL);
  const plain = await load<Neutral>((await buildSubject(NEUTRAL)).code);
  await endBuilding();
  const without = { magic: false, repeated: false, aligned: false };
  Object.assign(plain.exports.planted, without);
  return [
    ...await rateRows(builds, plain.exports.subject),
    ...await costRows(builds, plain.exports.subject),
    ...await bugRows(builds),
    ...await workerRows(),
    ...await watchRows(),
    ...await readerRowsOnOneCore(),
    ...await memoryRows(),
  ];
}

const nothing = () => {};

/** Counters, read and cleared at every execution, on the same mutated inputs. */
async function costRows(builds: Builds, plain: Subject): Promise<Row[]> {
  const guided = await load<Neutral>(builds.guided.code);
  Object.assign(guided.exports.planted, { magic: false, repeated: false, aligned: false });
  const havoc = new Havoc(new Random(1), ENGINE.limit);
  const seed = seedInput();
  const inputs = Array.from(
    { length: INPUTS },
    () => havoc.buffer.slice(0, havoc.mutate(seed, seed, [])),
  );
  const coverage = new Coverage(guided.counters);
  const instrumented = (input: Uint8Array) => {
    coverage.clear();
    const outcome = guided.exports.subject.run(input, nothing);
    if (coverage.fresh(outcome)) coverage.confirm(outcome);
  };
  const over = (run: (input: Uint8Array) => void) => () => {
    for (let i = 0; i < 20; i++) for (const input of inputs) run(input);
    return 20 * INPUTS;
  };
  const [bare, counted] = interleave([
    { name: "plain", run: over((input) => plain.run(input, nothing)) },
    { name: "counted", run: over(instrumented) },
  ], ROUNDS);
  return [{
    group: "counters",
    name: "slow-down, read and cleared each time",
    value: bare.median / counted.median,
    unit: "times",
    against: "the plain target",
    most: 3,
  }];
}

/** Guided executions beside a loop that mutates the seed and looks at nothing. */
async function rateRows(builds: Builds, plain: Subject): Promise<Row[]> {
  const solo = await Solo.of(builds, { ...ENGINE, seed: 1 }, [seedInput()]);
  solo.exports<Neutral>((exports) =>
    Object.assign(exports.planted, { magic: false, repeated: false, aligned: false })
  );
  const havoc = new Havoc(new Random(1), ENGINE.limit);
  const seed = seedInput();
  const [bare, guided] = interleave([
    {
      name: "bare",
      run() {
        for (let i = 0; i < 200_000; i++) {
          plain.run(havoc.buffer.subarray(0, havoc.mutate(seed, seed, [])), nothing);
        }
        return 200_000;
      },
    },
    {
      name: "guided",
      run() {
        const before = solo.executions;
        while (solo.executions < before + 100_000) solo.round();
        return solo.executions - before;
      },
    },
  ], ROUNDS);
  return [
    { group: "rate", name: "bare mutation loop", value: bare.median, unit: "inputs/s" },
    { group: "rate", name: "guided, one thread", value: guided.median, unit: "inputs/s" },
    {
      group: "rate",
      name: "guided / bare",
      value: guided.median / bare.median,
      unit: "ratio",
      against: "the same mutations, unguided",
      least: 0.35,
    },
    await jsfuzzRow(guided.median),
  ];
}

async function bugRows(builds: Builds): Promise<Row[]> {
  const seconds = new Map<string, number[]>(Object.keys(BUGS).map((bug) => [bug, []]));
  for (let seed = 1; seed <= REPEATS; seed++) {
    const solo = await Solo.of(builds, { ...ENGINE, seed }, [seedInput()]);
    const begun = performance.now();
    const open = new Set(Object.keys(BUGS));
    while (open.size > 0 && solo.executions < MOST_EXECUTIONS) {
      for (const { flaw } of solo.round().flatMap(({ found }) => found)) {
        if (open.delete(flaw.key)) {
          seconds.get(flaw.key)?.push((performance.now() - begun) / 1000);
        }
      }
    }
    for (const bug of open) seconds.get(bug)?.push(Infinity);
  }
  return Object.entries(BUGS).map(([bug, most]) => ({
    group: "bugs",
    name: `${bug}, median of ${REPEATS} seeds`,
    value: (seconds.get(bug) ?? []).sort((a, b) => a - b)[REPEATS >> 1],
    unit: "s",
    most,
  }));
}
