/** `lab faults`: the bench of seeded faults, and how long each lives. */
import { Command } from "commander";
import { seedArtifacts } from "../../mutators/seeds.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { FAULTS } from "../faults/bench.ts";
import { type Hunt, hunt } from "../faults/hunt.ts";

/** Good artifacts of each family that a hunt begins with. */
const SEEDS_EACH = 12;

interface Options {
  readonly seconds: string;
  readonly seed: string;
  readonly only?: string;
  readonly json?: boolean;
}

export default function command(): Command {
  return new Command()
    .description("Hunts every seeded fault by mutators and oracles alone; exit 1 if one survives.")
    .option("--seconds <n>", "give a fault up after so much processor time", "60")
    .option("--seed <n>", "of the mutators", "1")
    .option("--only <ids>", "these faults, comma-separated")
    .option("--json", "one object a line")
    .addHelpText("after", "\nExample: lab faults --seconds 20 --only shape-wraps,layer-unsigned")
    .action(run);
}

async function run({ only, ...options }: Options): Promise<void> {
  const ids = only?.split(",");
  const unknown = ids?.find((id) => !FAULTS.some((fault) => fault.id === id));
  if (unknown !== undefined) throw new UsageError(`no seeded fault '${unknown}'`);
  const seeds = seedArtifacts(Number(options.seed), SEEDS_EACH);
  const hunts: Hunt[] = [];
  for (const fault of FAULTS) {
    if (ids && !ids.includes(fault.id)) continue;
    const seed = Number(options.seed), seconds = Number(options.seconds);
    const ended = await hunt(fault, { seeds, seed, seconds });
    hunts.push(ended);
    console.log(options.json ? JSON.stringify(summary(ended)) : line(ended));
  }
  const times = hunts.map(({ found }) => found?.seconds ?? Infinity).sort((a, b) => a - b);
  const missed = times.filter((time) => time === Infinity).length;
  if (!options.json) {
    const median = times[Math.floor(times.length / 2)];
    console.log(`${hunts.length - missed} of ${hunts.length} found, median ${shown(median)}`);
  }
  if (missed > 0) setExit(EXIT.broken);
}

const shown = (seconds: number) => seconds === Infinity ? "never" : `${seconds.toFixed(2)} s`;

function summary({ fault, found, executions }: Hunt) {
  return {
    id: fault.id,
    clause: fault.clause,
    seconds: found?.seconds ?? null,
    executions,
    key: found?.finding.key ?? null,
    by: found?.by ?? [],
    size: found?.bytes?.length ?? null,
  };
}

function line({ fault, found, executions }: Hunt): string {
  const time = shown(found?.seconds ?? Infinity).padStart(9);
  const what = found ? `${found.finding.key}  by ${found.by.join(" ")}` : `(${fault.breaks})`;
  return `${fault.id.padEnd(24)} ${time} ${String(executions).padStart(8)}  ${what}`;
}
