/** `lab tokenize`: text to ids, and back, by a tokenizer artifact. */
import { Command } from "commander";
import type { Candidate, Reject } from "../../readers/contract.ts";
import { takeBlob } from "../../readers/runtime/payload.ts";
import { isReject } from "../../readers/runtime/outcome.ts";
import { loadTokenizer, type Tokenizer } from "../../readers/runtime/tokenizer/tokenizer.ts";
import { foreign } from "../../reports/terminal.ts";
import { EXIT, setExit } from "../exit.ts";
import { artifactPath, openFile } from "../files.ts";
import { loadReader } from "../readers.ts";

export interface TokenizeOptions {
  /** ids to text */
  readonly decode?: boolean;
  /** to ids: automatic bos and eos; back: special tokens as they are spelled */
  readonly special?: boolean;
  /** to ids: added tokens are found in the text */
  readonly added?: boolean;
}

export default function (): Command {
  return new Command()
    .description(
      "Text on standard input to ids on one line, by a tokenizer artifact; or ids to text.\n" +
        "The text is UTF-8 and taken whole, a last newline included.",
    )
    .argument("<tokenizer>", "a tokenizer artifact (.slm); with --store, its id in it too")
    .option("--store <dir>", "the store in which an id is looked for")
    .option("--decode", "ids on standard input, separated by whitespace, to text")
    .option("--special", "add bos and eos where the tokenizer does; with --decode, spell them out")
    .option("--added", "find added tokens in the text, special ones too")
    .addHelpText(
      "after",
      `
Example:
  $ printf 'Once upon a time' | deno task lab tokenize tokenizer.slm --special
  1 340 450 334 416 467 297 259 441
  $ echo 1 340 450 334 416 467 297 259 441 | deno task lab tokenize tokenizer.slm --decode
  Once upon a time`,
    )
    .action(async (name: string, options: TokenizeOptions & { store?: string }) => {
      const tokenizer = await openTokenizer(artifactPath(name, options.store));
      const output = typeof tokenizer === "string"
        ? tokenizer
        : tokenize(tokenizer, await new Response(Deno.stdin.readable).bytes(), options);
      if (typeof output === "string") {
        console.error(`lab: ${output}`);
        setExit(EXIT.broken);
      } else await ReadableStream.from([output]).pipeTo(Deno.stdout.writable);
    });
}

/** What the command writes for what it reads, or a line that says why not. */
export function tokenize(
  tokenizer: Tokenizer,
  input: Uint8Array,
  { decode = false, special = false, added = false }: TokenizeOptions,
): Uint8Array | string {
  if (!decode) {
    const ids = tokenizer.encode(input, { special, content: !added });
    if ("error" in ids) return `standard input: ${ids.error} at byte ${ids.offset}`;
    return new TextEncoder().encode(`${ids.join(" ")}\n`);
  }
  const words = new TextDecoder().decode(input).split(/\s+/).filter((word) => word !== "");
  const strange = words.find((word) => !/^\d+$/.test(word) || Number(word) >= tokenizer.vocabSize);
  if (strange !== undefined) {
    return `standard input: ${foreign(strange)} is not an id from 0 to ${tokenizer.vocabSize - 1}`;
  }
  return tokenizer.decode(words.map(Number), { special });
}

/** The tokenizer in a file, or a line that says why there is none. */
async function openTokenizer(path: string): Promise<Tokenizer | string> {
  const reader = await loadReader("cursor");
  const source = openFile(path);
  try {
    const { verdict, candidate } = reader.read({ source, pieces: false });
    if (isReject(verdict)) return refused(path, verdict);
    if (candidate === undefined) throw new Error("a reader accepted without a candidate");
    return load(path, candidate());
  } finally {
    source.close();
  }
}

function load(path: string, candidate: Candidate): Tokenizer | string {
  const blobs: Uint8Array[] = [];
  for (const index of candidate.blobs.keys()) {
    const bytes = takeBlob(candidate, index);
    if (isReject(bytes)) return refused(path, bytes);
    blobs.push(bytes);
  }
  const tokenizer = loadTokenizer(candidate, (index) => blobs[index]);
  return "error" in tokenizer
    ? `${foreign(path)}: ${tokenizer.error}: ${foreign(tokenizer.detail)}`
    : tokenizer;
}

const refused = (path: string, { stage, code, section, expected }: Reject): string =>
  `${foreign(path)}: rejected at stage ${stage}: ${code} [${section}]` +
  (expected === undefined ? "" : `, expected ${foreign(expected)}`);
