/** `replay FINDING`: what the oracles say of a finding's input on this checkout. */
import { Command } from "commander";
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import { askAlone } from "../campaign/alone.ts";
import { readFinding } from "../campaign/findings.ts";
import { askTestees, testeesOf } from "../campaign/opinions.ts";
import { questionOf } from "../campaign/probe_name.ts";
import type { Flaw } from "../campaign/subject.ts";
import { EXIT, setExit } from "../exit.ts";
import { faultNamed } from "../faults/bench.ts";
import { repeated } from "../options.ts";

export default function (): Command {
  return new Command()
    .argument("<finding>", "folder of a finding, or any file")
    .option("--testee <command>", "testee to ask; absent: the finding's; repeatable", repeated)
    .option("--json", "one JSON object a flaw")
    .description(
      "Runs one input through both readers and all oracles, in a process of its own, and through the\n" +
        "testee that the finding is about, by the command that stands in it. Exit code 3 where\n" +
        "readers disagree, 1 for any other flaw, 0 where nothing is wrong (any more).",
    )
    .addHelpText(
      "after",
      "\nExample:\n  deno task lab replay out/fuzz/findings/disagreement-0123456789ab",
    )
    .action(replay);
}

interface Options {
  readonly testee?: readonly string[];
  readonly json?: boolean;
}

async function replay(path: string, { testee, json }: Options): Promise<void> {
  const { input, finding } = readFinding(path);
  const flaws = [
    ...await askAlone(questionOf(finding, input), faultNamed(finding?.fault)),
    ...await askTestees(testeesOf(finding, testee), input),
  ];
  for (const flaw of flaws) {
    setExit(flaw.class === "disagreement" ? EXIT.disagree : EXIT.broken);
    if (json) console.log(JSON.stringify(flaw));
    else print(flaw);
  }
  if (json) return;
  if (flaws.length === 0) console.log(styleText("green", "nothing is wrong with it"));
  if (finding && !flaws.some(({ key }) => key === finding.key)) {
    console.log(`it was filed as ${foreign(finding.key)}, which does not come again`);
  }
}

function print({ class: kind, key, detail, clause }: Flaw): void {
  console.log(`${styleText("red", kind)}: ${foreign(key)}`);
  for (const line of detail.split("\n")) console.log(`  ${foreign(line)}`);
  if (clause) console.log(`  ${clause.id}: ${clause.text}`);
}
