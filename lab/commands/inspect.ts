/** `inspect FILE`: the public-safe facts of an artifact, nothing else. */
import { Command } from "commander";
import { styleText } from "node:util";
import type { Candidate, Value } from "../../readers/contract.ts";
import { type Inspection, inspection, rejection } from "../../reports/inspection.ts";
import { foreign } from "../../reports/terminal.ts";
import { bytesText, STAGE_NAMES } from "../../reports/words.ts";
import { EXIT, setExit } from "../exit.ts";
import { withFile } from "../files.ts";
import { loadReaders } from "../readers.ts";
import { openStore } from "../../readers/runtime/store.ts";

interface Options {
  reader: string;
  store?: string;
  extensions?: boolean;
  json?: boolean;
}

export default function (): Command {
  return new Command()
    .argument("<file>", "an SLM2 artifact")
    .option("--reader <name>", "the reader that judges it: cursor or table", "cursor")
    .option("--store <dir>", "also say by how many bytes this store would grow")
    .option("--extensions", "also show the extensions, bounded and escaped")
    .option("--json", "one JSON object")
    .description(
      "Shows what may be shown of an artifact to anyone: class, identities, sizes, which other\n" +
        "artifacts it names. No file name, tensor name, prompt, payload or local path.",
    )
    .addHelpText("after", "\nExample:\n  deno task lab inspect model.slm --json")
    .action(inspect);
}

async function inspect(path: string, options: Options): Promise<void> {
  const [reader] = await loadReaders(options.reader);
  withFile(path, 1, (source) => {
    const { verdict, candidate } = reader.read({ source });
    if (verdict.verdict === "reject" || candidate === undefined) {
      setExit(EXIT.broken);
      if (verdict.verdict !== "reject") throw new Error(`${reader.name} gave no candidate`);
      if (options.json) return console.log(JSON.stringify(rejection(verdict)));
      const { stage, code, section, offset, expected } = verdict;
      console.log(`${styleText("red", "rejected")} at stage ${stage}, ${STAGE_NAMES[stage]}`);
      console.log(`  code      ${code}\n  section   ${section}`);
      if (offset !== undefined) console.log(`  offset    ${offset}`);
      if (expected !== undefined) console.log(`  expected  ${foreign(expected)}`);
      return;
    }
    const decoded = candidate();
    const facts = inspection(verdict, decoded, {
      extensions: options.extensions,
      ...(options.store !== undefined && {
        incremental_bytes: incrementalBytes(options.store, decoded),
      }),
    });
    if (options.json) console.log(JSON.stringify(facts));
    else for (const [name, text] of lines(facts)) console.log(`${name.padEnd(20)} ${text}`);
  });
}

/** By how much a store grows that takes this artifact in: nothing where it is kept already. */
function incrementalBytes(folder: string, { identities, file_size }: Candidate): number {
  const kept = openStore(folder).open(identities.artifact_id);
  kept?.close();
  return kept === null ? file_size : 0;
}

/** Fields as lines of text; lists indented below their count. */
function* lines(facts: Inspection): Generator<[string, string]> {
  for (const [key, value] of Object.entries(facts)) {
    const name = key.replaceAll("_", " ");
    if (value === undefined) continue;
    if (key.endsWith("_bytes")) yield [name, `${value} (${bytesText(Number(value))})`];
    else if (key === "requirements") {
      const { features, memory_bytes } = facts.requirements;
      yield [name, `${features.count} features, ${memory_bytes} bytes of memory`];
      for (const feature of features.shown) yield ["", foreign(feature)];
    } else if (isBounded(value)) {
      yield [
        name,
        value.count > value.shown.length ? `${value.count}, the first:` : `${value.count}`,
      ];
      for (const item of value.shown) {
        yield ["", typeof item === "string" ? foreign(item, 600) : Object.values(item).join("  ")];
      }
    } else if (Array.isArray(value)) yield [name, value.join(" ") || "none"];
    else yield [name, value === null ? "none" : foreign(String(value))];
  }
}

interface Listed {
  readonly count: number;
  readonly shown: readonly (string | Record<string, Value>)[];
}

function isBounded(value: unknown): value is Listed {
  return typeof value === "object" && value !== null && "shown" in value;
}
