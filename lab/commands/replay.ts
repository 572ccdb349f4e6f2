/** `replay FINDING`: what the oracles say of a finding's input on this checkout. */
import { Command } from "commander";
import { styleText } from "node:util";
import { foreign } from "../../reports/terminal.ts";
import { askAlone } from "../campaign/alone.ts";
import { readFinding } from "../campaign/findings.ts";
import type { Flaw } from "../campaign/subject.ts";
import { EXIT, setExit } from "../exit.ts";
import { faultNamed } from "../faults/bench.ts";

export default function (): Command {
  return new Command()
    .argument("<finding>", "folder of a finding, or any file")
    .option("--json", "one JSON object a flaw")
    .description(
      "Runs one input through both readers and all oracles, in a worker of its own. Exit code 3\n" +
        "where readers disagree, 1 for any other flaw, 0 where nothing is wrong (any more).",
    )
    .addHelpText(
      "after",
      "\nExample:\n  deno task lab replay out/fuzz/findings/disagreement-0123456789ab",
    )
    .action(replay);
}

async function replay(path: string, { json }: { json?: boolean }): Promise<void> {
  const { input, finding } = readFinding(path);
  const flaws = await askAlone(input, faultNamed(finding?.fault));
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

function print({ class: kind, key, detail }: Flaw): void {
  console.log(`${styleText("red", kind)}: ${foreign(key)}`);
  for (const line of detail.split("\n")) console.log(`  ${foreign(line)}`);
}
