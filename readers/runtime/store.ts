/**
 * A store: a folder of artifacts, each named by its artifact id, `<64 hex>.slm`. Whatever else
 * lies there is not looked at. Paths are made from ids alone, never from a name in a file.
 */
import type { Hex, Reader, Source, Verdict } from "../contract.ts";
import { type FileSource, fileSource } from "../source.ts";

export interface Store {
  /** The ids under which artifacts are kept, in ascending order. */
  ids(): Hex[];
  /**
   * Opens the artifact kept under `id`, unread: what its bytes are is the reader's to say.
   * null where there is no file of that name; a folder or a pipe is none. The caller closes it.
   */
  open(id: Hex): FileSource | null;
  /**
   * Copies an artifact in, in place of whatever was kept under its id. The copy is verified
   * by `reader` before it gets its name, in one durable step: a crash leaves the old file or
   * the new one. Nothing is kept of a rejected one.
   * @throws Deno.errors.* where the folder cannot be written
   */
  install(source: Source, reader: Reader): Verdict;
}

const NAME = /^([0-9a-f]{64})\.slm$/;

/**
 * The store in `folder`, which must be there.
 * @throws Deno.errors.* where it is no readable folder
 */
export function openStore(folder: string): Store {
  const path = (id: Hex) => `${folder}/${id}.slm`;
  Deno.readDirSync(folder);
  return {
    ids: () =>
      [...Deno.readDirSync(folder)].flatMap(({ name }) => NAME.exec(name)?.[1] ?? []).sort(),
    open(id) {
      if (!NAME.test(`${id}.slm`)) return null;
      try {
        // a pipe is not opened: it would wait for a writer
        return Deno.statSync(path(id)).isFile ? fileSource(path(id)) : null;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw error;
      }
    },
    install(source, reader) {
      const staged = Deno.makeTempFileSync({ dir: folder, prefix: ".staged-" });
      try {
        copy(source, staged);
        const file = fileSource(staged);
        const { verdict } = reader.read({ source: file, pieces: false });
        file.close();
        if (verdict.verdict === "accept") {
          Deno.renameSync(staged, path(verdict.identities.artifact_id));
          syncFolder(folder);
        }
        return verdict;
      } finally {
        removeIfThere(staged);
      }
    },
  };
}

/** Copies all that can be read; a short copy of a failing source is for the reader to reject. */
function copy(source: Source, to: string): void {
  using file = Deno.openSync(to, { write: true, truncate: true });
  const window = new Uint8Array(1 << 20);
  for (let at = 0;;) {
    const n = source.read(at, window);
    if (n === 0) break;
    for (let done = 0; done < n;) done += file.writeSync(window.subarray(done, n));
    at += n;
  }
  file.syncSync();
}

/** Makes a rename durable; a platform that cannot sync a folder has no such step. */
function syncFolder(folder: string): void {
  try {
    using handle = Deno.openSync(folder, { read: true });
    handle.syncSync();
  } catch {
    return;
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
