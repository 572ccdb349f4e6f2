/** The shape of RFC 9162 trees and audit paths, against published vectors and by hand. */
import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { dataTest } from "../../lab/data.ts";
import { isProved, MerkleTree } from "./merkle.ts";

const sha256 = (prefix: number, ...parts: Uint8Array[]) => {
  const hash = createHash("sha256").update(Uint8Array.of(prefix));
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};
const leaf = (data: Uint8Array) => sha256(0, data);
const join = (left: Uint8Array, right: Uint8Array) => sha256(1, left, right);

const rootOf = (leaves: readonly Uint8Array[]) => {
  const tree = new MerkleTree(join);
  for (const one of leaves) tree.add(one);
  return tree.root();
};

/** The definitions of RFC 9162 section 2.1, word by word. */
const split = (n: number) => 2 ** Math.floor(Math.log2(n - 1));
const slowRoot = (leaves: readonly Uint8Array[]): Uint8Array =>
  leaves.length === 1 ? leaves[0] : join(
    slowRoot(leaves.slice(0, split(leaves.length))),
    slowRoot(leaves.slice(split(leaves.length))),
  );
const slowPath = (index: number, leaves: readonly Uint8Array[]): Uint8Array[] => {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...slowPath(index, leaves.slice(0, k)), slowRoot(leaves.slice(k))]
    : [...slowPath(index - k, leaves.slice(k)), slowRoot(leaves.slice(0, k))];
};

Deno.test("merkle: every tree to 40 leaves, every path, and paths that lead elsewhere", () => {
  const all = Array.from({ length: 40 }, (_, i) => leaf(Uint8Array.of(i)));
  for (let count = 1; count <= all.length; count++) {
    const leaves = all.slice(0, count);
    const root = rootOf(leaves);
    assertEquals(root, slowRoot(leaves));
    for (let index = 0; index < count; index++) {
      const path = slowPath(index, leaves);
      const claim = { leaf: leaves[index], index, count, root };
      assert(isProved(claim, path, join));
      assert(!isProved(claim, [...path, root], join), "a node too many");
      if (path.length === 0) continue;
      assert(!isProved(claim, path.slice(1), join), "a node too few");
      assert(!isProved(claim, path.with(0, new Uint8Array(31)), join), "a node too short");
      assert(!isProved({ ...claim, index: (index + 1) % count }, path, join), "another index");
    }
  }
});

Deno.test("merkle: leaf 5 of 8 is no leaf of 7", () => {
  const leaves = Array.from({ length: 8 }, (_, i) => leaf(Uint8Array.of(i)));
  const path = slowPath(5, leaves);
  const claim = { leaf: leaves[5], index: 5, count: 8, root: rootOf(leaves) };
  assert(isProved(claim, path, join));
  assert(!isProved({ ...claim, count: 7, root: rootOf(leaves.slice(0, 7)) }, path, join));
});

dataTest("merkle: published roots and inclusion proofs", async (data) => {
  const vectors = JSON.parse(
    await Deno.readTextFile(new URL("vectors/merkle_rfc9162.json", data)),
  );
  const leaves = vectors.leaf_data.map((hex: string) => leaf(Uint8Array.fromHex(hex)));
  for (let n = 1; n <= leaves.length; n++) {
    assertEquals(rootOf(leaves.slice(0, n)).toHex(), vectors.root_by_tree_size[n]);
  }
  for (const { tree_size, leaf_index, path } of vectors.audit_paths) {
    assertEquals(
      slowPath(leaf_index, leaves.slice(0, tree_size)).map((node) => node.toHex()),
      path,
    );
  }
  let judged = 0;
  for (const one of vectors.inclusion_cases) {
    // The index is judged before (PieceIndex), and hashes have their length.
    if (!(one.leaf_index < one.tree_size) || one.root === "" || one.leaf_hash === "") continue;
    judged++;
    const claim = {
      leaf: Uint8Array.fromHex(one.leaf_hash),
      index: one.leaf_index,
      count: one.tree_size,
      root: Uint8Array.fromHex(one.root),
    };
    const proof = one.proof.map((node: string) => Uint8Array.fromHex(node));
    assertEquals(isProved(claim, proof, join), one.valid, one.case);
  }
  assert(judged > 50);
});
