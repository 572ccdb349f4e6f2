/** `pack`: other people's files become SLM2 artifacts. */
import { Command } from "commander";
import {
  describeImportError,
  type ImportError,
  isImportError,
} from "../../corpus/importers/import.ts";
import { packGgufVocab } from "../../corpus/importers/pack_gguf_vocab.ts";
import { keepDense, type StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { packLlama2c } from "../../corpus/importers/pack_llama2c.ts";
import { quantiseTo } from "../../corpus/importers/quantise.ts";
import type { Staged } from "../../corpus/store.ts";
import { isWriteError, type WriteError } from "../../corpus/writer/fault.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { foreign } from "../../reports/terminal.ts";
import { bytesText, CLASS_NAMES } from "../../reports/words.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { repeated } from "../options.ts";

export default function (): Command {
  return new Command()
    .description(
      "Imports files of other formats and writes SLM2 artifacts into a store: a folder where each\n" +
        "artifact is named by its id. Bad input is named with file, place and what was expected,\n" +
        "and nothing is written then.",
    )
    .addCommand(llama2c())
    .addCommand(ggufVocab());
}

interface Llama2cOptions {
  tokenizer: string;
  quant: string;
  keep: string[];
  out: string;
  json?: boolean;
}

function llama2c(): Command {
  return new Command("llama2c")
    .argument("<model>", "a llama2.c checkpoint, version 0 (.bin)")
    .requiredOption("--tokenizer <file>", "its tokenizer (.bin)")
    .requiredOption("--out <dir>", "the store to write into; made if need be")
    .option("--quant <profile>", `matrices under this profile; none keeps f32`, "none")
    .option(
      "--keep <role>",
      "a role whose matrices stay f32, ffn-down say; repeatable",
      repeated,
      [],
    )
    .option("--json", "one JSON object an artifact")
    .description("A llama2.c model: writes base, tokenizer and composition. Norms stay f32.")
    .addHelpText(
      "after",
      `
Examples:
  deno task lab pack llama2c corpus/models/fable/fable.bin \\
    --tokenizer corpus/models/fable/fable-tok.bin --out store
  ... --quant q4-0.b32.row

Profiles: ${[...REGISTERED.keys()].join(", ")}`,
    )
    .action(packModel);
}

function packModel(model: string, options: Llama2cOptions): void {
  const { quant, keep, tokenizer, out, json = false } = options;
  const store = storing(quant, keep);
  for (const path of [model, tokenizer]) regularFile(path);
  const packed = packLlama2c({ model, tokenizer, out, store });
  if (isImportError(packed) || isWriteError(packed)) return refuse(packed);
  for (const artifact of [packed.base, packed.tokenizer, packed.composition]) print(artifact, json);
}

function storing(quant: string, keep: readonly string[]): StoreMatrix {
  const store = quant === "none" ? keepDense : quantiseTo(quant, keep);
  if (store) return store;
  const names = [...REGISTERED.keys()].join(", ");
  throw new UsageError(`--quant ${foreign(quant)}: none, or one of ${names}`);
}

function ggufVocab(): Command {
  return new Command("gguf-vocab")
    .argument("<file>", "a GGUF file with a vocabulary: a whole model, or nothing else (.gguf)")
    .requiredOption("--out <dir>", "the store to write into; made if need be")
    .option("--json", "one JSON object an artifact")
    .description("The vocabulary of a GGUF file (llama, gpt2 or bert): writes a tokenizer.")
    .addHelpText(
      "after",
      `
Example:
  deno task lab pack gguf-vocab model.gguf --out store`,
    )
    .action((file: string, { out, json }: { out: string; json?: boolean }) => {
      regularFile(file);
      const packed = packGgufVocab(file, out);
      if (isImportError(packed) || isWriteError(packed)) return refuse(packed);
      print(packed, json ?? false);
    });
}

function regularFile(path: string): void {
  if (!Deno.statSync(path).isFile) throw new UsageError(`${path} is not a regular file`);
}

function refuse(fault: ImportError | WriteError): void {
  setExit(EXIT.broken);
  const what = isImportError(fault)
    ? foreign(describeImportError(fault), 1000)
    : `${foreign(fault.where)}: expected ${fault.expected} (${fault.code})`;
  console.error(`lab: ${what}; nothing was written`);
}

function print({ identities, file_size, path }: Staged, json: boolean): void {
  const { artifact_id, whole_file } = identities;
  const artifact_class = CLASS_NAMES[identities.class];
  if (json) {
    console.log(JSON.stringify({ artifact_class, artifact_id, whole_file, file_size, path }));
  } else {
    console.log(`${artifact_class.padEnd(16)} ${artifact_id}  ${bytesText(file_size)}`);
  }
}
