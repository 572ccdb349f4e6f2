/** Checking a piece against its set (`classes.md` section 7, stage 27). */
import type { Code, Judgement, PieceRequest, Reject } from "../contract.ts";
import type { Accepted } from "./artifact.ts";
import { reject } from "./fault.ts";
import { hex, sameBytes } from "./fields.ts";
import { isAuditPath, leafHash, pieceHash, pieceLength } from "./pieces.ts";

/** @param set the reading of the set by stages 1-26 */
export function checkPiece(set: Accepted | Reject, request: PieceRequest): Judgement {
  if (!("artifact" in set)) return set;
  const { artifact } = set;
  const { manifest: m, pieceHashes } = artifact;
  if (artifact.artifactClass !== 9 || pieceHashes === null) {
    return { verdict: "skip", why: "the set is no piece set" };
  }
  const fail = (code: Code, expected: string) => reject(27, code, "none", undefined, expected);
  const { index, data, proof, subject } = request;
  const subjectBytes = Number(m.integer(artifact.get("subject_bytes")));
  const count = Number(m.integer(artifact.get("piece_count")));
  const digest = (key: string) => hex(m.string(artifact.get(key)));
  const isSubject = isAsked(subject?.artifact_id, digest("subject")) &&
    isAsked(subject?.whole_file, digest("subject_whole_file")) &&
    isAsked(subject?.bytes, subjectBytes);
  if (!isSubject) return fail("PieceSubject", "the subject of the set");
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    return fail("PieceIndex", `an index below ${count}`);
  }
  const length = pieceLength(subjectBytes, index);
  if (data.length !== length) return fail("PieceLength", `${length} bytes`);
  const hash = pieceHash(subjectBytes, index, data);
  if (!sameBytes(hash, pieceHashes.subarray(32 * index, 32 * index + 32))) {
    return fail("PieceHash", "bytes that have the set's hash");
  }
  const root = m.string(artifact.get("root"));
  const isProven = proof === undefined ||
    isAuditPath(leafHash(index, length, hash), index, count, proof, root);
  return isProven ? { verdict: "accept" } : fail("PieceRoot", "an audit path to the set's root");
}

/** Whether a value that may be left out is the one at hand. */
export function isAsked<X>(asked: X | undefined, actual: X): boolean {
  return asked === undefined || asked === actual;
}
