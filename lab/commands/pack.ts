/** `pack`: other people's files become SLM2 artifacts. */
import { Command } from "commander";
import { isImportError } from "../../corpus/importers/import.ts";
import { packGgufVocab } from "../../corpus/importers/pack_gguf_vocab.ts";
import { keepDense, MATRIX_ROLES, type StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { packLlama2c, PASSES } from "../../corpus/importers/pack_llama2c.ts";
import { quantiseTo } from "../../corpus/importers/quantise.ts";
import { TEMPORARY_PREFIX } from "../../corpus/store.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { REGISTERED } from "../../corpus/writer/profiles.ts";
import { foreign } from "../../reports/terminal.ts";
import { UsageError } from "../exit.ts";
import { openFile } from "../files.ts";
import { leavingNothing } from "../interrupt.ts";
import { repeated } from "../options.ts";
import { packAdapter } from "../pack/adapter.ts";
import { report } from "../pack/artifacts.ts";
import { packChat } from "../pack/chat.ts";
import { packComposition } from "../pack/composition.ts";
import { packLora } from "../pack/lora.ts";
import { progress } from "../progress.ts";

export default function (): Command {
  return new Command()
    .description(
      "Imports files of other formats and writes SLM2 artifacts into a store: a folder where each\n" +
        "artifact is named by its id. Bad input is named with file, place and what was expected,\n" +
        "and nothing is written then.",
    )
    .addCommand(llama2c())
    .addCommand(ggufVocab())
    .addCommand(packChat())
    .addCommand(packLora())
    .addCommand(packAdapter())
    .addCommand(packComposition())
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
  const passes = quant === "none" ? PASSES.dense : PASSES.quantised;
  const bar = progress(`pack ${model}`, passes * Deno.statSync(model).size, "bytes");
  let done = 0;
  const observe = (bytes: number) => bar.update(done += bytes);
  const packed = await packing(out, () => packLlama2c({ model, tokenizer, out, store, observe }));
  bar.stop();
  if (isImportError(packed) || isWriteError(packed)) return report(packed);
  for (const one of [packed.base, packed.tokenizer, packed.composition]) report(one, json);
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
      report(await packing(out, () => packGgufVocab(file, out)), json);
    });
}
