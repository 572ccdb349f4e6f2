/** A mutator over the tree of the manifest, and what such mutators share. */
import { layOut, parse } from "./artifact.ts";
import { encodeTree, type Node, parseTree, type Spot, spots } from "./cbor_tree.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

/** What a change of a tree is given. */
export interface Tree {
  readonly root: Node;
  readonly random: Random;
  /** the tree of another artifact's manifest */
  readonly other: () => Node | null;
}

/**
 * A mutator that changes the manifest's tree; the manifest's length and all that follows are laid
 * out anew. The change says whether there was something to do.
 */
export const onTree = (
  name: string,
  reason: string,
  change: (tree: Tree) => boolean,
): Mutator => ({
  name,
  reason,
  mutate(input, random, donor) {
    const artifact = parse(input);
    if (artifact.manifest.length === 0) return null;
    const { root, rest } = parseTree(artifact.manifest);
    const other = () => donor ? parseTree(parse(donor).manifest).root : null;
    if (!change({ root, random, other })) return null;
    return layOut({ ...artifact, manifest: encodeTree(root, rest) });
  },
});

/** A random spot that fits, or null. */
export function anySpot(
  { root, random }: Tree,
  fits: (spot: Spot) => boolean = () => true,
): Spot | null {
  const fitting = spots(root).filter((spot) => spot.parent !== null && fits(spot));
  return fitting.length === 0 ? null : random.pick(fitting);
}

/** Whether a spot is a key of a map. */
export const isKey = ({ parent, index }: Spot): boolean => parent?.major === 5 && index % 2 === 0;
