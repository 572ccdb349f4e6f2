/** `lab faults`: the bench of seeded faults, and how long each lives in a campaign. */
import { Command } from "commander";
import { styleText } from "node:util";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { FAULTS, faultsIn } from "../faults/bench.ts";
import type { SeededFault } from "../faults/fault.ts";
import { type Hunt, hunt } from "../faults/hunt.ts";
import { TRIGGERS } from "../faults/triggers_data.ts";
import { wholeNumber, workerCount } from "../options.ts";

interface Options {
  readonly seconds: number;
  readonly minimize: number;
  readonly seed: number;
  readonly workers: number;
  readonly only?: string;
  readonly from?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** What is left of an input may be so many times as long as the smallest known trigger. */
const MOST_TIMES = 2;

export default function command(): Command {
  return new Command()
    .option("--seconds <n>", "give a fault up after this time", wholeNumber(1), 120)
    .option("--minimize <n>", "time for making what shows it smaller; 0: none", wholeNumber(0), 30)
    .option("--seed <n>", "what the campaigns follow from", wholeNumber(0), 1)
    .option("--workers <n>", "absent: one a core", workerCount, navigator.hardwareConcurrency)
    .option("--only <ids>", "these faults, comma-separated")
    .option("--from <file>", "faults of your own, as JSON: id, file, search, replacement, breaks")
    .option("--out <dir>", "keeps the inputs there, as found and made smaller")
    .option("--json", "one object a line")
    .description(
      "Plants each seeded fault into a copy of the readers and runs a campaign until it is found. Exit\n" +
        "code 1 where one survives, or where what shows it stays twice as long as it need be.",
    )
    .addHelpText(
      "after",
      `
A fault of your own is an object of a list: a text that stands once in a file, and another in its place.

Examples:
  deno task lab faults --only shape-wraps,layer-unsigned
  deno task lab faults --from my-faults.json --seconds 120 --workers 2`,
    )
    .action(run);
}

async function run({ only, from, out, json, ...options }: Options): Promise<void> {
  const all = from === undefined ? FAULTS : faultsIn(Deno.readTextFileSync(from));
  const ids = only?.split(",");
  const unknown = ids?.find((id) => !all.some((fault) => fault.id === id));
  if (unknown !== undefined) {
    const ids = all.map(({ id }) => id).join(", ");
    throw new UsageError(`no seeded fault '${unknown}'; there are ${ids}`);
  }
  const hunts: Hunt[] = [];
  if (!json) console.log(HEAD);
  for (const fault of all.filter(({ id }) => !ids || ids.includes(id))) {
    const ended = await hunt(fault, options);
    hunts.push(ended);
    if (out !== undefined) keep(out, ended);
    console.log(json ? JSON.stringify(summary(ended)) : line(ended));
  }
  const missed = hunts.filter(({ found }) => found === null);
  const large = hunts.filter(isLarge);
  if (!json) {
    console.log(
      `${hunts.length - missed.length} of ${hunts.length} found, median ${
        shown(median(hunts))
      }; ${large.length} stay long`,
    );
  }
  if (missed.length + large.length > 0) setExit(EXIT.broken);
}

function median(hunts: readonly Hunt[]): number {
  const times = hunts.map(({ found, seconds }) => found ? seconds : Infinity);
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Infinity;
}

const triggerOf = ({ id, trigger }: SeededFault): number | null => trigger ?? TRIGGERS[id] ?? null;

function isLarge({ fault, found }: Hunt): boolean {
  const known = triggerOf(fault);
  return known !== null && (found?.minimized?.input.length ?? 0) >= MOST_TIMES * known;
}

function keep(folder: string, { fault, found }: Hunt): void {
  if (found === null) return;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeFileSync(`${folder}/${fault.id}.slm`, found.input);
  const { minimized } = found;
  if (minimized) Deno.writeFileSync(`${folder}/${fault.id}.min.slm`, minimized.input);
}

function summary(ended: Hunt) {
  const { fault, found, seconds, processorSeconds, executions } = ended;
  return {
    id: fault.id,
    breaks: fault.breaks,
    clause: fault.clause,
    found: found !== null,
    seconds,
    processorSeconds,
    executions,
    key: found?.flaw.key ?? null,
    buckets: found?.buckets ?? [],
    bytes: found?.input.length ?? null,
    minimized: found?.minimized?.input.length ?? null,
    minimizedSeconds: found?.minimized?.seconds ?? null,
    trigger: triggerOf(fault),
    large: isLarge(ended),
  };
}

const shown = (seconds: number) => seconds === Infinity ? "never" : `${seconds.toFixed(1)} s`;

const COLUMNS = [24, 9, 9, 9, 8, 7, 7, 7];
const row = (cells: readonly (string | number)[]) =>
  cells.map((cell, i) =>
    i === 0 ? String(cell).padEnd(COLUMNS[i]) : String(cell).padStart(COLUMNS[i] ?? 0)
  )
    .join(" ");
const HEAD = row(["fault", "found", "cpu", "inputs", "buckets", "bytes", "min", "known"]) + "  key";

function line(ended: Hunt): string {
  const { fault, found, seconds, processorSeconds, executions } = ended;
  const text = row([
    fault.id,
    shown(found ? seconds : Infinity),
    processorSeconds === null ? "" : shown(processorSeconds),
    executions,
    found?.buckets.length ?? 0,
    found?.input.length ?? "",
    found?.minimized?.input.length ?? "",
    triggerOf(fault) ?? "",
  ]);
  const what = `${text}  ${found?.flaw.key ?? fault.breaks}`;
  return found === null || isLarge(ended) ? styleText("red", what) : what;
}
