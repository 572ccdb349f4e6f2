/** `lab corpus`: builds the golden corpus, and proves the committed one. */
import { Command } from "commander";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Built } from "../../corpus/build.ts";
import { coverage, gaps } from "../../corpus/coverage.ts";
import { committedFiles, GOLDEN } from "../../corpus/golden.ts";
import { applyPatch, parseIndex } from "../../corpus/index.ts";
import { EXIT, setExit } from "../exit.ts";
import { progress } from "../progress.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";
import { hold } from "../corpus/judge.ts";

const FOLDER = fileURLToPath(GOLDEN);

/** Texts of `golden/` that people write. */
const WRITTEN = new Set(["CHANGELOG.md", "README.md"]);

function writeGolden(built: Built): void {
  const files = committedFiles(built);
  for (const path of onDisk()) {
    if (!files.has(path) && !WRITTEN.has(path)) Deno.removeSync(join(FOLDER, path));
  }
  for (const [path, bytes] of files) {
    Deno.mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
    Deno.writeFileSync(join(FOLDER, path), bytes);
  }
  const size = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  console.log(
    `${built.index.entries.length} cases, ${files.size} files, ${(size / 2 ** 20).toFixed(1)} MiB`,
  );
  console.log(`corpus ${built.index.version}  ${built.index.content_id}`);
}

function onDisk(folder = ""): string[] {
  const found: string[] = [];
  try {
    for (const { name, isDirectory } of Deno.readDirSync(join(FOLDER, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (isDirectory) found.push(...onDisk(path));
      else found.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}

/** What is wrong with the committed corpus, a line each. */
function* rebuildFaults(built: Built): Generator<string> {
  const files = committedFiles(built);
  for (const path of onDisk()) {
    if (!files.has(path) && !WRITTEN.has(path)) yield `golden/${path} comes from no recipe`;
  }
  for (const [path, bytes] of files) {
    let committed: Uint8Array;
    try {
      committed = Deno.readFileSync(join(FOLDER, path));
    } catch {
      yield `golden/${path} is not there`;
      continue;
    }
    if (committed.length !== bytes.length || committed.some((byte, i) => byte !== bytes[i])) {
      yield `golden/${path} is not what its recipe builds`;
    }
  }
}

/** Each corrupt file is its parent and a patch, and its parent is a case that is accepted. */
function* patchFaults({ index, files }: Built): Generator<string> {
  const byId = new Map(index.entries.map((entry) => [entry.id, entry]));
  for (const { id, file, parent, patch } of index.entries) {
    if (parent === undefined) continue;
    const valid = byId.get(parent)!;
    if (valid.expected.verdict !== "accept") yield `${id}: its parent ${parent} is not accepted`;
    const made = applyPatch(files.get(valid.file!)!.bytes, patch!);
    const { bytes } = files.get(file!)!;
    if (made.length !== bytes.length || made.some((byte, i) => byte !== bytes[i])) {
      yield `${id}: its patch does not make its file`;
    }
  }
}

async function check(options: { reader: string; json?: true }): Promise<void> {
  const built = build();
  parseIndex(JSON.stringify(built.index));
  const faults = [...rebuildFaults(built), ...patchFaults(built)];
  const { entries } = built.index;
  for (const reader of await loadReaders(options.reader)) {
    const bar = progress(reader.name, entries.length, "cases");
    const found = await hold(reader, built, bar.update);
    bar.stop();
    faults.push(
      ...found.map(({ id, expected, actual }) =>
        `${id}: ${reader.name} says ${actual}; the specification ${expected}`
      ),
    );
  }
  const parts = coverage(built.index);
  const { uncovered, stale } = gaps(parts);
  if (options.json) {
    console.log(
      JSON.stringify({
        content_id: built.index.content_id,
        cases: entries.length,
        faults,
        uncovered,
        stale,
      }),
    );
  } else {
    for (const { name, rows } of parts) {
      const covered = rows.filter(({ cases }) => cases > 0).length;
      const reasons = rows.filter(({ cases, why }) => cases === 0 && why).length;
      console.log(
        `${name.padEnd(10)} ${covered} of ${rows.length} covered, ${reasons} not with a reason`,
      );
    }
    for (const line of uncovered) console.log(`uncovered: ${line}`);
    for (const line of stale) console.log(`covered, though listed as uncovered: ${line}`);
    for (const line of faults) console.log(line);
    const accepted = entries.filter(({ expected }) => expected.verdict === "accept").length;
    console.log(
      `${accepted} accepted and ${
        entries.length - accepted
      } rejected cases, corpus ${built.index.content_id}`,
    );
  }
  if (faults.length + uncovered.length + stale.length > 0) setExit(EXIT.broken);
}

export default function (): Command {
  const command = new Command("corpus").description(
    "The golden corpus: made from recipes, proved against the readers.",
  );
  command.command("build").description("writes corpus/golden from the recipes").action(() =>
    writeGolden(build())
  );
  command.command("check")
    .description(
      "proves that the committed corpus is what the recipes build, that the readers answer\nas it says, and that nothing of the specification is left out without a reason",
    )
    .option("--reader <names>", "readers to hold against it", READER_NAMES.join(","))
    .option("--json", "one object, for machines")
    .action(check);
  return command;
}
