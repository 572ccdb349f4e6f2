/** `corpus/golden` on disk: written from the recipes, and held against them. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBig } from "../../corpus/big_build.ts";
import type { Built } from "../../corpus/build.ts";
import { committedFiles, GOLDEN } from "../../corpus/golden.ts";
import { applyPatch } from "../../corpus/index.ts";
import { TEXTS } from "../../corpus/publish.ts";
import { MAKERS } from "../../corpus/recipes/big.ts";
import { progress } from "../progress.ts";

const FOLDER = fileURLToPath(GOLDEN);

/** Texts that people write, and the ledger, which only a release writes. */
const WRITTEN = new Set<string>([...TEXTS, ".gitignore", "ledger.txt"]);

/** Whether a file comes from a recipe of its own, and is not committed. */
const isBig = (path: string) => path.startsWith("big/");

/** Every file of a folder, by its path there with forward slashes. */
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

/**
 * Writes the committed files, and removes those that no recipe builds any more.
 * @returns how many bytes they have
 */
export function writeGolden(built: Built): number {
  const files = committedFiles(built);
  for (const path of onDisk()) {
    if (!files.has(path) && !WRITTEN.has(path) && !isBig(path)) Deno.removeSync(join(FOLDER, path));
  }
  let size = 0;
  for (const [path, bytes] of files) {
    Deno.mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
    Deno.writeFileSync(join(FOLDER, path), bytes);
    size += bytes.length;
  }
  return size;
}

/** Writes the big files that are not there in their size. */
export function writeBigFiles(): void {
  Deno.mkdirSync(join(FOLDER, "big"), { recursive: true });
  const bar = progress("big files", MAKERS.size, "files");
  for (const [i, [path, make]] of [...MAKERS].entries()) {
    bar.update(i);
    writeBig(join(FOLDER, path), make());
  }
  bar.stop();
}

/** What is wrong with the committed corpus, a line each. */
export function* rebuildFaults(built: Built): Generator<string> {
  const files = committedFiles(built);
  for (const path of onDisk()) {
    if (!files.has(path) && !WRITTEN.has(path) && !isBig(path)) {
      yield `golden/${path} comes from no recipe`;
    }
  }
  for (const [path, bytes] of files) {
    const committed = read(path);
    if (committed === null) yield `golden/${path} is not there`;
    else if (!equal(committed, bytes)) yield `golden/${path} is not what its recipe builds`;
  }
}

function read(path: string): Uint8Array | null {
  try {
    return Deno.readFileSync(join(FOLDER, path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

const equal = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Each corrupt file is its parent and a patch, and its parent is a case that is accepted. */
export function* patchFaults({ index, files }: Built): Generator<string> {
  const byId = new Map(index.entries.map((entry) => [entry.id, entry]));
  for (const { id, file, parent, patch } of index.entries) {
    if (parent === undefined) continue;
    const valid = byId.get(parent)!;
    if (valid.expected.verdict !== "accept") yield `${id}: its parent ${parent} is not accepted`;
    const made = applyPatch(files.get(valid.file!)!.bytes, patch!);
    if (!equal(made, files.get(file!)!.bytes)) yield `${id}: its patch does not make its file`;
  }
}
