/** `pack chat`: a chat template of a known shape, for a tokenizer. */
import { Command, InvalidArgumentError } from "commander";
import { chatMl, llama2, zephyr } from "../../corpus/importers/chat_templates.ts";
import type { Description, Reference } from "../../corpus/writer/description.ts";
import { readBody } from "../../readers/runtime/tokenizer/body.ts";
import { foreign } from "../../reports/terminal.ts";
import { UsageError } from "../exit.ts";
import { wholeNumber } from "../options.ts";
import { artifactFor, putInto, report } from "./artifacts.ts";

type Tokens = Readonly<Record<string, number>>;

/** Each shape: the tokens that it is made with, and what makes it. */
const SHAPES: Readonly<
  Record<string, { tokens: readonly string[]; make(of: Reference, ids: Tokens): Description }>
> = {
  "chatml": {
    tokens: ["start", "end"],
    make: (of, { start, end }) => chatMl(of, { start, end }),
  },
  "llama-2": { tokens: ["bos", "eos"], make: (of, { bos, eos }) => llama2(of, { bos, eos }) },
  "zephyr": { tokens: ["eos"], make: (of, { eos }) => zephyr(of, { eos }) },
};

interface Options {
  tokenizer: string;
  token: Tokens;
  out: string;
  json?: boolean;
}

const TOKENIZER = 4;

export function packChat(): Command {
  const shapes = Object.entries(SHAPES).map(([name, { tokens }]) =>
    `${name} (${tokens.join(", ")})`
  );
  return new Command("chat")
    .argument("<shape>", `with the tokens that it is made with: ${shapes.join(", ")}`)
    .requiredOption(
      "--tokenizer <id>",
      "the tokenizer that it is for: its id in the store, or a file",
    )
    .option("--token <name=id>", "the id of a token; repeat", token, {})
    .requiredOption("--out <dir>", "the store to write into")
    .option("--json", "one JSON object")
    .description("A chat template: writes one for a tokenizer. No template language is read.")
    .addHelpText(
      "after",
      `
Example:
  deno task lab pack chat zephyr --tokenizer TOKENIZER_ID --token eos=2 --out store`,
    )
    .action(pack);
}

function token(text: string, before: Tokens): Tokens {
  const [name, id, ...rest] = text.split("=");
  if (id === undefined || rest.length > 0) {
    throw new InvalidArgumentError("name=id is expected, as eos=2.");
  }
  return { ...before, [name]: wholeNumber(0)(id) };
}

async function pack(name: string, options: Options): Promise<void> {
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  if (!shape) throw new UsageError(`no shape ${foreign(name)}: ${Object.keys(SHAPES).join(", ")}`);
  const given = Object.keys(options.token).sort(), wanted = [...shape.tokens].sort();
  if (`${given}` !== `${wanted}`) {
    throw new UsageError(
      `${name} takes --token ${shape.tokens.map((t) => `${t}=ID`).join(" --token ")}`,
    );
  }
  using tokenizer = await artifactFor(options.tokenizer, options.out, TOKENIZER);
  if (tokenizer === null) return;
  const { vocab_size } = readBody(tokenizer.candidate.manifest);
  for (const [token, id] of Object.entries(options.token)) {
    if (id < vocab_size) continue;
    throw new UsageError(
      `--token ${token}=${id}: an id from 0 to ${
        vocab_size - 1
      } is expected, as the tokenizer has them`,
    );
  }
  report(await putInto(options.out, shape.make(tokenizer.identities, options.token)), options.json);
}
