/** Pieces and their Merkle tree (classes.md section 7; the shape is RFC 9162's, section 2.1). */
import { digest, int32, int64, slmHash, type SlmHasher, slmHasher } from "./identity.ts";

/** Section 7: the one size of a piece but the last. */
export const PIECE_SIZE = 4194304;

/** `ceil(bytes / PIECE_SIZE)`. */
export const pieceCount = (bytes: number): number => Math.ceil(bytes / PIECE_SIZE);

/** The length of piece `index` of a subject of `bytes` bytes. */
export const pieceLength = (bytes: number, index: number): number =>
  Math.min(PIECE_SIZE, bytes - index * PIECE_SIZE);

/** `piece_hash_i`, of a piece whose bytes follow in windows. */
export const pieceHasher = (subject_bytes: number, index: number, length: number): SlmHasher =>
  slmHasher(
    "piece",
    [int64(subject_bytes), int32(PIECE_SIZE), int64(index), int32(length)],
    length,
  );

/** `leaf_i`. */
export const pieceLeaf = (index: number, length: number, piece_hash: Uint8Array): Uint8Array =>
  slmHash("piece-leaf", int64(index), int32(length), digest(piece_hash));

/** `node`. */
export const pieceNode = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  slmHash("piece-node", digest(left), digest(right));

/** The leaves of a subject whose pieces have these hashes, in order. */
export const pieceLeaves = (
  subject_bytes: number,
  hashes: readonly Uint8Array[],
): Uint8Array[] => hashes.map((hash, i) => pieceLeaf(i, pieceLength(subject_bytes, i), hash));

type Node = (left: Uint8Array, right: Uint8Array) => Uint8Array;

/** The largest power of two below `n`, where a tree of n >= 2 leaves splits. */
function splitOf(n: number): number {
  let split = 1;
  while (split * 2 < n) split *= 2;
  return split;
}

/** The root over at least one leaf; one leaf is its own root. */
export function merkleRoot(leaves: readonly Uint8Array[], node: Node = pieceNode): Uint8Array {
  if (leaves.length === 1) return leaves[0];
  const split = splitOf(leaves.length);
  return node(merkleRoot(leaves.slice(0, split), node), merkleRoot(leaves.slice(split), node));
}

/** The audit path of a leaf, from leaf to root (RFC 9162 section 2.1.3.1). */
export function auditPath(
  leaves: readonly Uint8Array[],
  index: number,
  node: Node = pieceNode,
): Uint8Array[] {
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  const left = leaves.slice(0, split), right = leaves.slice(split);
  return index < split
    ? [...auditPath(left, index, node), merkleRoot(right, node)]
    : [...auditPath(right, index - split, node), merkleRoot(left, node)];
}

/** The hashes of a subject's pieces, whose bytes come in order and in windows of any size. */
export class PieceHashes {
  readonly hashes: Uint8Array[] = [];
  #subject_bytes: number;
  #left = 0;
  #hasher: SlmHasher | null = null;

  constructor(subject_bytes: number) {
    this.#subject_bytes = subject_bytes;
  }

  update(window: Uint8Array): void {
    for (let at = 0; at < window.length;) {
      if (this.#hasher === null) {
        this.#left = pieceLength(this.#subject_bytes, this.hashes.length);
        this.#hasher = pieceHasher(this.#subject_bytes, this.hashes.length, this.#left);
      }
      const part = window.subarray(at, at + this.#left);
      this.#hasher.update(part);
      at += part.length;
      this.#left -= part.length;
      if (this.#left === 0) {
        this.hashes.push(this.#hasher.finish());
        this.#hasher = null;
      }
    }
  }

  /** `piece_root`, after the last byte of at least one. */
  root(): Uint8Array {
    return merkleRoot(pieceLeaves(this.#subject_bytes, this.hashes));
  }
}
