/** Files that a person names on the command line, as counted sources. */
import type { Source } from "../readers/contract.ts";
import { fileSource } from "../readers/source.ts";
import { UsageError } from "./exit.ts";
import { progress } from "./progress.ts";

/**
 * Opens `path`, calls `use` with a source over it, and closes it. Reading shows progress.
 * @param passes how often `use` reads the whole file, for the progress bar
 * @throws UsageError where there is no such file, or it is none
 */
export function withFile<T>(path: string, passes: number, use: (source: Source) => T): T {
  const source = open(path);
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

function open(path: string) {
  try {
    const stat = Deno.statSync(path);
    if (!stat.isFile) throw new UsageError(`${path} is not a regular file`);
    return fileSource(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new UsageError(`${path}: no such file`);
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new UsageError(`${path}: may not be read`);
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
