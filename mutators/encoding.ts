/** How SLM-DCBOR-1 is written (section 5): one value has one encoding, and every other is refused. */
import {
  argumentOf,
  ARRAY,
  array,
  BYTES,
  copyNode,
  MAP,
  NINT,
  node,
  opaque,
  replace,
  SIMPLE,
  sortItems,
  TAG,
  TEXT,
  text,
  UINT,
} from "./cbor_tree.ts";
import {
  anyItem,
  ARGUMENTS,
  FOREIGN,
  oddInteger,
  promise,
  shortestHead,
  wideHead,
} from "./items.ts";
import { anySpot, isKey, onTree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import { anyCodePoint, marked, oddText } from "./odd_texts.ts";
import { oddIdentifier } from "./strings.ts";

export const encoding: readonly Mutator[] = [
  onTree("cbor-longer", "a head longer than the argument needs", (tree) => {
    const spot = anySpot(tree, ({ node }) => node.major < SIMPLE && node.head === null);
    if (!spot) return false;
    const argument = argumentOf(spot.node);
    const least = [24, 0x100, 0x10000, 0x1_0000_0000].filter((n) => argument >= n).length;
    if (least > 3) return false;
    spot.node.head = wideHead(spot.node.major, argument, 24 + tree.random.between(least, 3));
    return true;
  }),
  onTree("cbor-lie", "a head that promises more, or less, than follows", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major >= BYTES && node.major <= MAP);
    if (!spot) return false;
    const now = BigInt(argumentOf(spot.node));
    const lie = random.oneIn(2)
      ? random.pick(ARGUMENTS)
      : now + random.pick([1n, 2n, now > 0n ? -1n : 1n]);
    spot.node.head = shortestHead(spot.node.major, lie);
    return true;
  }),
  onTree(
    "cbor-foreign",
    "tags, floats, undefined, breaks, reserved and indefinite forms",
    (tree) => {
      const spot = anySpot(tree);
      if (!spot) return false;
      replace(spot, opaque(tree.random.pick(FOREIGN)));
      return true;
    },
  ),
  onTree("cbor-indefinite", "a string, array or map without a length, well closed", (tree) => {
    const spot = anySpot(tree, ({ node }) => node.major >= BYTES && node.major <= MAP);
    if (!spot) return false;
    const { major } = spot.node;
    const inner = major >= ARRAY ? spot.node.items : [copyNode(spot.node)];
    const open = node(major, { head: Uint8Array.of((major << 5) | 31), items: [...inner] });
    open.items.push(opaque(Uint8Array.of(0xff)));
    replace(spot, open);
    return true;
  }),
  onTree("cbor-tag", "a tagged item is another item", (tree) => {
    const spot = anySpot(tree);
    if (!spot) return false;
    const tag = tree.random.pick(["c0", "c2", "d7", "d818", "d9d9f7"]);
    replace(spot, node(TAG, { head: Uint8Array.fromHex(tag), items: [spot.node] }));
    return true;
  }),
  onTree("cbor-type", "a good item of another type, or another good item of the same", (tree) => {
    const spot = anySpot(tree);
    if (!spot) return false;
    replace(spot, anyItem(tree.random));
    return true;
  }),
  onTree("cbor-nest", "depth: up to its limit, at it, and past it", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, random.oneIn(8) ? isKey : (one) => !isKey(one));
    if (!spot) return false;
    let inside = random.oneIn(3)
      ? promise(random, random.between(BYTES, MAP))
      : random.oneIn(2)
      ? spot.node
      : array();
    const levels = random.oneIn(3) ? random.between(1, 3) : random.between(15, 18) - spot.depth;
    for (let i = 0; i < levels; i++) {
      inside = random.oneIn(4) ? node(MAP, { items: [text("a"), inside] }) : array(inside);
    }
    replace(spot, inside);
    return true;
  }),
  onTree(
    "cbor-deep-promise",
    "a container that promises anything, about where depth ends",
    (tree) => {
      const { random } = tree;
      const spot = anySpot(tree, (one) => !isKey(one));
      if (!spot) return false;
      let inside = promise(random, random.pick([ARRAY, MAP]));
      const levels = random.between(15, 17) - spot.depth;
      for (let i = 0; i < levels; i++) inside = array(inside);
      replace(spot, inside);
      return true;
    },
  ),
  onTree(
    "cbor-integer",
    "integers at the borders of encodings, of 2^32, 2^53, 2^63 and 2^64",
    (tree) => {
      const spot = anySpot(tree, ({ node }) => node.major === UINT || node.major === NINT);
      if (!spot) return false;
      const { random } = tree, one = spot.node;
      if (random.oneIn(3)) one.major = UINT + NINT - one.major;
      if (random.oneIn(2)) one.value = oddInteger(random);
      else {
        const next = BigInt(one.value) + random.pick([1n, -1n, 2n, 256n, 2n ** 32n, 2n ** 53n]);
        one.value = next < 0n
          ? 0
          : next <= Number.MAX_SAFE_INTEGER
          ? Number(next)
          : next & (2n ** 64n - 1n);
      }
      one.head = null;
      return true;
    },
  ),
  onTree("cbor-text", "UTF-8, assigned code points and NFC, inside good text", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major === TEXT);
    if (!spot) return false;
    const one = spot.node;
    const part = random.pick([oddText, anyCodePoint, marked])(random);
    const from = random.pick([0, one.bytes.length, random.below(one.bytes.length + 1)]);
    const whole = [one.bytes.subarray(0, from), part];
    if (random.oneIn(3)) whole.push(anyCodePoint(random));
    if (!random.oneIn(3)) whole.push(one.bytes.subarray(from));
    one.bytes = joined(whole);
    if (isKey(spot) && spot.parent && random.oneIn(2)) sortItems(spot.parent);
    return true;
  }),
  onTree("cbor-identifier", "a text or key that is no identifier, or a long one", (tree) => {
    const spot = anySpot(tree, ({ node }) => node.major === TEXT);
    if (!spot) return false;
    spot.node.bytes = oddIdentifier(tree.random);
    if (isKey(spot) && spot.parent && tree.random.oneIn(2)) sortItems(spot.parent);
    return true;
  }),
  onTree("cbor-bytes", "byte strings one short, one long, empty, zero", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major === BYTES);
    if (!spot) return false;
    const one = spot.node;
    const kept = one.bytes.slice();
    switch (random.below(4)) {
      case 0:
        one.bytes = kept.subarray(0, Math.max(0, kept.length - 1));
        break;
      case 1:
        one.bytes = joined([kept, random.bytes(1)]);
        break;
      case 2:
        one.bytes = random.oneIn(2) ? new Uint8Array(0) : new Uint8Array(kept.length);
        break;
      default:
        one.bytes = kept;
        if (kept.length > 0) kept[random.below(kept.length)] ^= 1 << random.below(8);
    }
    return true;
  }),
  onTree("cbor-order", "map entries or array elements in another place", (tree) => {
    const { random } = tree;
    const spot = anySpot(
      tree,
      ({ node }) =>
        node.major === ARRAY && node.items.length > 1 ||
        node.major === MAP && node.items.length > 3,
    );
    const one = random.oneIn(4) || !spot ? tree.root : spot.node;
    const step = one.major === MAP ? 2 : 1;
    const count = Math.floor(one.items.length / step);
    if (count < 2) return false;
    const from = random.below(count);
    const moved = one.items.splice(from * step, step);
    one.items.splice(random.below(count) * step, 0, ...moved);
    return true;
  }),
  onTree(
    "cbor-repeat",
    "a key, or an element of a set, twice: side by side or far apart",
    (tree) => {
      const { random } = tree;
      const spot = anySpot(tree, ({ node }) => node.major >= ARRAY && node.items.length > 0);
      if (!spot) return false;
      const one = random.oneIn(5) ? tree.root : spot.node;
      const step = one.major === MAP ? 2 : 1;
      const from = random.below(Math.floor(one.items.length / step)) * step;
      const copies = one.items.slice(from, from + step).map(copyNode);
      if (step === 2 && copies[1] && random.oneIn(2)) copies[1] = anyItem(random);
      const to = random.oneIn(2) ? from + step : random.below(one.items.length / step + 1) * step;
      one.items.splice(Math.floor(to), 0, ...copies);
      return true;
    },
  ),
  onTree("cbor-drop", "an entry or element that is missing", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major >= ARRAY && node.items.length > 0);
    const one = random.oneIn(4) || !spot ? tree.root : spot.node;
    const step = one.major === MAP ? 2 : 1;
    if (one.items.length < step) return false;
    one.items.splice(random.below(Math.floor(one.items.length / step)) * step, step);
    return true;
  }),
  onTree("cbor-key", "a key that the schema does not have, in its place or out of it", (tree) => {
    const { random } = tree;
    const maps = anySpot(tree, ({ node }) => node.major === MAP);
    const map = random.oneIn(3) || !maps ? tree.root : maps.node;
    if (map.major !== MAP) return false;
    const key = random.oneIn(5)
      ? anyItem(random)
      : text(random.pick(["a", "zz", "constructor", "__proto__", "toString", "\u00e9", "id", ""]));
    const where = 2 * random.below(map.items.length / 2 + 1);
    map.items.splice(where, 0, key, anyItem(random));
    if (!random.oneIn(4)) sortItems(map);
    return true;
  }),
  onTree("cbor-rename", "a key one letter away from a good one", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, isKey);
    if (!spot || spot.node.bytes.length === 0) return false;
    const kept = spot.node.bytes.slice();
    kept[random.below(kept.length)] ^= 1 << random.below(5);
    spot.node.bytes = kept;
    if (spot.parent && random.oneIn(2)) sortItems(spot.parent);
    return true;
  }),
  onTree("cbor-splice", "an item of another manifest, or of elsewhere in this one", (tree) => {
    const { random } = tree;
    const from = random.oneIn(2) ? tree.other() : tree.root;
    const taken = from && anySpot({ ...tree, root: from });
    const spot = anySpot(tree);
    if (!taken || !spot) return false;
    const part = copyNode(taken.node);
    if (random.oneIn(3) && spot.parent?.major === ARRAY) {
      spot.parent.items.splice(spot.index, 0, part);
    } else replace(spot, part);
    return true;
  }),
];

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
