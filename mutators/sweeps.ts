/**
 * Sweeps: mutants that stay good, over every row of a table or length of a buffer that a reader may
 * have inside. A wrong row, or a border that is missed by a byte, shows nowhere else.
 */
import { BLOB, TENSOR } from "../corpus/writer/fields.ts";
import { join } from "../corpus/writer/bytes.ts";
import { layOut, parse, stringsOf } from "./artifact.ts";
import { getU32, putU32, same } from "./bytes.ts";
import { BYTES, encodeTree, TEXT } from "./cbor_tree.ts";
import { addStrings } from "./descriptors.ts";
import { anySpot, isKey, onTree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import { decomposed, textRun } from "./text_runs.ts";

const utf8 = new TextEncoder();

/** Windows and scratch buffers are as long as one of these, times a power of two. */
const BORDERS = [32, 55, 64, 84];
const POWERS = 7;
/** How far around a border: a field before it or after it. */
const AROUND = 72;

/** Records at most that a sweep adds. */
const MOST_RECORDS = 24;

export const sweeps: readonly Mutator[] = [
  onTree("sweep-text", "each row of the Unicode tables: assigned, composed, ordered", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, (one) => one.node.major === TEXT && !isKey(one));
    if (!spot) return false;
    const run = textRun(random);
    spot.node.bytes = utf8.encode(random.oneIn(4) ? decomposed(run, random) : run);
    return true;
  }),
  onTree("sweep-length", "each length of a text: windows end within what follows it", (tree) => {
    const { root, random } = tree;
    const spot = anySpot(tree, (one) => {
      const { major } = one.node;
      return (major === TEXT || major === BYTES) && !isKey(one);
    });
    if (!spot) return false;
    const { node } = spot;
    const border = random.pick(BORDERS) * 2 ** random.below(POWERS);
    const all = encodeTree(root).length;
    const length = border + random.between(-AROUND, AROUND) - (random.oneIn(2) ? all : 0);
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
