/** `pack lora`: a low-rank adapter of a base. */
import { Command, InvalidArgumentError } from "commander";
import { isImportError } from "../../corpus/importers/import.ts";
import { decimalRational, importLora } from "../../corpus/importers/lora.ts";
import { readSafeTensors } from "../../corpus/importers/safetensors.ts";
import type { Rational } from "../../corpus/writer/bodies.ts";
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { architecture } from "../../readers/runtime/manifest.ts";
import { openFile } from "../files.ts";
import { wholeNumber } from "../options.ts";
import { artifactFor, putInto, report } from "./artifacts.ts";
import { targets } from "./targets.ts";

interface Options {
  base: string;
  alpha?: Rational;
  rank?: number;
  halfSplit?: boolean;
  out: string;
  json?: boolean;
}

const BASE = 2;

export function packLora(): Command {
  return new Command("lora")
    .argument("<file>", "a LoRA adapter as PEFT writes it (.safetensors)")
    .requiredOption("--base <id>", "the base that it changes: its id in the store, or a file")
    .option("--alpha <a>", "its lora_alpha: the scale is alpha / rank; absent: 1", alpha)
    .option("--rank <r>", "its rank, to hold it against the tensors", wholeNumber(1))
    .option(
      "--half-split",
      "its q and k are in the order of a Hugging Face checkpoint, though the base turns adjacent pairs",
    )
    .requiredOption("--out <dir>", "the store to write into")
    .option("--json", "one JSON object")
    .description(
      "A low-rank adapter: writes it for a base. Its rows are in the order of the base's.",
    )
    .addHelpText(
      "after",
      `
Example:
  deno task lab pack lora adapter_model.safetensors --base BASE_ID --alpha 16 --out store
  deno task lab pack composition --base BASE_ID --tokenizer TOKENIZER_ID --adapter ADAPTER_ID \\
    --out store`,
    )
    .action(pack);
}

function alpha(text: string): Rational {
  const value = decimalRational(text);
  if (value === null) throw new InvalidArgumentError("a decimal number is expected, as 16 or 0.5.");
  return value;
}

async function pack(path: string, options: Options): Promise<void> {
  const { base: name, alpha, rank, out, json } = options;
  const source = openFile(path);
  try {
    using base = await artifactFor(name, out, BASE);
    if (base === null) return;
    const tensors = readSafeTensors(source, path);
    if (isImportError(tensors)) return report(tensors);
    const { llama } = architecture(base.candidate);
    const halfSplit = options.halfSplit ? llama?.head_dim : undefined;
    const how = { alpha, rank, halfSplit };
    const operations = importLora(tensors, path, targets(base.candidate), how);
    if (isImportError(operations)) return report(operations);
    report(await putInto(out, adapter(base.identities, operations)), json);
  } finally {
    source.close();
  }
}
