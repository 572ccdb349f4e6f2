/** Files that a person names on the command line, as counted sources. */
import { join } from "node:path";
import { artifactFile } from "../corpus/store.ts";
import type { Source } from "../readers/contract.ts";
import { type FileSource, fileSource } from "../readers/source.ts";
import { openStore, type Store } from "../readers/runtime/store.ts";
import { foreign } from "../reports/terminal.ts";
import { UsageError } from "./exit.ts";
import { progress } from "./progress.ts";

/**
 * Opens `path`, calls `use` with a source over it, and closes it. Reading shows progress.
 * @param passes how often `use` reads the whole file, for the progress bar
 * @throws UsageError where there is no such file, or it is none
 */
export function withFile<T>(path: string, passes: number, use: (source: Source) => T): T {
  const source = openFile(path);
  const bar = progress(path, source.size() * passes, "bytes");
  let done = 0;
  try {
    return use({
      size: () => source.size(),
      read(offset, into) {
        const n = source.read(offset, into);
        bar.update(done += n);
        return n;
      },
    });
  } finally {
    bar.stop();
    source.close();
  }
}

/**
 * Opens the file that a person named. What is no regular file is never opened: a pipe would wait.
 * @throws UsageError where there is no such file, or it is none, or may not be read
 */
export function openFile(path: string): FileSource {
  return named(path, "file", () => {
    if (!Deno.statSync(path).isFile) {
      throw new UsageError(`${foreign(path, 1000)} is not a regular file`);
    }
    return fileSource(path);
  });
}

/**
 * The path of an artifact that a person named: by its path, or, where a store is given too, by its
 * id in that store.
 * @throws UsageError where the store is none, or has no such artifact
 */
export function artifactPath(name: string, store?: string): string {
  if (store === undefined || !ARTIFACT_ID.test(name)) return name;
  const opened = openNamedStore(store).open(name);
  if (opened === null) throw new UsageError(`${foreign(store, 1000)} holds no ${name}`);
  opened.close();
  return join(store, artifactFile(name));
}

const ARTIFACT_ID = /^[0-9a-f]{64}$/;

/**
 * Opens the store that a person named.
 * @throws UsageError where there is no such folder, or it is none, or may not be read
 */
export function openNamedStore(path: string): Store {
  return named(path, "folder", () => openStore(path));
}

/**
 * Holds that the folder that a person named is one: a mistyped name is not an empty folder.
 * @throws UsageError where there is none, or it is no folder, or may not be read
 */
export function openFolder(path: string): void {
  named(path, "folder", () => Deno.readDirSync(path)[Symbol.iterator]().next());
}

function named<T>(path: string, kind: "file" | "folder", open: () => T): T {
  const quoted = path === "" ? "''" : foreign(path, 1000);
  try {
    return open();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UsageError(`${quoted}: no such ${kind}`);
    if (error instanceof Deno.errors.NotADirectory) {
      throw new UsageError(`${quoted} is not a folder`);
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new UsageError(`${quoted}: may not be read`);
    }
    throw error;
  }
}

/**
 * Writes `path` as a whole or not at all: under a temporary name, which is then renamed.
 * `make` is given how to append bytes; whatever it gives but null means that nothing is kept.
 */
export function replaceFile<T>(
  path: string,
  make: (write: (bytes: Uint8Array) => void) => T | null,
): T | null {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  const file = Deno.openSync(temporary, { write: true, createNew: true });
  let kept = false;
  try {
    const fault = make((bytes) => {
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    });
    if (fault === null) {
      file.syncDataSync();
      Deno.renameSync(temporary, path);
      kept = true;
    }
    return fault;
  } finally {
    file.close();
    if (!kept) Deno.removeSync(temporary);
  }
}
