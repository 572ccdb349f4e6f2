/** Piece sets (`classes.md` section 7): their blob, and a piece held against them (stage 27). */
import type { Code, Judgement, PieceRequest, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { equalBytes, hex } from "./bytes.ts";
import { reject } from "./fault.ts";
import { isProved, MerkleTree } from "./merkle.ts";
import { beginPiece, leafHash, nodeHash, pieceLength } from "./pieces.ts";
import { SlmHash } from "./slm_hash.ts";

const HASH = 32;

const quick = new SlmHash();

/** `subject_bytes` and `piece_count` of an accepted manifest. */
function measures({ tape, body }: Artifact): [size: number, count: number] {
  return [tape.uint(tape.get(body, "subject_bytes")), tape.uint(tape.get(body, "piece_count"))];
}

/** The root of the piece hashes in the blob, or null where it holds another number of them. */
export function pieceRootOf(set: Artifact, hashes: Uint8Array): Uint8Array | null {
  const [size, count] = measures(set);
  if (hashes.length !== HASH * count) return null;
  const tree = new MerkleTree(nodeHash);
  for (let i = 0; i < count; i++) {
    tree.add(leafHash(size, i, hashes.subarray(HASH * i, HASH * (i + 1))));
  }
  return tree.root();
}

function fault(code: Code, expected: string): Reject {
  return reject(27, code, "none", undefined, expected);
}

/**
 * Stage 27 for a piece.
 *
 * @param set an accepted piece set
 */
export function judgePiece(set: Artifact, request: PieceRequest): Judgement {
  const { tape, body } = set;
  const { index, data, proof, subject } = request;
  const field = (key: string) => tape.string(tape.get(body, key));
  const [size, count] = measures(set);
  const other = subject !== undefined && (
    (subject.artifact_id ?? hex(field("subject"))) !== hex(field("subject")) ||
    (subject.whole_file ?? hex(field("subject_whole_file"))) !== hex(field("subject_whole_file")) ||
    (subject.bytes ?? size) !== size
  );
  if (other) return fault("PieceSubject", "the subject of the set");
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    return fault("PieceIndex", `below ${count}`);
  }
  if (data.length !== pieceLength(size, index)) {
    return fault("PieceLength", `${pieceLength(size, index)} bytes`);
  }
  const piece_hash = beginPiece(quick, size, index).append(data).end();
  const entry = set.pieceHashes.subarray(HASH * index, HASH * (index + 1));
  if (!equalBytes(piece_hash, entry)) return fault("PieceHash", "the bytes of this piece");
  if (proof !== undefined) {
    const leaf = leafHash(size, index, piece_hash);
    if (!isProved({ leaf, index, count, root: field("root") }, proof, nodeHash)) {
      return fault("PieceRoot", "the audit path of this piece");
    }
  }
  return { verdict: "accept" };
}
