import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { dataTest } from "../../lab/data.ts";
import { concat } from "./bytes.ts";
import { slmHash, toHex } from "./identity.ts";
import * as pieces from "./pieces.ts";

const sha256 = (...parts: Uint8Array[]): Uint8Array =>
  new Uint8Array(createHash("sha256").update(concat(...parts)).digest());
const leaf = (data: Uint8Array) => sha256(Uint8Array.of(0), data);
const node = (left: Uint8Array, right: Uint8Array) => sha256(Uint8Array.of(1), left, right);

dataTest("the tree and its audit paths have the shape of RFC 9162", (data) => {
  const vectors = JSON.parse(
    Deno.readTextFileSync(new URL("vectors/merkle_rfc9162.json", data)),
  ) as {
    leaf_data: string[];
    root_by_tree_size: string[];
    audit_paths: { tree_size: number; leaf_index: number; path: string[] }[];
  };
  const leaves = vectors.leaf_data.map((hex) => leaf(Uint8Array.fromHex(hex)));
  for (let size = 1; size <= leaves.length; size++) {
    const root = pieces.merkleRoot(leaves.slice(0, size), node);
    assertEquals(root.toHex(), vectors.root_by_tree_size[size]);
  }
  for (const { tree_size, leaf_index, path } of vectors.audit_paths) {
    const found = pieces.auditPath(leaves.slice(0, tree_size), leaf_index, node);
    assertEquals(found.map(toHex), path, `${leaf_index} of ${tree_size}`);
  }
  assertEquals(vectors.audit_paths.length, 36);
});

Deno.test("piece counts and lengths at the borders", () => {
  const size = pieces.PIECE_SIZE;
  assertEquals([1, size, size + 1].map(pieces.pieceCount), [1, 1, 2]);
  assertEquals(pieces.pieceLength(size + 1, 0), size);
  assertEquals(pieces.pieceLength(size + 1, 1), 1);
  assertEquals(pieces.pieceCount(2 ** 40 + 1), 2 ** 18 + 1);
});

Deno.test("hashes of pieces do not depend on the windows in which the bytes come", () => {
  const file = new Uint8Array(pieces.PIECE_SIZE * 2 + 7).map((_, i) => i * 31);
  const whole = new pieces.PieceHashes(file.length);
  whole.update(file);
  const windows = new pieces.PieceHashes(file.length);
  for (let at = 0; at < file.length; at += 1_000_003) {
    windows.update(file.subarray(at, at + 1_000_003));
  }
  assertEquals(windows.hashes, whole.hashes);
  assertEquals(whole.hashes.length, 3);
  const [a, b, c] = [0, 1, 2].map((i) => {
    const at = i * pieces.PIECE_SIZE;
    const part = file.subarray(at, at + pieces.PIECE_SIZE);
    const hasher = pieces.pieceHasher(file.length, i, part.length);
    hasher.update(part);
    return pieces.pieceLeaf(i, part.length, hasher.finish());
  });
  const top = (left: Uint8Array, right: Uint8Array) => slmHash("piece-node", [4, left], [4, right]);
  assertEquals(whole.root(), top(top(a, b), c));
});
