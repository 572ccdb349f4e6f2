/** A reader for tests of the plumbing: it tells what it was asked. */
import type { Reader, ReadRequest } from "../../readers/contract.ts";

const HASH = "ab".repeat(32);

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
      const pieces = request.pieces === false ? {} : { piece_count: 1, piece_root: HASH };
      return {
        verdict: {
          verdict: "accept",
          identities: {
            class: 1,
            whole_file: HASH,
            manifest: HASH,
            semantic_manifest: HASH,
            tensor_layout: HASH,
            artifact_id: HASH,
            profiles: [],
            tensors: [HASH],
            blobs: [],
            ...pieces,
          },
        },
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
