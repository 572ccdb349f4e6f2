/** `pack`: other people's files become SLM2 artifacts. */
import { Command } from "commander";
import {
  describeImportError,
  type ImportError,
  isImportError,
} from "../../corpus/importers/import.ts";
import { packGgufVocab } from "../../corpus/importers/pack_gguf_vocab.ts";
import { keepDense, MATRIX_ROLES, type StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { packLlama2c } from "../../corpus/importers/pack_llama2c.ts";
import { quantiseTo } from "../../corpus/importers/quantise.ts";
import { type Staged, TEMPORARY_PREFIX } from "../../corpus/store.ts";
import { isWriteError, type WriteError } from "../../corpus/writer/fault.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { foreign } from "../../reports/terminal.ts";
import { bytesText, CLASS_NAMES } from "../../reports/words.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { openFile } from "../files.ts";
import { leavingNothing } from "../interrupt.ts";
import { repeated } from "../options.ts";

export default function (): Command {
  return new Command()
    .description(
      "Imports files of other formats and writes SLM2 artifacts into a store: a folder where each\n" +
        "artifact is named by its id. Bad input is named with file, place and what was expected,\n" +
        "and nothing is written then.",
    )
    .addCommand(llama2c())
    .addCommand(ggufVocab())
    .addHelpText(
      "after",
      `
Example, and what to do with the id of the composition, which is printed last:
  deno task lab pack llama2c corpus/models/fable/fable.bin \\
    --tokenizer corpus/models/fable/fable-tok.bin --out store
  deno task lab run COMPOSITION_ID --store store --prompt "Once upon a time"`,
    );
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
      "with --quant, a role whose matrices stay f32, ffn-down say; repeat",
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

Profiles: ${[...REGISTERED.keys()].join(", ")}
Roles: ${MATRIX_ROLES.join(", ")}`,
    )
    .action(packModel);
}

async function packModel(model: string, options: Llama2cOptions): Promise<void> {
  const { quant, keep, tokenizer, out, json = false } = options;
  const store = storing(quant, keep);
  for (const path of [model, tokenizer]) openFile(path).close();
  const packed = await packing(out, () => packLlama2c({ model, tokenizer, out, store }));
  if (isImportError(packed) || isWriteError(packed)) return refuse(packed);
  for (const artifact of [packed.base, packed.tokenizer, packed.composition]) print(artifact, json);
}

/** Packs into `out`, where an interrupt leaves no temporary file. */
function packing<T>(out: string, pack: () => T): Promise<T> {
  if (out === "") throw new UsageError("--out '' is no folder");
  return leavingNothing({ folder: out, prefix: TEMPORARY_PREFIX }, pack);
}

function storing(quant: string, keep: readonly string[]): StoreMatrix {
  const unknown = keep.find((role) => !(MATRIX_ROLES as readonly string[]).includes(role));
  if (unknown !== undefined) {
    throw new UsageError(`--keep ${unknown}: one of ${MATRIX_ROLES.join(", ")}`);
  }
  if (quant === "none" && keep.length > 0) throw new UsageError("--keep goes with --quant alone");
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
    .action(async (file: string, { out, json }: { out: string; json?: boolean }) => {
      openFile(file).close();
      const packed = await packing(out, () => packGgufVocab(file, out));
      if (isImportError(packed) || isWriteError(packed)) return refuse(packed);
      print(packed, json ?? false);
    });
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
