/** `run COMPOSITION`: text from a prompt. */
import { Command, Option } from "commander";
import { generate, isReject } from "../../readers/runtime/mod.ts";
import { foreignLines } from "../../reports/terminal.ts";
import { activateNamed, printReject } from "../activation.ts";
import { BACKEND_NAMES } from "../backends.ts";
import { EXIT, setExit } from "../exit.ts";
import { decimal, wholeNumber, wholeNumbers } from "../options.ts";
import { MemoryWatch, printStats, resourceLines } from "../stats.ts";

interface Options {
  store: string;
  prompt?: string;
  tokens?: number[];
  maxTokens?: number;
  temperature?: number;
  topK?: number;
  topP?: number;
  seed: number;
  ignoreStops?: boolean;
  backend: string;
  reader: string;
  stats?: boolean;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("<composition>", "an SLM2 composition: a file, or its id in the store")
    .requiredOption("--store <dir>", "the store that holds what the composition names")
    .option("--prompt <text>", "the text to go on from; absent: standard input")
    .addOption(
      new Option("--tokens <ids>", "token ids in place of a text, as 1,2,3")
        .argParser(wholeNumbers).conflicts("prompt"),
    )
    .option(
      "--max-tokens <n>",
      "at most so many new tokens, and never more than the composition has",
      wholeNumber(0),
    )
    .option(
      "--temperature <t>",
      "0 takes the largest logit, whatever else is said; absent: the composition's",
      decimal(0, 1e6),
    )
    .option("--top-k <k>", "sample among the k largest; 0 is off", wholeNumber(0))
    .option("--top-p <p>", "sample among the most likely whose sum reaches p", decimal(0, 1))
    .option("--seed <n>", "decides every draw", wholeNumber(0), 0)
    .option("--ignore-stops", "go on past stop tokens, as reference values do")
    .option("--backend <name>", BACKEND_NAMES.join(", "), "cpu")
    .option("--reader <name>", "the reader that admits the artifacts", "cursor")
    .option(
      "--stats",
      "memory predicted and measured, and rates: on standard error, or in the JSON",
    )
    .option("--json", "one JSON object: ids, text, why it stopped")
    .description(
      "Reads a composition and its dependencies, takes it through every state of validation to\n" +
        "activation, and generates text. Whatever is wrong with an artifact is a named rejection.",
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task lab run COMPOSITION_ID --store store --prompt "Once upon a time"
  deno task lab run COMPOSITION_ID --store store --prompt Hello --temperature 0.8 --seed 7`,
    )
    .action(run);
}

async function run(composition: string, options: Options): Promise<void> {
  const text = options.tokens ? undefined : options.prompt ?? await standardInput();
  if (text === null) return;
  const watch = new MemoryWatch();
  const context = await activateNamed({ composition, ...options });
  if (context === null) return;
  try {
    let begun = options.json ?? false;
    const begin = () => {
      if (!begun && text !== undefined) writeOut(text);
      begun = true;
    };
    const show = options.json ? undefined : (text: string) => {
      begin();
      writeOut(text);
    };
    const generation = await generate(context, {
      prompt: options.tokens ? { tokens: options.tokens } : { text: text ?? "" },
      max_new_tokens: options.maxTokens,
      temperature: options.temperature,
      top_k: options.topK,
      top_p: options.topP,
      seed: options.seed,
      ignore_stops: options.ignoreStops,
      onText: show,
    });
    if (isReject(generation)) return printReject(composition, generation, options.json);
    if ("fault" in generation) {
      setExit(EXIT.broken);
      return console.error(`lab: the prompt cannot be fed: ${generation.why}`);
    }
    if (options.json) {
      const { prompt, tokens, text, stopped } = generation;
      const resources = options.stats && resourceLines(context, watch);
      console.log(JSON.stringify({ prompt, tokens, text, stopped, resources }));
    } else {
      begin();
      writeOut("\n");
    }
    if (generation.stopped === "nan-logits") {
      setExit(EXIT.broken);
      console.error("lab: generation ended at a NaN logit");
    }
    if (options.stats && !options.json) printStats(resourceLines(context, watch), generation);
  } finally {
    context.release();
  }
}

/** The text on standard input; null, and said, where it is not UTF-8. */
async function standardInput(): Promise<string | null> {
  if (Deno.stdin.isTerminal()) console.error("lab: type the prompt; Ctrl-D ends it");
  const bytes = await new Response(Deno.stdin.readable).bytes();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    setExit(EXIT.broken);
    console.error("lab: standard input is not UTF-8");
    return null;
  }
}

/** A terminal is shown control characters as escapes; a file or pipe has the text as it is. */
function writeOut(text: string): void {
  const shown = Deno.stdout.isTerminal() ? foreignLines(text) : text;
  const bytes = new TextEncoder().encode(shown);
  for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
}
