/** `bench`: rates as ratios inside one run, each with what it must reach. */
import { Command } from "commander";
import { styleText } from "node:util";
import { holds, type Row } from "../bench/rounds.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";

const SUITES: Record<string, () => Promise<Row[]>> = {
  readers: async () => (await import("../bench/readers.ts")).readerRows(),
  kernels: async () => (await import("../bench/kernels.ts")).kernelRows(),
  fuzz: async () => (await import("../bench/fuzz.ts")).fuzzRows(),
};

export default function (): Command {
  return new Command()
    .argument("[suites...]", `which: ${Object.keys(SUITES).join(", ")}; absent: all`)
    .option("--json", "one JSON object a row")
    .description(
      "Measures side by side, interleaved in one process, medians of several rounds. Machines\n" +
        "differ and drift: believe the ratios. Exit code 1 where a bound is not held.",
    )
    .addHelpText(
      "after",
      `
Measured beside ours where they are (the programs in C next to the kernels, with gcc):
  SLMLAB_JSFUZZ      folder in which jsfuzz is installed for Node
  SLMLAB_C_KERNELS   one that prints "C matvec q8_0 VALUE GB/s" and its like
  SLMLAB_LLAMA2C     llama2.c's run.c`,
    )
    .action(bench);
}

async function bench(names: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(SUITES, name));
  if (unknown !== undefined) {
    throw new UsageError(`no suite '${unknown}'; there are ${Object.keys(SUITES).join(", ")}`);
  }
  for (const name of names.length > 0 ? names : Object.keys(SUITES)) {
    if (!json) console.log(styleText("bold", name));
    for (const row of await SUITES[name]()) {
      if (holds(row) === false) setExit(EXIT.broken);
      if (json) console.log(JSON.stringify({ suite: name, ...row, holds: holds(row) ?? null }));
      else print(row);
    }
  }
}

function print(row: Row): void {
  const { group, name, value, unit, least, most, missing } = row;
  const bound = least !== undefined
    ? `at least ${least}`
    : most !== undefined
    ? `at most ${most}`
    : "";
  const held = holds(row);
  const mark = held === undefined
    ? ""
    : held
    ? styleText("green", "holds")
    : styleText("red", "BELOW");
  if (missing !== undefined) {
    console.log(`  ${group.padEnd(10)} ${name.padEnd(36)} ${"-".padStart(8)} ${missing}`);
    return;
  }
  const figure = value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  console.log(
    `  ${group.padEnd(10)} ${name.padEnd(36)} ${figure.padStart(8)} ${unit.padEnd(11)} ${
      bound.padEnd(14)
    } ${mark}`,
  );
}
