/** `logits COMPOSITION`: logits at given positions, as files that any tool can compare. */
import { Command } from "commander";
import { join } from "node:path";
import { isReject, logits } from "../../readers/runtime/mod.ts";
import { activateNamed, printReject } from "../activation.ts";
import { BACKEND_NAMES } from "../backends.ts";
import { UsageError } from "../exit.ts";
import { writeFloats } from "../floats.ts";
import { wholeNumbers } from "../options.ts";

interface Options {
  store: string;
  tokens: number[];
  positions: number[];
  activations?: boolean;
  backend: string;
  reader: string;
  out: string;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("<composition>", "an SLM2 composition: a file, or its id in the store")
    .requiredOption("--store <dir>", "the store that holds what the composition names")
    .requiredOption(
      "--tokens <ids>",
      "token ids to feed from position 0 on, as 1,2,3",
      wholeNumbers,
    )
    .requiredOption("--positions <list>", "positions whose logits are wanted, as 0,2", wholeNumbers)
    .requiredOption("--out <dir>", "folder for pos-N.f32; made if need be")
    .option(
      "--activations",
      "also acts-N.f32: rows of dim values: embedding, residual after each layer, final norm",
    )
    .option("--backend <name>", BACKEND_NAMES.join(", "), "cpu")
    .option("--reader <name>", "the reader that admits the artifacts", "cursor")
    .option("--json", "one JSON object a position")
    .description(
      "Feeds tokens and writes the logits after each wanted position N as pos-N.f32: vocab raw\n" +
        "little-endian f32 values.",
    )
    .addHelpText(
      "after",
      "\nExample:\n  deno task lab logits ID --store store --tokens 1,340,450 --positions 0,2 --out out",
    )
    .action(writeLogits);
}

async function writeLogits(composition: string, options: Options): Promise<void> {
  const context = await activateNamed({ composition, ...options });
  if (context === null) return;
  try {
    const { tokens, positions } = options;
    checkRange("position", positions, Math.min(tokens.length, context.positions));
    checkRange("token", tokens, context.model.shape.vocab);
    const results = await logits(context, tokens, positions, options);
    if (isReject(results)) return printReject(composition, results, options.json);
    Deno.mkdirSync(options.out, { recursive: true });
    for (const { position, logits, activations } of results) {
      const path = join(options.out, `pos-${position}.f32`);
      writeFloats(path, logits);
      if (activations) writeFloats(join(options.out, `acts-${position}.f32`), activations);
      const argmax = logits.reduce((best, value, id) => value > logits[best] ? id : best, 0);
      if (options.json) console.log(JSON.stringify({ position, path, argmax }));
      else console.log(`${path}  position ${position}, largest logit at ${argmax}`);
    }
  } finally {
    context.release();
  }
}

function checkRange(what: string, values: readonly number[], end: number): void {
  const outside = values.find((value) => value >= end);
  if (outside !== undefined) throw new UsageError(`${what} ${outside} is not in 0 .. ${end - 1}`);
}
