/** A reader for tests of the plumbing: it tells what it was asked. */
import type { Identities, Reader, ReadRequest } from "../../readers/contract.ts";

const HASH = "ab".repeat(32);

/** Identities of the right form and no meaning. */
export function stubIdentities(pieces = true): Identities {
  return {
    class: 1,
    whole_file: HASH,
    manifest: HASH,
    semantic_manifest: HASH,
    tensor_layout: HASH,
    artifact_id: HASH,
    profiles: [],
    tensors: [HASH],
    blobs: [],
    ...(pieces && { piece_count: 1, piece_root: HASH }),
  };
}

/**
 * Rejects by the size of what it is given, with that size as offset; accepts 224 bytes; throws for
 * 666. Unreadable sources are `SourceIo`.
 */
export function stubReader(seen: (request: unknown) => void = () => {}): Reader {
  return {
    name: "stub",
    read(request: ReadRequest) {
      seen(request);
      let size: number;
      try {
        size = request.source.size();
      } catch {
        return { verdict: { verdict: "reject", stage: 1, code: "SourceIo", section: "none" } };
      }
      if (size === 666) throw new Error("planted bug");
      if (size !== 224) {
        return {
          verdict: {
            verdict: "reject",
            stage: 3,
            code: "TruncatedHeader",
            section: "header",
            offset: size,
          },
        };
      }
      return {
        verdict: { verdict: "accept", identities: stubIdentities(request.pieces !== false) },
      };
    },
    piece(request) {
      seen(request);
      return { verdict: "reject", stage: 27, code: "PieceIndex", section: "none" };
    },
    signature(request) {
      seen(request);
      return { verdict: "skip", why: "no envelope" };
    },
  };
}
