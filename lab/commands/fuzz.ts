/** `fuzz`: a campaign against both readers; findings in a folder. */
import { Command } from "commander";
import { styleText } from "node:util";
import { Campaign, LIMIT, type Status } from "../campaign/campaign.ts";
import { inputsIn } from "../campaign/inputs.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { decimal, repeated, wholeNumber, workerCount } from "../options.ts";
import { Stopping } from "../stopping.ts";

interface Options {
  seconds?: number;
  executions?: number;
  seed?: number;
  workers: number;
  corpus: readonly string[];
  out: string;
  resume?: boolean;
  testee?: readonly string[];
  timeLimit?: number;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .option("--seconds <n>", "end after this time; this or --executions is needed", wholeNumber(1))
    .option("--executions <n>", "end after so many inputs, earlier runs counted", wholeNumber(1))
    .option("--seed <n>", "what everything follows from; absent: 1", wholeNumber(0))
    .option("--workers <n>", "absent: one a core", workerCount, navigator.hardwareConcurrency)
    .option(
      "--corpus <dir>",
      "begin with these too: a folder of files, or another campaign's; repeatable",
      repeated,
      [],
    )
    .option("--out <dir>", "folder of the results", "out/fuzz")
    .option("--resume", "go on with the campaign in that folder")
    .option(
      "--testee <command>",
      "program that gives an opinion too (testee.md), split like a shell would; repeatable",
      repeated,
    )
    .option("--time-limit <seconds>", "for one answer of a testee", decimal(0.001, 86_400))
    .option("--json", "one JSON object at the end")
    .description(
      "Breaks artifacts and holds the readers against each other, guided by what runs inside them.\n" +
        "The same seed and number of inputs give the same findings, whatever the number of workers.\n" +
        "A finding is on the disk when it is known; a campaign that was killed goes on with --resume.\n" +
        "Without it one begins anew, and the store of the one before is set aside as before.sqlite.",
    )
    .addHelpText(
      "after",
      `
Testees are asked about what the campaign keeps and a share of the rest; what guides it are the
readers of the house. Each finding of a testee names it and holds its command for replay.

Exit codes: 0 no finding, 1 a finding, 2 usage or I/O, or interrupted before anything was executed,
3 two readers disagreed. An interrupted campaign ends after what is under way, with its summary.

Examples:
  deno task fuzz --seconds 60 --seed 1 --workers 2
  deno task fuzz --executions 3000 --seed 1 --workers 1
  deno task fuzz --seconds 3600 --resume
  deno task fuzz --seconds 60 --out out/next --corpus out/fuzz --corpus corpus/golden/valid
  deno task fuzz --seconds 60 --testee "python3 corpus/examples/reader.py"`,
    )
    .action(fuzz);
}

async function fuzz(options: Options): Promise<void> {
  if (options.seconds === undefined && options.executions === undefined) {
    throw new UsageError("a budget is needed: --seconds or --executions");
  }
  const live = Deno.stderr.isTerminal() && !options.json;
  if (live) show("building the readers with counters");
  using stopping = new Stopping();
  const campaign = await Campaign.open({
    ...options,
    stopped: stopping.signal,
    seeds: options.corpus.flatMap((folder) => inputsIn(folder, LIMIT)),
    resume: options.resume ?? false,
    testees: options.testee,
    patience: options.timeLimit && options.timeLimit * 1000,
    progress: live ? (status) => show(oneLine(status)) : undefined,
  });
  const status = await campaign.run();
  if (live) show("");
  if (options.json) console.log(JSON.stringify(status));
  else print(status, options.out);
  const { disagreement, ...others } = status.findings;
  if (Object.values(others).some((n) => n > 0)) setExit(EXIT.broken);
  if (disagreement > 0) setExit(EXIT.disagree);
}

/** Writes over the last line of a terminal. */
function show(text: string): void {
  const width = Deno.consoleSize().columns;
  Deno.stderr.writeSync(new TextEncoder().encode(`\r${text.slice(0, width - 1)}\x1b[K`));
}

const found = ({ findings }: Status) => {
  const some = Object.entries(findings).filter(([, count]) => count > 0);
  return some.length === 0 ? "no finding" : some.map(([kind, n]) => `${n} ${kind}`).join(", ");
};

function oneLine(status: Status): string {
  const { executions, rate, edges, allEdges, corpus, stages } = status;
  return `${executions} inputs, ${rate.toFixed(0)}/s, ${edges}/${allEdges} edges, ` +
    `corpus ${corpus}, ${found(status)}  ${histogram(stages)}`;
}

const ACCEPTED = 27;
const BARS = [" ", ..."▁▂▃▄▅▆▇█"];

/** Executions by stage, from 1 to accepted, a mark each: its height is a logarithm. */
function histogram(stages: readonly number[]): string {
  const most = Math.log2(1 + Math.max(...stages)) || 1;
  const bar = (count: number) => BARS[Math.ceil(Math.log2(1 + count) / most * (BARS.length - 1))];
  return `1${stages.slice(1, ACCEPTED + 1).map(bar).join("")}✓`;
}

function print(status: Status, out: string): void {
  console.log(oneLine(status));
  const total = status.stages.reduce((a, b) => a + b) || 1;
  const share = (from: number) =>
    (100 * status.stages.slice(from).reduce((a, b) => a + b, 0) / total).toFixed(1) + " %";
  console.log(`  reach stage 20: ${share(20)}, pass stage 26: ${share(ACCEPTED)}`);
  const { rateOfProcessor, hashing, memory } = status;
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0) + " MiB";
  console.log(
    `  ${rateOfProcessor.toFixed(0)} inputs for a second of processor time, ` +
      `${(100 * hashing).toFixed(1)} % of reading is hashing; ` +
      `a worker held ${mib(memory.worker)}, its parent ${mib(memory.parent)}`,
  );
  if (status.unkept > 0) {
    console.log(
      `  the last ${status.unkept} are of a round that did not end: read, but not kept, and no ` +
        "testee was asked about them",
    );
  }
  console.log(`  digest of all inputs in order: ${status.digest.toString(16).padStart(8, "0")}`);
  const some = Object.values(status.findings).some((count) => count > 0);
  console.log(
    some ? styleText("red", `  see ${out}/findings`) : styleText("green", "  no finding"),
  );
}
