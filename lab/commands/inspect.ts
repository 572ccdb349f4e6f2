/** `inspect FILE`: the public-safe facts of an artifact, nothing else. */
import { Command } from "commander";
import { styleText } from "node:util";
import type { Candidate } from "../../readers/contract.ts";
import { inspection, rejection } from "../../reports/inspection.ts";
import { ITEM_LIMIT, type Row, rows } from "../../reports/inspection_rows.ts";
import { foreign } from "../../reports/terminal.ts";
import { STAGE_NAMES } from "../../reports/words.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { artifactPath, openNamedStore, replaceFile, withFile } from "../files.ts";
import { loadReader } from "../readers.ts";

interface Options {
  reader: string;
  store?: string;
  extensions?: boolean;
  json?: boolean;
  page?: string;
}

export default function (): Command {
  return new Command()
    .argument("[file]", "an SLM2 artifact; with --store, its id in it too")
    .option("--reader <name>", "the reader that judges it: cursor or table", "cursor")
    .option("--store <dir>", "also say by how many bytes this store would grow")
    .option("--extensions", "also show the extensions, bounded and escaped")
    .option("--json", "one JSON object")
    .option(
      "--page <html>",
      "write a page that inspects files in a browser, offline; --extensions ticks its box",
    )
    .description(
      "Shows what may be shown of an artifact to anyone: class, identities, sizes, which other\n" +
        "artifacts it names. No file name, tensor name, prompt, payload or local path.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  deno task lab inspect model.slm --json\n  deno task lab inspect --page inspect.html",
    )
    .action(inspect);
}

async function inspect(path: string | undefined, options: Options): Promise<void> {
  if (options.page !== undefined) {
    if (path !== undefined) throw new UsageError("--page takes no file: its page does");
    // bundling is loaded only where it is needed
    const { inspectPage } = await import("../browser/inspect_page.ts");
    const page = await inspectPage({ extensions: options.extensions });
    replaceFile(options.page, (write) => {
      write(new TextEncoder().encode(page));
      return null;
    });
    return;
  }
  if (path === undefined) throw new UsageError("inspect needs a file, or --page");
  const reader = await loadReader(options.reader);
  withFile(artifactPath(path, options.store), 1, (source) => {
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
    else for (const row of rows(facts)) print(row);
  });
}

/** By how much a store grows that takes this artifact in: nothing where it is kept already. */
function incrementalBytes(folder: string, { identities, file_size }: Candidate): number {
  const kept = openNamedStore(folder).open(identities.artifact_id);
  kept?.close();
  return kept === null ? file_size : 0;
}

function print({ label, text, items }: Row): void {
  console.log(`${label.padEnd(20)} ${foreign(text)}`);
  for (const item of items) console.log(`${" ".repeat(20)} ${foreign(item, ITEM_LIMIT)}`);
}
