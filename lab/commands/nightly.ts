/** `nightly`: all of the lab, bounded in time, in one dated folder. */
import { Command, Option } from "commander";
import { styleText } from "node:util";
import { annotations } from "../../reports/nightly/annotations.ts";
import { short } from "../../reports/nightly/model.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, type ExitCode, setExit, UsageError } from "../exit.ts";
import { nightly } from "../nightly/nightly.ts";
import { Interrupt } from "../nightly/interrupt.ts";
import { gather } from "../nightly/page.ts";
import { FUZZ_SHARE, type Part, PART_NAMES, PARTS } from "../nightly/parts.ts";
import type { PartRun } from "../nightly/run.ts";
import { SCHEDULES } from "../nightly/schedule.ts";
import { writeReport } from "../nightly/write.ts";
import { repeated, wholeNumber } from "../options.ts";

interface Options {
  part: readonly string[];
  budget: number;
  seconds?: number;
  seed?: number;
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
        "folder, which appears when all of it is written, and a line in the history. It is red where\n" +
        "a part fails, was cut off, did not run, or was quieter than its own history; a run that is\n" +
        "not whole says so in the name of its folder.",
    )
    .option("--part <name>", "only this part, for its record; repeatable", repeated, [])
    .option(
      "--budget <seconds>",
      "for all of it: below 600, bench and comparison take samples",
      wholeNumber(1),
      1800,
    )
    .option("--seconds <n>", "of fuzzing; left out: two fifths of the budget", wholeNumber(1))
    .option("--seed <n>", "of fuzzing; left out: the number of today", wholeNumber(0))
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
  deno task nightly --budget 7200
  deno task nightly --budget 600 --seconds 60
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
  const interrupt = new Interrupt();
  const done = await nightly({
    ...options,
    whole,
    parts,
    testees: options.testee,
    folder: options.out,
    seconds: options.seconds ?? Math.ceil(FUZZ_SHARE * options.budget),
    seed: options.seed ?? Math.floor(Date.now() / DAY),
    stopped: interrupt.signal,
    onStart: (part, seconds) => begin(part, seconds, options),
    onPart: (part, run) => show(part, run, options),
  }, async (night, draft, history) => {
    const report = await gather(night, draft, history, options);
    writeReport(draft, report);
    if (options.github) { for (const line of annotations(report)) console.log(line); }
    return report.exit;
  }).catch((error) => {
    if (!interrupt.signal.aborted) throw error;
    console.error("lab: interrupted; nothing is published");
    return null;
  }).finally(() => interrupt.end());
  if (done === null) return;
  const { night, folder, exit } = done;
  if (options.json) {
    const { whole, quiet, regressions } = night;
    console.log(JSON.stringify({ exit, whole, quiet, regressions, folder }));
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

/** Says on a terminal what is under way. */
function begin({ name }: Part, seconds: number, { json, quiet }: Options): void {
  if (json || quiet || !Deno.stderr.isTerminal()) return;
  write(`        ${name}, up to ${Math.round(seconds)} s`);
}

const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${text}\r`));

function show({ name }: Part, run: PartRun | null, { json, quiet }: Options): void {
  if (json) return console.log(JSON.stringify(run ?? { part: name, fault: "did not run" }));
  if (quiet) return;
  if (Deno.stderr.isTerminal()) write("\x1b[K");
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
