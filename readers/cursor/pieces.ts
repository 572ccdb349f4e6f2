/** Pieces of 4 MiB and their tree (`classes.md` section 7). */
import { ceilDiv } from "./bytes.ts";
import { MerkleTree } from "./merkle.ts";
import { domain, SlmHash } from "./slm_hash.ts";

export const PIECE_SIZE = 4_194_304;

const PIECE = domain("piece", 5);
const PIECE_LEAF = domain("piece-leaf", 3);
const PIECE_NODE = domain("piece-node", 2);

const pieceHash = new SlmHash();
const quick = new SlmHash();

/** The number of pieces of a subject of `size` bytes. */
export function pieceCount(size: number): number {
  return ceilDiv(size, PIECE_SIZE);
}

/** The length of piece `index` of a subject of `size` bytes. */
export function pieceLength(size: number, index: number): number {
  return Math.min(PIECE_SIZE, size - PIECE_SIZE * index);
}

/** Begins piece_hash of piece `index`; the piece's bytes then follow. */
export function beginPiece(hash: SlmHash, size: number, index: number): SlmHash {
  const length = pieceLength(size, index);
  return hash.begin(PIECE).u64(size).u32(PIECE_SIZE).u64(index).u32(length).openRaw(length);
}

export function leafHash(size: number, index: number, piece_hash: Uint8Array): Uint8Array {
  return quick.begin(PIECE_LEAF).u64(index).u32(pieceLength(size, index)).digest(piece_hash).end();
}

/** A node of the piece tree. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return quick.begin(PIECE_NODE).digest(left).digest(right).end();
}

/** The pieces of a file whose bytes go by. One at a time is under way. */
export class PieceStream {
  readonly #tree = new MerkleTree(nodeHash);
  #index = 0;
  #left = 0;

  constructor(readonly size: number) {
    this.#begin();
  }

  #begin(): void {
    beginPiece(pieceHash, this.size, this.#index);
    this.#left = pieceLength(this.size, this.#index);
  }

  /** Takes the next bytes of the file. */
  feed(part: Uint8Array): void {
    for (let from = 0; from < part.length;) {
      const to = Math.min(part.length, from + this.#left);
      pieceHash.append(part, from, to);
      this.#left -= to - from;
      from = to;
      if (this.#left > 0) return;
      this.#tree.add(leafHash(this.size, this.#index++, pieceHash.end()));
      if (this.#index < pieceCount(this.size)) this.#begin();
    }
  }

  /** piece_root, after the last byte. */
  root(): Uint8Array {
    return this.#tree.root();
  }
}
