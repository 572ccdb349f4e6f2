/** Pieces of 4 MiB and their tree (`classes.md` section 7). */
import { ceilDiv, equalBytes } from "./bytes.ts";
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

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return quick.begin(PIECE_NODE).digest(left).digest(right).end();
}

/**
 * The root of a tree whose leaves come one by one. RFC 9162 splits n leaves at the largest
 * power of two below n, so full subtrees join as they become equal in size.
 */
export class PieceTree {
  /** roots of full subtrees, largest first: one a set bit of `#count` */
  readonly #roots: Uint8Array[] = [];
  #count = 0;

  add(leaf: Uint8Array): void {
    let root = leaf;
    for (let n = this.#count++; n % 2 === 1; n = (n - 1) / 2) {
      root = nodeHash(this.#roots.pop() ?? root, root);
    }
    this.#roots.push(root);
  }

  /** The root of the leaves so far, of which there is at least one. */
  root(): Uint8Array {
    return this.#roots.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The pieces of a file whose bytes go by. One at a time is under way. */
export class PieceStream {
  readonly #tree = new PieceTree();
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

/**
 * Whether `proof`, a RFC 9162 audit path from leaf to root, leads from leaf `index` of
 * `count` to `root`: section 2.1.3.2 there.
 */
export function isProved(
  leaf: Uint8Array,
  index: number,
  count: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  let at = index;
  let last = count - 1;
  let hash = leaf;
  for (const node of proof) {
    if (last === 0 || node.length !== 32) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(node, hash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = (last - last % 2) / 2;
      }
    } else {
      hash = nodeHash(hash, node);
    }
    at = (at - at % 2) / 2;
    last = (last - last % 2) / 2;
  }
  return last === 0 && equalBytes(hash, root);
}
