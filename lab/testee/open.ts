/** A request opened: artifacts become sources, as the readers' contract has it. */
import type { Dependency, Judgement, Reader, Source, Verdict } from "../../readers/contract.ts";
import { fileSource, memorySource } from "../../readers/source.ts";
import type { Artifact, Ask } from "./testee.ts";

/**
 * Asks `reader` in this process. Files are opened for the time of the call. A path that
 * cannot be read is a source that cannot be read, so that the reader answers `SourceIo`;
 * among the artifacts to resolve it is as if not given (testee.md 2).
 * @throws what the reader throws, which is its bug
 */
export function askReader(reader: Reader, ask: Ask): Verdict | Judgement {
  const files: { close(): void }[] = [];
  const open = (artifact: Artifact): Source | null => {
    if ("bytes" in artifact) return memorySource(artifact.bytes);
    try {
      // not opened unless it is a file: opening a pipe would wait for its writer
      if (!Deno.statSync(artifact.path).isFile) return null;
      const file = fileSource(artifact.path);
      files.push(file);
      return file;
    } catch {
      return null;
    }
  };
  try {
    return askOpened(reader, ask, open);
  } finally {
    for (const file of files) file.close();
  }
}

/**
 * Asks `reader`, with artifacts as `open` gives them; null where one cannot be read.
 * @throws what the reader throws, which is its bug
 */
export function askOpened(
  reader: Reader,
  ask: Ask,
  open: (artifact: Artifact) => Source | null,
): Verdict | Judgement {
  switch (ask.op) {
    case "read": {
      const { op: _, artifact, resolve, ...rest } = ask;
      return reader.read({
        ...rest,
        source: open(artifact) ?? UNREADABLE,
        ...(resolve && { resolve: dependencies(resolve.map(open)) }),
      }).verdict;
    }
    case "piece":
      return reader.piece({
        ...ask,
        set: open(ask.set) ?? UNREADABLE,
        proof: ask.proof?.map((hash) => Uint8Array.fromHex(hash)),
      });
    case "signature":
      return reader.signature({ ...ask, envelope: open(ask.envelope) ?? UNREADABLE });
  }
}

const UNREADABLE: Source = {
  size() {
    throw new Error("cannot be read");
  },
  read() {
    throw new Error("cannot be read");
  },
};

function dependencies(sources: readonly (Source | null)[]): Dependency[] {
  return sources.filter((source) => source !== null).map((source) => ({ source }));
}
