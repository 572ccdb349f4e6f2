/** `lab corpus`: builds the golden corpus, proves the committed one, publishes it. */
import { Command } from "commander";
import { join } from "node:path";
import { build, type Built } from "../../corpus/build.ts";
import { coverage, gaps, type Part } from "../../corpus/coverage.ts";
import { parseIndex } from "../../corpus/index.ts";
import { archiveName, members } from "../../corpus/publish.ts";
import { SEED } from "../../corpus/recipes/library.ts";
import { tar } from "../../corpus/tar.ts";
import { patchFaults, rebuildFaults, writeBigFiles, writeGolden } from "../corpus/folder.ts";
import { hold } from "../corpus/judge.ts";
import { ledgerFaults, writeLedger } from "../corpus/ledger.ts";
import { neighbourFaults } from "../corpus/neighbours.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { replaceFile } from "../files.ts";
import { progress } from "../progress.ts";
import { loadReaders, READER_NAMES } from "../readers.ts";

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const name = ({ index }: Built) => `corpus ${index.version}  ${index.content_id}`;

function buildCommand(options: { big?: true; release?: true }): void {
  const built = build();
  if (options.release) writeLedger(built.index);
  const size = writeGolden(built);
  if (options.big) writeBigFiles();
  console.log(`${built.index.entries.length} cases, ${mib(size)}\n${name(built)}`);
}

interface CheckOptions {
  readonly reader: string;
  readonly big?: true;
  readonly json?: true;
}

async function check({ reader: names, big, json }: CheckOptions): Promise<void> {
  const built = build();
  const { index } = built;
  // holds it against its schema, and ids, parents and clauses against each other
  parseIndex(JSON.stringify(index));
  const faults = [...rebuildFaults(built), ...patchFaults(built), ...ledgerFaults(index)];
  const readers = await loadReaders(names);
  for (const reader of readers) {
    const bar = progress(reader.name, index.entries.length, "cases");
    faults.push(...await hold(reader, built, { big, done: bar.update }));
    bar.stop();
  }
  const neighbours = neighbourFaults(readers);
  faults.push(...neighbours.faults);
  const parts = coverage(index);
  const { uncovered, stale } = gaps(parts);
  if (json) {
    const { content_id, entries } = index, { groups } = neighbours;
    console.log(
      JSON.stringify({ content_id, cases: entries.length, faults, uncovered, stale, groups }),
    );
  } else {
    for (const line of neighbours.groups) console.log(line);
    printCoverage(parts, uncovered, stale);
    for (const line of faults) console.log(line);
    const accepted = index.entries.filter(({ expected }) => expected.verdict === "accept").length;
    console.log(
      `${accepted} accepted, ${index.entries.length - accepted} rejected\n${name(built)}`,
    );
  }
  if (faults.length + uncovered.length + stale.length > 0) setExit(EXIT.broken);
}

function printCoverage(parts: readonly Part[], uncovered: string[], stale: string[]): void {
  for (const { name, rows } of parts) {
    const covered = rows.filter(({ cases }) => cases > 0).length;
    const excused = rows.filter(({ cases, why }) => cases === 0 && why).length;
    console.log(`${name}: ${covered} of ${rows.length} covered, ${excused} not, with a reason`);
  }
  for (const line of uncovered) console.log(`uncovered: ${line}`);
  for (const line of stale) console.log(`covered, though listed as uncovered: ${line}`);
}

function publish({ out, key }: { out: string; key?: string }): void {
  const seed = key === undefined ? SEED : readKey(key);
  const built = build();
  if (key === undefined) {
    console.error("lab: signed with the test key of RFC 8032, which everyone has: pass --key");
  }
  const path = join(out, `${archiveName(built)}.tar`);
  Deno.mkdirSync(out, { recursive: true });
  let size = 0;
  replaceFile(path, (write) => {
    for (const part of tar(members(built, seed))) {
      write(part);
      size += part.length;
    }
    return null;
  });
  console.log(`${path}  ${mib(size)}\n${name(built)}`);
}

function readKey(path: string): Uint8Array {
  const text = Deno.readTextFileSync(path).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new UsageError(
      `${path} is no key: 64 lowercase hexadecimal digits, the seed of RFC 8032`,
    );
  }
  return Uint8Array.fromHex(text);
}

export default function (): Command {
  const command = new Command("corpus").description(
    "The golden corpus: made from recipes, proved against the readers and the specification.",
  );
  command.command("build").description("Writes corpus/golden from the recipes.")
    .option("--big", "also the files at the limits of size, into golden/big, which git ignores")
    .option("--release", "also the ledger, which fixes what every id means from now on")
    .action(buildCommand);
  command.command("check")
    .description(
      "Proves that the committed corpus is what the recipes build, that the readers answer as it\n" +
        "says, that the neighbours' vectors hold, and that no sentence of the specification and no\n" +
        "code is left out without a written reason.",
    )
    .option("--reader <names>", "readers to hold against it", READER_NAMES.join(","))
    .option("--big", "with the big files, after build --big")
    .option("--json", "one object, for machines")
    .action(check);
  command.command("publish")
    .description(
      "Writes one reproducible archive: all files expanded, a signed manifest, a README.",
    )
    .requiredOption("--out <folder>", "where to")
    .option("--key <file>", "seed of the Ed25519 key to sign with, 64 hexadecimal digits")
    .action(publish);
  return command;
}
