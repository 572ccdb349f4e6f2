/** What a manifest says (classes.md section 1): values that are well encoded and may be wrong. */
import { HEADER } from "../corpus/writer/fields.ts";
import { layOut, parse } from "./artifact.ts";
import { putU16, same } from "./bytes.ts";
import {
  ARRAY,
  array,
  at,
  BYTES,
  bytes,
  copyNode,
  encodeTree,
  MAP,
  NINT,
  node,
  parseTree,
  replace,
  SIMPLE,
  simple,
  sortItems,
  spots,
  TEXT,
  text,
  UINT,
  uint,
} from "./cbor_tree.ts";
import { anyItem } from "./items.ts";
import { anySpot, isKey, onTree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";
import { oddIdentifier } from "./strings.ts";

/** `rat` in and out of lowest terms, and other pairs. */
const RATIONALS = [
  [0, 1],
  [1, 1],
  [0, 2],
  [2, 2],
  [1, 0],
  [-1, 1],
  [3, 2],
  [2, 4],
  [-2, 4],
  [1000, 10],
  [-1, 0],
  [0, 0],
  [2 ** 32, 3],
  [2n ** 63n, 2n ** 63n + 1n],
  [-(2n ** 63n), 2],
  [2n ** 64n - 1n, 3],
  [1, 2n ** 64n - 1n],
  [6, 4],
  [99, 100],
  [101, 100],
] as const; // deno-fmt-ignore

/** Texts that some field takes: enums, operations, roles, kinds. */
const WORDS = [
  "byte-level-bpe/1", "score-bpe/1", "unigram/1", "wordpiece/1", "table/1", "reject", "token", "bytes",
  "byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback", "lora/1", "additive-delta/1",
  "sparse-delta/1", "multiplicative-vector/1", "a", "b", "delta", "index", "value", "v", "llama/1",
  "tensor-pack/1", "single/1", "layer-head-position/1", "flat/1", "cosine", "dot", "l2", "ed25519", "byte",
  "semantic", "no", "pass", "fail", "pending", "candidate", "promotable", "withdrawn", "base", "tokenizer",
  "chat-template", "adapter", "composition", "embedding", "subject", "nfc", "nfkc", "lowercase", "none",
  "org.minimodel.slm/2.0", "org.minimodel.slm/2.1", "",
] as const; // deno-fmt-ignore

const extension = (random: Random, critical: boolean) =>
  node(MAP, {
    items: [
      text("id"),
      random.oneIn(8) ? node(TEXT, { bytes: oddIdentifier(random) }) : text(random.pick(["a", "x.y", "zz"])),
      text("payload"),
      random.oneIn(2) ? bytes(random.bytes(random.below(4))) : node(MAP, { items: [text("k"), anyItem(random)] }),
      text("version"),
      uint(random.below(3)),
      text("critical"),
      simple(critical ? 21 : 20),
    ],
  });

export const meaning: readonly Mutator[] = [
  onTree("manifest-small-integer", "counts, ids, ranks and versions a little off", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major === UINT || node.major === NINT);
    if (!spot) return false;
    const near = Number(spot.node.value) + random.pick([1, -1, 2]);
    replace(
      spot,
      uint(
        random.oneIn(2) ? Math.max(-1, near) : random.pick([-2, -1, 0, 1, 2, 3, 4, 5, 13, 14, 256]),
      ),
    );
    return true;
  }),
  onTree("manifest-word", "a word that another field, class or operation would take", (tree) => {
    const spot = anySpot(tree, (spot) => spot.node.major === TEXT && !isKey(spot));
    if (!spot) return false;
    replace(spot, text(tree.random.pick(WORDS)));
    return true;
  }),
  onTree("manifest-null", "null where it is not allowed, a value where null stood", (tree) => {
    const { random } = tree;
    const spot = random.oneIn(2)
      ? anySpot(tree, ({ node }) => node.major === SIMPLE && node.value === 22)
      : anySpot(tree, (spot) => !isKey(spot));
    if (!spot) return false;
    const isNull = spot.node.major === SIMPLE && spot.node.value === 22;
    replace(
      spot,
      !isNull ? simple(22) : random.oneIn(2) ? bytes(random.bytes(32)) : uint(random.below(4)),
    );
    return true;
  }),
  onTree("manifest-boolean", "the other boolean", (tree) => {
    const spot = anySpot(tree, ({ node }) => node.major === SIMPLE && node.value !== 22);
    if (!spot) return false;
    spot.node.value = 41 - Number(spot.node.value);
    return true;
  }),
  onTree(
    "manifest-rational",
    "fractions not in lowest terms, negative, over one, without a denominator",
    (tree) => {
      const { random } = tree;
      const spot = anySpot(tree, ({ node }) =>
        node.major === ARRAY && node.items.length === 2 &&
        node.items.every(({ major }) => major === UINT || major === NINT));
      if (!spot) return false;
      replace(spot, array(...random.pick(RATIONALS).map(uint)));
      return true;
    },
  ),
  onTree(
    "manifest-rebind",
    "a digest changed wherever it stands: another good artifact",
    (tree) => {
      const spot = anySpot(tree, ({ node }) => node.major === BYTES && node.bytes.length === 32);
      if (!spot) return false;
      const before = spot.node.bytes, after = tree.random.bytes(32);
      for (const { node } of spots(tree.root)) {
        if (node.major === BYTES && same(node.bytes, before)) node.bytes = after;
      }
      return true;
    },
  ),
  onTree(
    "manifest-alias",
    "two digests or numbers that are one: self-reference, repeated ids",
    (tree) => {
      const a = anySpot(tree, (spot) => !isKey(spot) && spot.node.major <= TEXT);
      const b = a &&
        anySpot(
          tree,
          (spot) => spot.node.major === a.node.major && !isKey(spot) && spot.node !== a.node,
        );
      if (!b) {
        return false;
      }
      replace(b, copyNode(a.node));
      return true;
    },
  ),
  onTree(
    "manifest-extension",
    "extensions: critical, repeated, out of order, over sixty-four",
    (tree) => {
      const { random } = tree;
      const list = at(tree.root, "extensions");
      if (list?.major !== ARRAY) return false;
      const many = random.oneIn(16) ? random.between(62, 66) : 1;
      for (let i = 0; i < many; i++) {
        const one = extension(random, random.oneIn(4));
        if (many > 1) one.items[1] = text(`e${i}`);
        sortItems(one);
        list.items.splice(random.below(list.items.length + 1), 0, one);
      }
      if (random.oneIn(2)) sortItems(list);
      return true;
    },
  ),
  onTree(
    "manifest-features",
    "requirements: sets out of order, features that no runtime has",
    (tree) => {
      const { random } = tree;
      const list = at(tree.root, "requirements", "features");
      if (list?.major !== ARRAY) return false;
      list.items.splice(
        random.below(list.items.length + 1),
        0,
        text(random.pick(["a", "b", "bb", "A", "zz"])),
      );
      if (random.oneIn(2)) sortItems(list);
      return true;
    },
  ),
  onTree(
    "manifest-dependency",
    "dependencies missing, repeated, reordered, of another class or role",
    (tree) => {
      const { random } = tree;
      const list = at(tree.root, "dependencies");
      if (list?.major !== ARRAY) return false;
      if (list.items.length === 0 || random.oneIn(4)) {
        list.items.push(node(MAP, {
          items: [
            text("id"),
            bytes(random.bytes(32)),
            text("role"),
            text(random.pick(WORDS)),
            text("whole_file"),
            random.oneIn(2) ? simple(22) : bytes(random.bytes(32)),
            text("artifact_class"),
            uint(random.between(0, 14)),
          ], // deno-fmt-ignore
        }));
        return true;
      }
      const i = random.below(list.items.length);
      switch (random.below(5)) {
        case 0:
          list.items.splice(i, 1);
          break;
        case 1:
          list.items.splice(random.below(list.items.length + 1), 0, copyNode(list.items[i]));
          break;
        case 2:
          list.items.push(...list.items.splice(i, 1));
          break;
        case 3: {
          const found = at(list.items[i], "artifact_class");
          if (found) found.value = random.between(0, 14);
          break;
        }
        default: {
          const found = at(list.items[i], "whole_file");
          if (!found) break;
          const null_ = found.major === SIMPLE;
          Object.assign(found, null_ ? bytes(random.bytes(32)) : simple(22));
        }
      }
      return true;
    },
  ),
  onTree("manifest-many", "as many entries as a limit allows, and one more", (tree) => {
    const { random } = tree;
    const spot = anySpot(tree, ({ node }) => node.major === ARRAY && node.items.length > 0);
    if (!spot || !random.oneIn(8)) return false;
    const limit = random.pick([32, 64, 256]);
    const one = spot.node.items[0];
    if (spots(one).length > 64) return false; // entries of entries would grow without end
    const list = Array.from({ length: limit + random.pick([0, 1]) }, (_, i) => {
      const copy = copyNode(one);
      const number = spots(copy).find(({ node }) => node.major === UINT)?.node;
      if (number) number.value = i;
      const digest = spots(copy).find(({ node }) => node.major === BYTES)?.node;
      if (digest) digest.bytes = random.bytes(digest.bytes.length);
      return copy;
    });
    spot.node.items = list;
    return true;
  }),
  {
    name: "manifest-class",
    reason: "header and manifest agree on a class whose body and tables these are not",
    mutate(input, random) {
      const artifact = parse(input);
      const { root, rest } = parseTree(artifact.manifest);
      const found = at(root, "artifact_class");
      if (!found) return null;
      found.value = random.between(1, 13);
      putU16(artifact.header, HEADER.artifact_class[0], found.value);
      return layOut({ ...artifact, manifest: encodeTree(root, rest) });
    },
  },
  {
    name: "manifest-cut",
    reason: "a manifest that ends early, or goes on after its item",
    mutate(input, random) {
      const artifact = parse(input);
      const { manifest } = artifact;
      const less = random.oneIn(2)
        ? 1 + random.below(Math.min(8, manifest.length))
        : random.below(manifest.length);
      const cut = random.oneIn(3)
        ? Uint8Array.from([...manifest, ...random.pick([[0], [0xf6], [0xa0], [0xff], [0, 0]])])
        : manifest.subarray(0, manifest.length - less);
      return layOut({ ...artifact, manifest: cut });
    },
  },
];
