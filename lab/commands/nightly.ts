/** `nightly`: all of the lab, bounded in time, in one dated folder. */
import { Command, Option } from "commander";
import { styleText } from "node:util";
import { annotations } from "../../reports/nightly/annotations.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, type ExitCode, setExit, UsageError } from "../exit.ts";
import { short } from "../nightly/bands.ts";
import { nightly } from "../nightly/nightly.ts";
import { gather } from "../nightly/page.ts";
import { type Part, PART_NAMES, PARTS } from "../nightly/parts.ts";
import type { PartRun } from "../nightly/run.ts";
import { SCHEDULES } from "../nightly/schedule.ts";
import { writeReport } from "../nightly/write.ts";
import { repeated, wholeNumber } from "../options.ts";

interface Options {
  part: readonly string[];
  seconds: number;
  seed?: number;
  limit: number;
  testee: readonly string[];
  out: string;
  records: string;
  findings: string;
  receipts: string;
  schedule?: string;
  github?: true;
  quiet?: true;
  json?: true;
}

const DAY = 86_400_000;

/** Figures of a part that a terminal shows. */
const SHOWN = 6;

export default function (): Command {
  return new Command("nightly")
    .description(
      "Runs everything once: corpus, testees, neighbours' vectors, bounds, comparison, ratios, browser,\n" +
        "fuzzing. Each part leaves a record that the gate reads. All together they leave one dated\n" +
        "folder, which appears whole or not at all, and a line in the history. It is red where a\n" +
        "part fails, did not run, or was quieter than its own history.",
    )
    .option("--part <name>", "only this part, for its record; repeatable", repeated, [])
    .option("--seconds <n>", "of fuzzing", wholeNumber(1), 600)
    .option("--seed <n>", "of fuzzing; left out: the number of today", wholeNumber(0))
    .option("--limit <seconds>", "for all of it", wholeNumber(1), 4 * 3600)
    .option("--testee <command>", "a further testee; repeatable", repeated, [])
    .option("--out <folder>", "of all runs and their history", "out/nightly")
    .option("--records <folder>", "where records are kept for the gate", "out/records")
    .option("--findings <folder>", "where findings of all runs are kept", "out/findings")
    .option("--receipts <folder>", "statements that people signed", "receipts")
    .addOption(
      new Option("--schedule <how>", "print an example of a schedule, run nothing")
        .choices(Object.keys(SCHEDULES)),
    )
    .option("--github", "print annotations for GitHub Actions too")
    .option("--quiet", "print nothing where all holds")
    .option("--json", "one JSON object a part, then one for the whole")
    .addHelpText(
      "after",
      `
Parts: ${PART_NAMES.join(" ")}
Exit codes: that of the gravest part (0 to 3), at least 1 where the lab was quiet or a finding is open.

Examples:
  deno task lab nightly --seconds 3600
  deno task lab nightly --part corpus --part conform
  deno task lab nightly --schedule systemd`,
    )
    .action(action);
}

async function action(options: Options): Promise<void> {
  if (options.schedule !== undefined) return console.log(SCHEDULES[options.schedule].trimEnd());
  const unknown = options.part.find((name) => !PART_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`no part '${unknown}'; there are ${PART_NAMES.join(", ")}`);
  }
  const whole = options.part.length === 0;
  const parts = whole ? PARTS : PARTS.filter(({ name }) => options.part.includes(name));
  const { night, folder, exit } = await nightly({
    ...options,
    whole,
    parts,
    testees: options.testee,
    folder: options.out,
    seed: options.seed ?? Math.floor(Date.now() / DAY),
    onPart: (part, run) => show(part, run, options),
  }, async (night, draft, history) => {
    const report = await gather(night, draft, history, options);
    writeReport(draft, report);
    if (options.github) { for (const line of annotations(report)) console.log(line); }
    return report.exit;
  });
  if (options.json) {
    const { quiet, regressions } = night;
    console.log(JSON.stringify({ exit, quiet, regressions, folder }));
  } else if (!options.quiet || exit !== EXIT.holds) {
    for (const line of night.quiet) console.log(`${styleText("red", "quiet")}  ${foreign(line)}`);
    for (const line of night.regressions) {
      console.log(`${styleText("red", "worse")}  ${foreign(line)}`);
    }
    if (folder !== null) console.log(`\n${folder}/index.html`);
    console.log(exit === EXIT.holds ? styleText("green", "all holds") : styleText("red", "red"));
  }
  setExit(exit as ExitCode);
}

function show({ name }: Part, run: PartRun | null, { json, quiet }: Options): void {
  if (json) return console.log(JSON.stringify(run ?? { part: name, fault: "did not run" }));
  if (quiet) return;
  if (run === null) return console.log(`${styleText("red", "NOT RUN")} ${name}`);
  const { record: { exit, figures, started, ended }, fault } = run;
  const seconds = (Date.parse(ended) - Date.parse(started)) / 1000;
  const told = Object.entries(figures).slice(0, SHOWN)
    .map(([figure, value]) => `${figure} ${short(value)}`).join(", ");
  const mark = exit === EXIT.holds
    ? styleText("green", "ok     ")
    : styleText("red", `exit ${exit} `);
  console.log(`${mark} ${name.padEnd(11)} ${seconds.toFixed(1).padStart(6)} s  ${fault ?? told}`);
}
