/** Piece sets of files of zeros. */
import { pieceSet } from "../../writer/build/evidence.ts";
import { type Recipe, valid } from "../case.ts";
import { model, ref } from "../library.ts";

/** A file of that many bytes; nobody asks what stands in it. */
const file = (bytes: number) => ({
  size: () => bytes,
  read(offset: number, into: Uint8Array) {
    const n = Math.min(into.length, bytes - offset);
    into.fill(0, 0, n);
    return n;
  },
});

const MIB = 1 << 20;

/** Piece sets of files of zeros, by the number of their bytes. */
export const setOf = (() => {
  const made = new Map<number, ReturnType<typeof make>>();
  const make = (bytes: number) => {
    const set = pieceSet(ref(model()), file(bytes));
    return {
      set,
      one: valid(
        `valid/pieces/${bytes}`,
        `the pieces of a file of ${bytes} zeros: ${set.description.body.piece_count}`,
        set.description,
      ),
    };
  };
  return (bytes: number) => made.get(bytes) ?? made.set(bytes, make(bytes)).get(bytes)!;
})();

/** One, two, three, five, seven and eight pieces; the last whole, short, and of one byte. */
export const SUBJECTS = [
  1,
  100,
  4 * MIB - 1,
  4 * MIB,
  4 * MIB + 1,
  8 * MIB,
  8 * MIB + 100,
  16 * MIB + 100,
  24 * MIB + 100,
  28 * MIB + 100,
];

export const pieces: Recipe = {
  name: "valid/pieces",
  reason: "piece sets of one, two and of no power of two pieces, the last whole or short",
  spec: "classes.md 7",
  cites: [
    "classes-7 `piece_hash_i",
    "classes-7 `leaf_i",
    "classes-7 `node",
    "classes-7 the tree splits",
    "classes-7 one leaf is its own root",
    "classes-7 then piece_count",
    "classes-7 One blob, kind 32",
  ],
  cases: () => SUBJECTS.map((bytes) => setOf(bytes).one),
};
