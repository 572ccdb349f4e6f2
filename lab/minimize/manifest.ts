/** Items of the manifest: left out, put in place of what holds them, emptied, shortened. */
import type { Artifact } from "../../mutators/artifact.ts";
import { parse } from "../../mutators/artifact.ts";
import { same } from "../../mutators/bytes.ts";
import {
  ARRAY,
  array,
  BYTES,
  encodeTree,
  MAP,
  Node,
  parseTree,
  type Spot,
  spots,
  TEXT,
  uint,
} from "../../mutators/cbor_tree.ts";
import type { Search } from "./search.ts";

export async function shrinkManifest(search: Search): Promise<void> {
  const all = () => spots(parseTree(parse(search.best).manifest).root);
  // from the last item to the first: what was tried behind an item keeps its number
  for (let number = all().length - 1; number >= 0 && !search.over; number--) {
    const spot = all()[number];
    if (spot === undefined) continue;
    for (const change of CHANGES) {
      if (await search.takeEdited((artifact) => changed(artifact, number, change))) break;
    }
    if (spot.node.major === ARRAY || spot.node.major === MAP) await thinItems(search, number);
  }
}

/** Leaves out elements or entries of one item, many at a time. */
async function thinItems(search: Search, number: number): Promise<void> {
  const here = () => spots(parseTree(parse(search.best).manifest).root)[number]?.node;
  const step = here()?.major === MAP ? 2 : 1;
  const count = () => Math.floor((here()?.items.length ?? 0) / step);
  await search.thin(
    count,
    (at, length) =>
      search.takeEdited((artifact) =>
        changed(artifact, number, ({ node }) => {
          node.items.splice(at * step, length * step);
        })
      ),
  );
}

/** Makes an item smaller; false where it cannot be. */
type Change = (spot: Spot) => boolean | void;

const put = ({ parent, index }: Spot, node: Node): boolean => {
  if (parent === null) return false;
  parent.items[index] = node;
  return true;
};

const shorten = (length: (now: number) => number): Change => ({ node }) => {
  const { major, bytes } = node;
  if (major !== BYTES && major !== TEXT) return false;
  const wanted = length(bytes.length);
  if (wanted < 0 || wanted >= bytes.length) return false;
  node.bytes = bytes.subarray(0, wanted);
  return true;
};

const CHANGES: readonly Change[] = [
  (spot) => put(spot, uint(0)),
  (spot) => put(spot, new Node(TEXT)),
  (spot) => put(spot, array()),
  (spot) => put(spot, new Node(MAP)),
  ...[0, 1, 2].map((child): Change => (spot) =>
    spot.node.items[child] !== undefined && put(spot, spot.node.items[child])
  ),
  ({ node }) => node.major === ARRAY && node.items.length > 0 && void (node.items = []),
  ({ node }) => node.major === MAP && node.items.length > 0 && void (node.items = []),
  shorten(() => 0),
  shorten(() => 1),
  shorten((now) => now >> 1),
  shorten((now) => now - 1),
];

/** Changes item `number` of the manifest. */
function changed(artifact: Artifact, number: number, change: Change): boolean {
  const { root, rest } = parseTree(artifact.manifest);
  const spot = spots(root)[number];
  if (spot === undefined || change(spot) === false) return false;
  artifact.manifest = encodeTree(root, rest);
  return true;
}

/** Gives texts of the manifest that name what is renamed their new name. */
export function renameTexts(
  artifact: Artifact,
  before: readonly Uint8Array[],
  after: readonly Uint8Array[],
): void {
  const { root, rest } = parseTree(artifact.manifest);
  for (const { node } of spots(root)) {
    const id = node.major === TEXT ? before.findIndex((name) => same(name, node.bytes)) : -1;
    if (id >= 0) node.bytes = after[id];
  }
  artifact.manifest = encodeTree(root, rest);
}
