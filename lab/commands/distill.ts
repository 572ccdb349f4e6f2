/** `distill`: the corpora of several campaigns as one small one. */
import { Command } from "commander";
import { createHash } from "node:crypto";
import { LIMIT } from "../campaign/campaign.ts";
import { distilled } from "../campaign/distilling.ts";
import { inputsIn } from "../campaign/inputs.ts";
import { EXIT, setExit } from "../exit.ts";
import { foreign } from "../../reports/terminal.ts";
import { workerCount } from "../options.ts";

interface Options {
  readonly out: string;
  readonly workers: number;
  readonly json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("<folders...>", "folders of campaigns, or of files")
    .requiredOption("--out <dir>", "where the files go, each named by its hash")
    .option("--workers <n>", "absent: one a core", workerCount, navigator.hardwareConcurrency)
    .option("--json", "one JSON object")
    .description(
      "Executes every input once and keeps a small part of them that shows all that they show together,\n" +
        "on the readers as they are. Exit code 1 where an input shows a flaw on the way.",
    )
    .addHelpText(
      "after",
      `
Example:
  deno task lab distill out/fuzz out/monday corpus/golden/valid --out out/corpus
  deno task fuzz --seconds 600 --corpus out/corpus`,
    )
    .action(run);
}

async function run(folders: readonly string[], options: Options): Promise<void> {
  const inputs = folders.flatMap((folder) => inputsIn(folder, LIMIT));
  const { kept, edges, flaws } = await distilled(inputs, options.workers);
  Deno.mkdirSync(options.out, { recursive: true });
  for (const input of kept) {
    const name = createHash("sha256").update(input).digest("hex");
    Deno.writeFileSync(`${options.out}/${name}.slm`, input);
  }
  if (options.json) {
    const counts = { inputs: inputs.length, kept: kept.length, edges, flaws: [...flaws.keys()] };
    console.log(JSON.stringify(counts));
  } else {
    console.log(`${inputs.length} inputs, ${kept.length} kept, ${edges} edges: ${options.out}`);
    for (const { key } of flaws.values()) {
      console.log(`  ${foreign(key)}: found by lab fuzz --corpus`);
    }
  }
  if (flaws.size > 0) setExit(EXIT.broken);
}
