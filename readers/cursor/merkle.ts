/**
 * Merkle trees in the shape of RFC 9162 (section 2.1): n leaves are split at the largest power
 * of two below n, and one leaf is its own root. What a node is comes from the caller.
 */
import { equalBytes } from "./bytes.ts";

/** The hash of a node from those of its children. */
export type Join = (left: Uint8Array, right: Uint8Array) => Uint8Array;

/** A tree whose leaves come one by one: full subtrees join as they become equal in size. */
export class MerkleTree {
  /** roots of full subtrees, largest first: one a set bit of `#count` */
  readonly #roots: Uint8Array[] = [];
  #count = 0;

  constructor(readonly join: Join) {}

  add(leaf: Uint8Array): void {
    let root = leaf;
    for (let n = this.#count++; n % 2 === 1; n = (n - 1) / 2) {
      root = this.join(this.#roots.pop() ?? root, root);
    }
    this.#roots.push(root);
  }

  /** The root of the leaves so far, of which there is at least one. */
  root(): Uint8Array {
    return this.#roots.reduceRight((right, left) => this.join(left, right));
  }
}

/** A claim that leaf `index` of `count` is under `root`. */
export interface Claim {
  readonly leaf: Uint8Array;
  /** below `count` */
  readonly index: number;
  readonly count: number;
  readonly root: Uint8Array;
}

/** Whether `proof`, an audit path from leaf to root, proves the claim (RFC 9162, 2.1.3.2). */
export function isProved(claim: Claim, proof: readonly Uint8Array[], join: Join): boolean {
  let at = claim.index;
  let last = claim.count - 1;
  let hash = claim.leaf;
  const up = (n: number) => (n - n % 2) / 2;
  for (const node of proof) {
    if (last === 0 || node.length !== claim.root.length) return false;
    if (at % 2 === 1 || at === last) {
      hash = join(node, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [up(at), up(last)];
    } else {
      hash = join(hash, node);
    }
    [at, last] = [up(at), up(last)];
  }
  return last === 0 && equalBytes(hash, claim.root);
}
