/**
 * What an adapter says of its base, its tokenizer and its targets, untrue in several places at once:
 * the checks of classes.md section 6 have an order, which a single fault never shows.
 */
import { same } from "../bytes.ts";
import { at, BYTES, type Node, spots, text, UINT, uint } from "../cbor_tree.ts";
import type { Random } from "../random.ts";
import { type Asker, withTree } from "./asker.ts";

const ADAPTER = 3;
/** How many claims are made untrue together. */
const TOGETHER = [1, 2, 2, 3];

/** Whether a claim stands for something: an absent profile, rank or axis has to stay absent. */
const isPresent = ({ major, value, bytes }: Node): boolean =>
  major === UINT ? value > 0 : major === BYTES && bytes.some((byte) => byte !== 0);

/** Another digest, wherever the manifest has this one: among its dependencies too. */
const otherDigest: Change = (node, random, root) => {
  const { bytes } = node;
  if (node.major !== BYTES) Object.assign(node, { major: BYTES, bytes: random.bytes(32) });
  else if (isPresent(node)) {
    const other = bytes.with(0, bytes[0] ^ 1 + random.below(255));
    for (const { node: one } of spots(root)) if (same(one.bytes, bytes)) one.bytes = other;
  }
};

const otherNumber: Change = (node, random) => {
  if (isPresent(node)) node.value = Number(node.value) + random.pick([1, 1, 2]);
};

const otherText: Change = (node) => void Object.assign(node, text("other"));

const otherShape: Change = (node, random) => {
  const { items } = node;
  const what = items.length === 0 ? 0 : random.below(4);
  if (what === 0) items.push(uint(1));
  else if (what === 1) items.pop();
  else random.pick(items).value = random.between(1, 4);
};

type Change = (node: Node, random: Random, root: Node) => void;

/** Claims of the body, in the order in which they are checked. */
const CLAIMS: readonly (readonly [path: readonly string[], change: Change])[] = [
  [["base", "model_id"], otherDigest],
  [["base", "whole_file"], otherDigest],
  [["base", "layout_id"], otherDigest],
  [["tokenizer_id"], otherDigest],
];

/** Claims of an operation, likewise. */
const OF_OPERATION: typeof CLAIMS = [
  [["target", "name"], otherText],
  [["target", "role"], otherText],
  [["shape"], otherShape],
  [["rank"], otherNumber],
  [["axis"], otherNumber],
  [["element_type"], otherNumber],
  [["kernel_contract"], otherNumber],
  [["profile"], otherDigest],
];

/** Makes one claim of the adapter untrue. */
function belie(root: Node, body: Node, random: Random): void {
  const operations = at(body, "operations")?.items ?? [];
  const inOperation = operations.length > 0 && random.oneIn(2);
  const [path, change] = random.pick(inOperation ? OF_OPERATION : CLAIMS);
  const claim = at(inOperation ? random.pick(operations) : body, ...path);
  if (claim) change(claim, random, root);
}

export const claimAskers: readonly Asker[] = [
  {
    name: "resolve-claims",
    reason: "an adapter that claims several untrue things: the order in which they are checked",
    weight: 4,
    op: "read",
    ask({ line, artifacts }, random) {
      const places = artifacts.keys().filter((i) => artifacts[i][36] === ADAPTER).toArray();
      if (line.resolve === undefined || places.length === 0) return false;
      const place = random.pick(places);
      artifacts[place] = withTree(artifacts[place], (root) => {
        const body = at(root, "body");
        if (!body) return;
        for (let n = random.pick(TOGETHER); n > 0; n--) belie(root, body, random);
      });
      return true;
    },
  },
];
