/**
 * A folder of artifacts by identity: `<artifact_id>.slm`. A file becomes visible whole, synced
 * and by one rename, or not at all; its name is made from a digest and from nothing else.
 */
import { join } from "node:path";
import type { Identities } from "../readers/contract.ts";
import type { Description, Target } from "./writer/description.ts";
import { isWriteError, type WriteError } from "./writer/fault.ts";
import { writeTo } from "./writer/write.ts";

/** An artifact that is written and synced, but not yet under its name. */
export interface Staged {
  readonly identities: Identities;
  readonly file_size: number;
  /** where `commit` puts it */
  readonly path: string;
  /** Renames it into place, over a file of the same identity, which may be damaged. */
  commit(): void;
  /** Removes it. Does nothing after `commit`, or a second time. */
  discard(): void;
}

/** How the names of this process's temporary files in a store begin. */
export const TEMPORARY_PREFIX = `.${crypto.randomUUID()}-`;
let temporaries = 0;

/** The name under which a store keeps an artifact. */
export const artifactFile = (artifact_id: string): string => `${artifact_id}.slm`;

/**
 * Writes an artifact into `folder` under a temporary name.
 * @returns the staged file, or the description's fault, with nothing left behind
 * @throws Deno.errors.* where the folder cannot be written, with nothing left behind
 */
export function stage(
  folder: string,
  description: Description,
  options: { readonly pieces?: boolean } = {},
): Staged | WriteError {
  const temporary = join(folder, `${TEMPORARY_PREFIX}${temporaries++}.tmp`);
  const file = Deno.openSync(temporary, { read: true, write: true, createNew: true });
  let kept = false;
  try {
    const written = writeTo(fileTarget(file), description, options);
    if (isWriteError(written)) return written;
    file.syncDataSync();
    kept = true;
    return stagedFile(folder, temporary, written.file_size, written.identities);
  } finally {
    file.close();
    if (!kept) Deno.removeSync(temporary);
  }
}

function stagedFile(
  folder: string,
  temporary: string,
  file_size: number,
  identities: Identities,
): Staged {
  const path = join(folder, artifactFile(identities.artifact_id));
  let pending = true;
  return {
    identities,
    file_size,
    path,
    commit() {
      Deno.renameSync(temporary, path);
      pending = false;
      syncFolder(folder);
    },
    discard() {
      if (pending) Deno.removeSync(temporary);
      pending = false;
    },
  };
}

/**
 * Writes an artifact into `folder`.
 * @returns its identities, or the description's fault
 * @throws Deno.errors.* where the folder cannot be written; nothing is left behind then
 */
export function put(folder: string, description: Description): Staged | WriteError {
  const staged = stage(folder, description);
  if (isWriteError(staged)) return staged;
  try {
    staged.commit();
  } finally {
    staged.discard();
  }
  return staged;
}

/** A target over an open file, written and read by position. */
export function fileTarget(file: Deno.FsFile): Target {
  const seek = (offset: number) => file.seekSync(offset, Deno.SeekMode.Start);
  return {
    write(offset, bytes) {
      seek(offset);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    },
    read(offset, into) {
      seek(offset);
      let filled = 0;
      while (filled < into.length) {
        const n = file.readSync(into.subarray(filled));
        if (n === null) break;
        filled += n;
      }
      return filled;
    },
  };
}

/** Makes renames in a folder durable, where the system opens folders (not on Windows). */
function syncFolder(folder: string): void {
  if (Deno.build.os === "windows") return;
  const handle = Deno.openSync(folder, { read: true });
  try {
    handle.syncSync();
  } finally {
    handle.close();
  }
}
