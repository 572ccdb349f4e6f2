/**
 * The folder of findings: one folder a bucket, with the input and all that is known of it. A folder
 * appears whole or not at all, whatever ends the process.
 */
import type { Flaw } from "./subject.ts";

/** Where in a campaign an input was executed. */
export interface Origin {
  readonly seed: number;
  readonly round: number;
  readonly slice: number;
  readonly execution: number;
}

/** What `finding.json` holds. */
export interface Finding extends Flaw {
  readonly origin?: Origin;
  /** reproduces it */
  readonly replay: string;
}

export const INPUT = "input.slm";
export const MINIMIZED = "minimized.slm";
export const RECORD = "finding.json";

/** A name for a bucket: its class and a hash of its key. */
export async function bucketName({ class: kind, key }: Flaw): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `${kind}-${new Uint8Array(hash, 0, 6).toHex()}`;
}

/**
 * Files a finding below `folder`, unless its bucket is there.
 * @returns the path of its folder, and whether it is new
 * @throws Deno.errors.* where the folder cannot be written
 */
export async function fileFinding(
  folder: string,
  flaw: Flaw,
  input: Uint8Array,
  origin?: Origin,
): Promise<{ path: string; fresh: boolean }> {
  const path = `${folder}/${await bucketName(flaw)}`;
  if (exists(path)) return { path, fresh: false };
  const finding: Finding = { ...flaw, origin, replay: `deno task lab replay ${path}` };
  Deno.mkdirSync(folder, { recursive: true });
  const draft = Deno.makeTempDirSync({ dir: folder, prefix: ".draft-" });
  writeSynced(`${draft}/${INPUT}`, input);
  writeSynced(`${draft}/${RECORD}`, JSON.stringify(finding, null, 2) + "\n");
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

/** Reads a finding's folder; a file that is none is an input without a record. */
export function readFinding(path: string): { input: Uint8Array; finding: Finding | null } {
  if (Deno.statSync(path).isFile) return { input: Deno.readFileSync(path), finding: null };
  return {
    input: Deno.readFileSync(`${path}/${INPUT}`),
    finding: JSON.parse(Deno.readTextFileSync(`${path}/${RECORD}`)),
  };
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
