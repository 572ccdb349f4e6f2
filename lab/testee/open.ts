/** A request opened: artifacts become sources, as the readers' contract has it. */
import type {
  Dependency,
  Judgement,
  PieceRequest,
  Reader,
  ReadRequest,
  SignatureRequest,
  Source,
  Verdict,
} from "../../readers/contract.ts";
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
export function askOpened(reader: Reader, ask: Ask, open: Open): Verdict | Judgement {
  const asked = opened(ask, open);
  switch (asked.op) {
    case "read":
      return reader.read(asked).verdict;
    case "piece":
      return reader.piece(asked);
    case "signature":
      return reader.signature(asked);
  }
}

/** How an artifact becomes a source; null where it cannot be read. */
export type Open = (artifact: Artifact) => Source | null;

/** A request as the contract has it, beside the name of the method that takes it. */
export type Opened =
  | { readonly op: "read" } & ReadRequest
  | { readonly op: "piece" } & PieceRequest
  | { readonly op: "signature" } & SignatureRequest;

export function opened(ask: Ask, open: Open): Opened {
  switch (ask.op) {
    case "read": {
      const { artifact, resolve, ...rest } = ask;
      return {
        ...rest,
        source: open(artifact) ?? UNREADABLE,
        ...(resolve && { resolve: dependencies(resolve, open) }),
      };
    }
    case "piece": {
      const proof = ask.proof?.map((hash) => Uint8Array.fromHex(hash));
      return { ...ask, set: open(ask.set) ?? UNREADABLE, proof };
    }
    case "signature":
      return { ...ask, envelope: open(ask.envelope) ?? UNREADABLE };
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

function dependencies(artifacts: readonly Artifact[], open: Open): Dependency[] {
  return artifacts.flatMap((artifact) => {
    const source = open(artifact);
    if (source === null) return [];
    const claimed_id = "bytes" in artifact ? artifact.claimed_id : undefined;
    return claimed_id === undefined ? { source } : { source, claimed_id };
  });
}
