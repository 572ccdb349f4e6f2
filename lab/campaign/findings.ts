/**
 * The folder of findings: one folder a bucket, with the input and all that is known of it. A folder
 * appears whole or not at all, whatever ends the process.
 */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../exit.ts";
import type { Origin } from "./filing.ts";
import type { Flaw } from "./subject.ts";

/** What is kept of a finding besides its flaw and its input. */
export interface Circumstances {
  readonly origin?: Origin;
  /** the seeded fault without which it does not show */
  readonly fault?: string;
}

/** What `finding.json` holds. */
export interface Finding extends Flaw, Circumstances {
  /** reproduces it */
  readonly replay: string;
  /** of growing work: the probe at the size of the smaller input */
  readonly minimizedProbe?: string;
}

export const INPUT = "input.slm";
export const MINIMIZED = "minimized.slm";
export const RECORD = "finding.json";

const DRAFT = ".draft-";

/** A name for a bucket: its class and a hash of its key. */
export function bucketName({ class: kind, key }: Flaw): string {
  return `${kind}-${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
}

/**
 * Files a finding below `folder`, unless its bucket is there. It is on the disk when this returns.
 * @returns the path of its folder, and whether it is new
 * @throws Deno.errors.* where the folder cannot be written
 */
export function fileFinding(
  folder: string,
  flaw: Flaw,
  input: Uint8Array,
  circumstances: Circumstances = {},
): { path: string; fresh: boolean } {
  const path = `${folder}/${bucketName(flaw)}`;
  if (exists(path)) return { path, fresh: false };
  const finding: Finding = { ...flaw, ...circumstances, replay: `deno task lab replay ${path}` };
  Deno.mkdirSync(folder, { recursive: true });
  const draft = Deno.makeTempDirSync({ dir: folder, prefix: DRAFT });
  writeSynced(`${draft}/${INPUT}`, input);
  writeSynced(`${draft}/${RECORD}`, JSON.stringify(finding, null, 2) + "\n");
  syncFolder(draft);
  try {
    Deno.renameSync(draft, path);
  } catch (error) {
    Deno.removeSync(draft, { recursive: true });
    if (exists(path)) return { path, fresh: false };
    throw error;
  }
  syncFolder(folder);
  return { path, fresh: true };
}

/** An input, what is known of it, and the folder of its finding, where that is what was named. */
export interface Read {
  readonly input: Uint8Array;
  readonly finding: Finding | null;
  readonly folder: string | null;
}

/**
 * Reads a finding's folder, or a file: one of a finding has its record beside it, any other has none.
 * @throws UsageError for a folder of no finding
 */
export function readFinding(path: string): Read {
  if (Deno.statSync(path).isFile) {
    return { input: Deno.readFileSync(path), finding: recordBeside(path), folder: null };
  }
  if (!exists(`${path}/${INPUT}`)) {
    throw new UsageError(
      `${path} is neither a file nor the folder of a finding: no ${INPUT} in it`,
    );
  }
  return {
    input: Deno.readFileSync(`${path}/${INPUT}`),
    finding: JSON.parse(Deno.readTextFileSync(`${path}/${RECORD}`)),
    folder: path,
  };
}

/** The record of the finding of which a file is the input, as it was found or made smaller. */
function recordBeside(path: string): Finding | null {
  const name = basename(path), record = join(dirname(path), RECORD);
  if (name !== INPUT && name !== MINIMIZED || !exists(record)) return null;
  const finding: Finding = JSON.parse(Deno.readTextFileSync(record));
  return name === INPUT ? finding : { ...finding, probe: finding.minimizedProbe ?? finding.probe };
}

/** Writes the smaller input of a finding into its folder. @param probe that of growing work, at its size */
export function keepMinimized(
  { folder, finding }: Read,
  input: Uint8Array,
  probe?: string,
): string {
  const path = join(folder!, MINIMIZED);
  writeSynced(path, input);
  if (probe !== undefined) {
    const record = JSON.stringify({ ...finding, minimizedProbe: probe }, null, 2) + "\n";
    const draft = join(folder!, `${DRAFT}${RECORD}`);
    writeSynced(draft, record);
    Deno.renameSync(draft, join(folder!, RECORD));
  }
  return path;
}

/** All findings below `folder`; drafts that a process left when it was killed are removed. */
export function filedFindings(folder: string) {
  if (!exists(folder)) return [];
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (name.startsWith(DRAFT)) removeFinding(path);
    if (!isDirectory || name.startsWith(".")) return [];
    const { input, finding } = readFinding(path);
    return finding === null ? [] : [{ input, finding, path }];
  });
}

/** Takes a finding away; one under another key is there in its place. */
export function removeFinding(path: string): void {
  Deno.removeSync(path, { recursive: true });
}

/** Writes a file and waits until it is on the disk. */
export function writeSynced(path: string, content: Uint8Array | string): void {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  using file = Deno.openSync(path, { write: true, create: true, truncate: true });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncSync();
}

/** Windows does not open folders, and needs no sync of them. */
function syncFolder(path: string): void {
  if (Deno.build.os === "windows") return;
  using folder = Deno.openSync(path, { read: true });
  folder.syncSync();
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
