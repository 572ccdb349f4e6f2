/// <reference lib="dom" />
/** A source over a `Blob` or a `File`, read by position; in workers only. */
import type { Source } from "../../../readers/contract.ts";

/** File API 7: the synchronous reader, which only workers have. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Each read slices the blob anew, so that nothing of a file is held but the reader's window. */
export function blobSource(blob: Blob): Source {
  const files = new FileReaderSync();
  return {
    size: () => blob.size,
    read(offset, into) {
      const part = files.readAsArrayBuffer(blob.slice(offset, offset + into.length));
      into.set(new Uint8Array(part));
      return part.byteLength;
    },
  };
}
