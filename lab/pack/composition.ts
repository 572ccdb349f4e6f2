/** `pack composition`: base, tokenizer, and what else is to run together. */
import { Command } from "commander";
import { composition } from "../../corpus/writer/build/composition.ts";
import { ELEMENT_TYPES } from "../../corpus/writer/profiles.ts";
import { architecture } from "../../readers/runtime/manifest.ts";
import { UsageError } from "../exit.ts";
import { repeated, wholeNumber, wholeNumbers } from "../options.ts";
import { artifactFor, type Kept, putInto, report } from "./artifacts.ts";

interface Options {
  base: string;
  tokenizer: string;
  chat?: string;
  adapter: string[];
  maxTokens?: number;
  positions?: number;
  kv: string;
  stop?: number[];
  out: string;
  json?: boolean;
}

const MODEL = [1, 2], ADAPTER = 3, TOKENIZER = 4, TEMPLATE = 5;
const KV_ELEMENTS = ["f32", "f16", "bf16"] as const;

export function packComposition(): Command {
  return new Command("composition")
    .requiredOption("--base <id>", "the model: its id in the store, or a file")
    .requiredOption("--tokenizer <id>", "its tokenizer")
    .option("--chat <id>", "a chat template")
    .option("--adapter <id>", "an adapter; repeat, in the order in which they apply", repeated, [])
    .option(
      "--max-tokens <n>",
      "most new tokens of a generation; absent: the positions",
      wholeNumber(1),
    )
    .option("--positions <n>", "positions of the KV cache; absent: the model's", wholeNumber(1))
    .option("--kv <type>", `its element type: ${KV_ELEMENTS.join(", ")}`, "f32")
    .option("--stop <ids>", "tokens at which generation ends, as 1,2", wholeNumbers)
    .requiredOption("--out <dir>", "the store that has them all, and takes the composition")
    .option("--json", "one JSON object")
    .description("A composition of artifacts that a store has: greedy, nothing cut off.")
    .addHelpText(
      "after",
      `
Example:
  deno task lab pack composition --base BASE_ID --tokenizer TOKENIZER_ID --adapter ADAPTER_ID \\
    --stop 1 --out store`,
    )
    .action(pack);
}

async function pack(options: Options): Promise<void> {
  const { out, chat, positions, maxTokens, stop = [] } = options;
  const element = KV_ELEMENTS.find((name) => name === options.kv);
  if (!element) throw new UsageError(`--kv ${options.kv}: one of ${KV_ELEMENTS.join(", ")}`);
  using opened = new DisposableStack();
  const kept = async (id: string, artifact_class: number | readonly number[]) => {
    const one = await artifactFor(id, out, artifact_class);
    return one && opened.use(one);
  };
  const base = await kept(options.base, MODEL),
    tokenizer = await kept(options.tokenizer, TOKENIZER);
  const template = chat === undefined ? undefined : await kept(chat, TEMPLATE);
  const adapters: (Kept | null)[] = [];
  for (const id of options.adapter) adapters.push(await kept(id, ADAPTER));
  if (!base || !tokenizer || template === null || !adapters.every((one) => one !== null)) return;
  const { llama } = architecture(base.candidate);
  if (!llama) throw new UsageError(`${options.base} is no model that runs: llama/1 is expected`);
  const { vocab, max_seq } = llama;
  const beyond = stop.find((id) => id >= vocab);
  if (beyond !== undefined) {
    throw new UsageError(
      `--stop ${beyond}: ids from 0 to ${vocab - 1} are expected, as the model has`,
    );
  }
  const max_positions = positions ?? max_seq;
  if (max_positions > max_seq) {
    throw new UsageError(
      `--positions ${positions}: at most ${max_seq} is expected, as the model has`,
    );
  }
  report(
    await putInto(
      out,
      composition({
        base: base.identities,
        tokenizer: tokenizer.identities,
        chat_template: template?.identities,
        adapters: adapters.map(({ identities }) => identities),
        generation: { max_new_tokens: maxTokens ?? max_positions, stop_tokens: stop },
        kv: { max_positions, element_type: ELEMENT_TYPES[element].id },
      }),
    ),
    options.json,
  );
}
