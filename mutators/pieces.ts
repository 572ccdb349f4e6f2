/** Piece sets (classes.md section 7): counts, hashes and roots that agree, and one that does not. */
import { merkleRoot, PIECE_SIZE, pieceLeaves } from "../corpus/writer/pieces.ts";
import { layOut, parse, setObject } from "./artifact.ts";
import { at, bytes, encodeTree, type Node, parseTree, uint } from "./cbor_tree.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

const put = (node: Node | undefined, by: Node) => {
  if (node) Object.assign(node, by);
};

/** The borders of a piece, of 2^32, and of MAX, in bytes of the subject. */
const SIZES = (random: Random): number => {
  const count = random.pick([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  return count * PIECE_SIZE +
    random.pick([0, 0, -1, 1, -PIECE_SIZE + 1, 1 - 2 * random.below(100)]);
};

/** A piece set of several pieces whose every number agrees; then, mostly, one thing is broken. */
function rebuilt(input: Uint8Array, random: Random): Uint8Array | null {
  const artifact = parse(input);
  const { root, rest } = parseTree(artifact.manifest);
  const body = at(root, "body");
  const blob = artifact.blobs[0];
  if (!body || !blob || !at(body, "piece_count")) return null;
  const size = Math.max(1, SIZES(random));
  const count = Math.ceil(size / PIECE_SIZE);
  const hashes = Array.from({ length: count }, () => random.bytes(32));
  const leaves = pieceLeaves(size, hashes);
  const made = new Uint8Array(32 * count);
  for (const [i, hash] of hashes.entries()) made.set(hash, 32 * i);
  setObject(blob, "blob", made);
  put(at(body, "piece_count"), uint(count));
  put(at(body, "subject_bytes"), uint(size));
  put(at(body, "root"), bytes(merkleRoot(leaves)));
  switch (random.below(8)) {
    case 0:
      put(at(body, "piece_count"), uint(Math.max(0, count + random.pick([1, -1]))));
      break;
    case 1:
      put(
        at(body, "subject_bytes"),
        uint(
          random.pick([
            size + PIECE_SIZE,
            size + 1,
            Math.max(0, size - 1),
            0,
            2 ** 53 - 1,
            2n ** 53n,
          ]),
        ),
      );
      break;
    case 2:
      put(
        at(body, "root"),
        bytes(random.pick([leaves[0], hashes[0], merkleRoot(leaves, (left) => left)])),
      );
      break;
    case 3:
      made[random.below(made.length)] ^= 1 << random.below(8);
      break;
    case 4:
      made.copyWithin(0, 32 * random.below(count), 32 * random.below(count) + 32);
      break;
    case 5:
      setObject(
        blob,
        "blob",
        made.slice(0, random.pick([made.length - 32, made.length - 1, made.length])),
      );
      break;
    default:
  }
  return layOut({ ...artifact, manifest: encodeTree(root, rest) });
}

export const pieces: readonly Mutator[] = [
  {
    name: "piece-set",
    reason: "trees of one to nine leaves, at every border of a piece",
    mutate: rebuilt,
  },
];
