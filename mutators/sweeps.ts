/**
 * Sweeps: mutants that stay good, over every row of a table or length of a buffer that a reader may
 * have inside. A wrong row, or a border that is missed by a byte, shows nowhere else.
 */
import { BLOB, TENSOR } from "../corpus/writer/fields.ts";
import { join } from "../corpus/writer/bytes.ts";
import { layOut, parse, stringsOf } from "./artifact.ts";
import { getU32, putU32, same } from "./bytes.ts";
import { ARRAY, at, BYTES, copyNode, encodeTree, type Spot, TEXT } from "./cbor_tree.ts";
import { addStrings } from "./descriptors.ts";
import { anySpot, isKey, onTree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import { decomposed, textRun } from "./text_runs.ts";

const utf8 = new TextEncoder();

/** Windows and scratch buffers are as long as this, times a power of two. */
const WINDOW = 64;
const POWERS = 7;
/** How far around a border: a label before what is hashed, a field or two. */
const AROUND = 64;

/** Records at most that a sweep adds. */
const MOST_RECORDS = 24;

/** What may well have another length: no key, no digest; an array whose last item may come again. */
function isFree(spot: Spot): boolean {
  const { major, bytes, items } = spot.node;
  if (major === ARRAY) return items.length > 0;
  if (isKey(spot) || (major !== TEXT && major !== BYTES)) return false;
  return bytes.length !== 32 && bytes.length !== 64;
}

export const sweeps: readonly Mutator[] = [
  onTree("sweep-text", "each row of the Unicode tables: assigned, composed, ordered", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, (one) => one.node.major === TEXT && !isKey(one));
    if (!spot) return false;
    const run = textRun(random);
    spot.node.bytes = utf8.encode(random.oneIn(4) ? decomposed(run, random) : run);
    return true;
  }),
  onTree("sweep-length", "each length of a manifest: windows end within what it says", (tree) => {
    const { root, random } = tree;
    const spot = anySpot(tree, isFree);
    if (!spot) return false;
    const { node } = spot;
    const border = WINDOW * 2 ** random.below(POWERS);
    // what is hashed for identities ends before the extensions
    const after = random.oneIn(2) ? at(root, "extensions") : undefined;
    const all = encodeTree(root).length - (after ? encodeTree(after).length : 0);
    const more = border + random.between(-AROUND, AROUND) - all;
    if (node.major === ARRAY) {
      const last = node.items.at(-1)!;
      const times = Math.floor(more / Math.max(1, encodeTree(last).length));
      for (let i = 0; i < times; i++) node.items.push(copyNode(last));
      return times > 0;
    }
    const length = node.bytes.length + more;
    if (length <= 0) return false;
    const bytes = new Uint8Array(length).fill(0x61);
    bytes.set(node.bytes.subarray(0, length));
    node.bytes = bytes;
    return true;
  }),
  {
    name: "sweep-records",
    reason: "each number of records: counts, windows of a table and levels of a tree end somewhere",
    mutate(input, random) {
      const artifact = parse(input);
      const { tensors, blobs } = artifact;
      const [table, nameAt] = random.oneIn(4)
        ? [blobs, BLOB.canonical_name_string_id[0]] as const
        : [tensors, TENSOR.canonical_name_string_id[0]] as const;
      const last = table.at(-1);
      const name = last && stringsOf(artifact.strings)[getU32(last.record, nameAt)];
      if (!name) return null;
      const names = Array.from(
        { length: random.between(1, MOST_RECORDS) },
        (_, i) => join([name, Uint8Array.of(0x61 + i)]),
      );
      const first = addStrings(artifact, names).findIndex((one) => same(one, names[0]));
      for (const i of names.keys()) {
        const record = last.record.slice();
        putU32(record, nameAt, first + i);
        table.push({ record, object: last.object.slice() });
      }
      return layOut(artifact);
    },
  },
];
