/** `run COMPOSITION`: text from a prompt. */
import { Command, Option } from "commander";
import { dirname } from "node:path";
import {
  Conversation,
  encodePrompt,
  generate,
  isReject,
  type Message,
} from "../../readers/runtime/mod.ts";
import { foreign, foreignLines } from "../../reports/terminal.ts";
import { activateNamed, printReject } from "../activation.ts";
import { BACKEND_NAMES } from "../backends.ts";
import { forReply, readMessages } from "../chat.ts";
import { EXIT, setExit } from "../exit.ts";
import { openFolder } from "../files.ts";
import { resumeKv, writeKv } from "../kv.ts";
import { decimal, wholeNumber, wholeNumbers } from "../options.ts";
import { MemoryWatch, printStats, resourceLines } from "../stats.ts";

/** A text keeps its type: it is shown before what follows it. */
type Prompt =
  | { readonly text: string }
  | { readonly tokens: readonly number[] }
  | { readonly messages: readonly Message[] };

interface Options {
  store: string;
  prompt?: string;
  tokens?: number[];
  messages?: string;
  saveKv?: string;
  resumeKv?: string;
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
    .addOption(
      new Option("--messages <file>", "a conversation for the chat template, as JSON: see below")
        .conflicts(["prompt", "tokens"]),
    )
    .option("--save-kv <file>", "write the KV cache as it stands at the end, as an artifact")
    .option(
      "--resume-kv <file>",
      "go on from a saved cache: the prompt must begin with the tokens that it was made from",
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
      "memory predicted and measured, and rates: on standard error, or in the JSON. The bundled " +
        "model runs first, so that what the engine takes is known",
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
  deno task lab run COMPOSITION_ID --store store --prompt Hello --temperature 0.8 --seed 7
  deno task lab run COMPOSITION_ID --store store --messages chat.json
  deno task lab run COMPOSITION_ID --store store --prompt "Once upon" --max-tokens 0 --save-kv kv.slm
  deno task lab run COMPOSITION_ID --store store --prompt "Once upon a time" --resume-kv kv.slm

Messages are an array of {"role": ..., "content": ...}, with roles that the composition's template
declares; other members are the fields that it declares. A template of the kinds that pack knows is
made ready for a reply: its last message is an open one of the assistant.`,
    )
    .action(run);
}

async function run(composition: string, options: Options): Promise<void> {
  if (options.saveKv !== undefined) openFolder(dirname(options.saveKv));
  const prompt = await promptOf(options);
  if (prompt === null) return;
  const watch = options.stats ? await MemoryWatch.afterWarmUp(options) : null;
  const context = await activateNamed({ composition, ...options });
  if (context === null) return;
  try {
    const given = "messages" in prompt ? { messages: forReply(prompt.messages, context) } : prompt;
    const encoded = encodePrompt(context, given);
    if ("fault" in encoded) return fail(`the prompt cannot be fed: ${encoded.why}`);
    const { max_new_tokens } = context.body.generation;
    const room = encoded.tokens.length + Math.min(max_new_tokens, options.maxTokens ?? Infinity);
    const opened = options.resumeKv === undefined
      ? Conversation.open(context, room)
      : await resumeKv(context, options.resumeKv, encoded.tokens, options.reader);
    if (opened === null) return;
    if (isReject(opened)) return printReject(composition, opened, options.json);
    using conversation = opened;
    await speak(composition, conversation, encoded.tokens, options, {
      watch,
      text: "text" in prompt ? prompt.text : null,
    });
  } finally {
    context.release();
  }
}

async function speak(
  composition: string,
  conversation: Conversation,
  prompt: readonly number[],
  options: Options,
  { watch, text }: { readonly watch: MemoryWatch | null; readonly text: string | null },
): Promise<void> {
  let begun = options.json ?? false;
  const begin = () => {
    if (!begun && text !== null) writeOut(text);
    begun = true;
  };
  const show = options.json ? undefined : (text: string) => {
    begin();
    writeOut(text);
  };
  const generation = await generate(conversation.context, {
    prompt: { tokens: prompt },
    max_new_tokens: options.maxTokens,
    temperature: options.temperature,
    top_k: options.topK,
    top_p: options.topP,
    seed: options.seed,
    ignore_stops: options.ignoreStops,
    conversation,
    onText: show,
  });
  if (isReject(generation)) return printReject(composition, generation, options.json);
  if ("fault" in generation) return fail(`the prompt cannot be fed: ${generation.why}`);
  const saved = options.saveKv === undefined
    ? undefined
    : await writeKv(conversation, prompt, options.saveKv);
  const resources = watch ? resourceLines(conversation, watch) : undefined;
  if (options.json) {
    const { tokens, text, stopped, reused } = generation;
    console.log(JSON.stringify({ prompt, tokens, text, stopped, reused, saved, resources }));
  } else {
    begin();
    writeOut("\n");
    if (saved) console.error(`${saved.positions} positions in ${foreign(saved.path)}`);
    if (resources) printStats(resources, generation);
  }
  if (generation.stopped === "nan-logits") fail("generation ended at a NaN logit");
}

function fail(why: string): void {
  setExit(EXIT.broken);
  console.error(`lab: ${foreign(why, 1000)}`);
}

/** What is to be gone on from; null, and said, where it is not UTF-8. */
async function promptOf({ tokens, messages, prompt }: Options): Promise<Prompt | null> {
  if (tokens !== undefined) return { tokens };
  if (messages !== undefined) return { messages: readMessages(messages) };
  const text = prompt ?? await standardInput();
  return text === null ? null : { text };
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
