/** Pieces (`classes.md` section 7): their hashes, the tree over them, and audit paths. */
import { once, piece } from "./hash.ts";
import { PIECE_SIZE } from "./schema.ts";

/** Bytes of piece `index` of a subject. */
export function pieceLength(subjectBytes: number, index: number): number {
  return Math.min(PIECE_SIZE, subjectBytes - index * PIECE_SIZE);
}

function beginPiece(subjectBytes: number, index: number): void {
  const length = pieceLength(subjectBytes, index);
  piece.begin("piece", 5).u64(subjectBytes).u32(PIECE_SIZE).u64(index).u32(length).open(length);
}

/** `piece_hash_i` of a piece at hand. */
export function pieceHash(subjectBytes: number, index: number, data: Uint8Array): Uint8Array {
  beginPiece(subjectBytes, index);
  return piece.add(data).end();
}

export function leafHash(index: number, length: number, hash: Uint8Array): Uint8Array {
  return once.begin("piece-leaf", 3).u64(index).u32(length).digest(hash).end();
}

/** A node over two children; the tree does not care how they hash. */
export type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array;
const nodeHash: NodeHash = (left, right) =>
  once.begin("piece-node", 2).digest(left).digest(right).end();

/** The tree of RFC 9162 section 2.1.1 as it grows: the roots of its complete subtrees. */
export class Tree {
  readonly #stack: Uint8Array[] = [];
  count = 0;

  constructor(readonly node: NodeHash = nodeHash) {}

  add(leaf: Uint8Array): void {
    let hash = leaf;
    this.count++;
    for (let n = this.count; n % 2 === 0; n /= 2) hash = this.node(this.#pop(), hash);
    this.#stack.push(hash);
  }

  /** The root of at least one leaf; ends the tree. */
  root(): Uint8Array {
    let hash = this.#pop();
    while (this.#stack.length > 0) hash = this.node(this.#pop(), hash);
    return hash;
  }

  #pop(): Uint8Array {
    const hash = this.#stack.pop();
    if (hash === undefined) throw new Error("a tree without leaves has no root");
    return hash;
  }
}

/**
 * Whether an audit path, leaf to root, leads from leaf `index` of `count` to the root
 * (RFC 9162 section 2.1.3.2); one too long or too short does not.
 */
export function isAuditPath(
  leaf: Uint8Array,
  index: number,
  count: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
  node: NodeHash = nodeHash,
): boolean {
  if (index >= count) return false;
  let fn = index;
  let sn = count - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (sn === 0 || sibling.length !== leaf.length) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = node(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) {
        fn /= 2;
        sn = Math.floor(sn / 2);
      }
    } else hash = node(hash, sibling);
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && hash.length === root.length && hash.every((byte, i) => byte === root[i]);
}

/** Pieces of a file that streams by; `null` work where the caller does not ask for them. */
export class Pieces {
  readonly tree = new Tree();
  #left = 0;

  constructor(readonly fileSize: number) {}

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#left === 0) {
        beginPiece(this.fileSize, this.tree.count);
        this.#left = pieceLength(this.fileSize, this.tree.count);
      }
      const n = Math.min(this.#left, bytes.length - at);
      piece.add(n === bytes.length ? bytes : bytes.subarray(at, at + n));
      at += n;
      this.#left -= n;
      if (this.#left === 0) {
        const length = pieceLength(this.fileSize, this.tree.count);
        this.tree.add(leafHash(this.tree.count, length, piece.end()));
      }
    }
  }
}
