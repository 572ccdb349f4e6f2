/** `fuzz`: a campaign against both readers; findings in a folder. */
import { Command } from "commander";
import { styleText } from "node:util";
import { Campaign, type Status } from "../campaign/campaign.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { wholeNumber } from "../options.ts";

interface Options {
  seconds?: number;
  executions?: number;
  seed: number;
  workers: number;
  out: string;
  resume?: boolean;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .option("--seconds <n>", "end after this time", wholeNumber(1))
    .option("--executions <n>", "end after so many inputs", wholeNumber(1))
    .option("--seed <n>", "what everything follows from", wholeNumber(0), 1)
    .option(
      "--workers <n>",
      "processes; absent: one a core",
      wholeNumber(1),
      navigator.hardwareConcurrency,
    )
    .option("--out <dir>", "folder of the results", "out/fuzz")
    .option("--resume", "go on with the campaign in that folder")
    .option("--json", "one JSON object at the end")
    .description(
      "Breaks artifacts and holds the readers against each other, guided by what runs inside them.\n" +
        "The same seed and number of inputs give the same findings, whatever the number of workers.\n" +
        "Exit code 3 where two readers disagreed, 1 where there is another finding.",
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task fuzz --seconds 60 --seed 1 --workers 2
  deno task fuzz --executions 3000 --seed 1 --workers 1
  deno task fuzz --seconds 3600 --resume`,
    )
    .action(fuzz);
}

async function fuzz(options: Options): Promise<void> {
  if (options.seconds === undefined && options.executions === undefined) {
    throw new UsageError("a budget is needed: --seconds or --executions");
  }
  const live = Deno.stderr.isTerminal() && !options.json;
  const campaign = await Campaign.open({
    ...options,
    resume: options.resume ?? false,
    progress: live
      ? (status) => Deno.stderr.writeSync(line(`\r${oneLine(status)}\x1b[K`))
      : undefined,
  });
  const stop = () => campaign.stop();
  Deno.addSignalListener("SIGINT", stop);
  const status = await campaign.run();
  Deno.removeSignalListener("SIGINT", stop);
  if (live) Deno.stderr.writeSync(line("\r\x1b[K"));
  if (options.json) console.log(JSON.stringify(status));
  else print(status, options.out);
  const { disagreement, ...others } = status.findings;
  if (Object.values(others).some((n) => n > 0)) setExit(EXIT.broken);
  if (disagreement > 0) setExit(EXIT.disagree);
}

const line = (text: string) => new TextEncoder().encode(text);

const rate = ({ executions, seconds }: Status) => `${(executions / seconds).toFixed(0)}/s`;

const found = ({ findings }: Status) => Object.values(findings).reduce((a, b) => a + b);

function oneLine(status: Status): string {
  const { executions, edges, allEdges, entries } = status;
  return `${executions} inputs, ${
    rate(status)
  }, ${edges} of ${allEdges} edges, corpus ${entries}, ` +
    `findings ${found(status)}`;
}

function print(status: Status, out: string): void {
  console.log(oneLine(status));
  const total = status.stages.reduce((a, b) => a + b) || 1;
  const share = (from: number) =>
    (100 * status.stages.slice(from).reduce((a, b) => a + b, 0) / total).toFixed(1) + " %";
  console.log(`  reach stage 20: ${share(20)}, pass stage 26: ${share(27)}`);
  console.log(`  digest of all inputs in order: ${status.digest.toString(16).padStart(8, "0")}`);
  for (const [kind, count] of Object.entries(status.findings)) {
    if (count > 0) console.log(`  ${styleText("red", kind)}: ${count}, see ${out}/findings`);
  }
  if (found(status) === 0) console.log(`  ${styleText("green", "no finding")}`);
}
