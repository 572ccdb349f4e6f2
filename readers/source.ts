/**
 * Sources of bytes (see `Source` in contract.ts) for callers of readers. Readers do not
 * import this file: they take whatever source they are given.
 */
import type { Source } from "./contract.ts";

/** A source over bytes in memory. The view's own offset and length count, not its buffer's. */
export function memorySource(bytes: Uint8Array): Source {
  return {
    size: () => bytes.length,
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** A source over an open file, read by position. */
export interface FileSource extends Source {
  close(): void;
}

/**
 * Opens `path` for reading by position; nothing is read yet.
 * @throws Deno.errors.* where the file cannot be opened
 */
export function fileSource(path: string): FileSource {
  const file = Deno.openSync(path, { read: true });
  return {
    size() {
      const stat = file.statSync();
      if (!stat.isFile) throw new Error(`${path} is not a regular file`);
      return stat.size;
    },
    read(offset, into) {
      file.seekSync(offset, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < into.length) {
        const n = file.readSync(into.subarray(filled));
        if (n === null || n === 0) break;
        filled += n;
      }
      return filled;
    },
    close: () => file.close(),
  };
}
