/** Values that stand in several places, changed in all of them: what a single change never reaches. */
import { TENSOR } from "../corpus/writer/fields.ts";
import { llamaSlots } from "../corpus/writer/build/model.ts";
import type { LlamaParameters } from "../corpus/writer/bodies.ts";
import { type Artifact, layOut, parse, stringsOf } from "./artifact.ts";
import { getU32, putU64 } from "./bytes.ts";
import { ARRAY, at, copyNode, encodeTree, MAP, type Node, parseTree, UINT } from "./cbor_tree.ts";
import { anySpot, isKey, onTree, type Tree } from "./manifest.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";
import { follow } from "./tensors.ts";

/** The parameters of llama/1 that shapes follow (classes.md section 2). */
export const SIZES = ["dim", "head_dim", "heads", "hidden_dim", "kv_heads", "vocab"] as const;

/** A larger model is not worth its hashing. */
const MOST_SIZE = 12;

/** Where numbers stop being exact in one way of holding them. */
const EDGES = [1n << 31n, 1n << 32n, 1n << 53n, 1n << 53n, 1n << 63n, (1n << 64n) - 3n];

export const relations: readonly Mutator[] = [
  {
    name: "llama-size",
    reason: "a parameter of llama/1 with every tensor of its shape: only their relations are wrong",
    mutate(input, random) {
      const artifact = parse(input);
      const { root, rest } = parseTree(artifact.manifest);
      const parameters = at(root, "body", "architecture", "parameters");
      const chosen = parameters && at(parameters, random.pick(SIZES));
      if (!parameters || chosen?.major !== UINT) return null;
      chosen.value = random.between(1, Math.min(MOST_SIZE, Number(chosen.value) + 2));
      if (!followParameters(artifact, parameters, random)) return null;
      return layOut({ ...artifact, manifest: encodeTree(root, rest) });
    },
  },
  onTree(
    "composition-adapter",
    "an adapter in the body and among the dependencies: named twice, gone, or one too many for its base",
    ({ root, random }) => {
      const adapters = at(root, "body", "adapters"), dependencies = at(root, "dependencies");
      if (adapters?.major !== ARRAY || dependencies?.major !== ARRAY) return false;
      const { items } = adapters;
      if (items.length === 0 || dependencies.items.length < items.length) return false;
      const first = dependencies.items.length - items.length;
      const i = random.below(items.length);
      const base = at(dependencies, 0, "artifact_class");
      if (base && random.oneIn(3)) base.value = random.between(1, 2);
      switch (random.below(4)) {
        case 0:
          return true;
        case 1:
          items.splice(i, 1);
          dependencies.items.splice(first + i, 1);
          return true;
      }
      const times = random.oneIn(8) ? random.pick([31, 32]) - items.length + 1 : 1;
      for (let n = 0; n < times; n++) {
        const id = copyNode(items[i]), dependency = copyNode(dependencies.items[first + i]);
        if (times > 1) {
          id.bytes[0] = n;
          const named = at(dependency, "id");
          if (named) named.bytes = id.bytes;
        }
        items.push(id);
        dependencies.items.push(dependency);
      }
      return true;
    },
  ),
  onTree(
    "manifest-neighbours",
    "two numbers that are compared, a step apart where a double or an i32 takes the step away",
    (tree) => {
      const { random } = tree;
      const [a, b] = random.oneIn(3) ? anyPair(tree) : pairInRow(tree);
      if (a?.major !== UINT || b?.major !== UINT) return false;
      const edge = random.pick(EDGES) + BigInt(random.between(-1, 1));
      a.value = plain(edge);
      b.value = plain(edge + BigInt(random.pick([1, 1, 1, 0, -1])));
      return true;
    },
  ),
];

/** A bigint only where a number does not hold it: nodes have the shortest head so. */
const plain = (n: bigint): number | bigint => n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;

/** Any two numbers: a bound and what it bounds. */
const anyPair = (tree: Tree): (Node | undefined)[] =>
  [0, 1].map(() => anySpot(tree, (spot) => spot.node.major === UINT && !isKey(spot))?.node);

/** The numbers under one key of two maps in a row, the second of which may be new. */
function pairInRow(tree: Tree): (Node | undefined)[] {
  const { random } = tree;
  const list = anySpot(
    tree,
    ({ node: { major, items } }) =>
      major === ARRAY && items.length > 0 && items.every(({ major }) => major === MAP),
  )?.node.items;
  if (!list) return [];
  const i = random.below(list.length);
  if (i + 1 === list.length || random.oneIn(2)) list.splice(i, 0, copyNode(list[i]));
  const { items } = list[i];
  const values = items.keys().filter((k) => k % 2 === 1 && items[k].major === UINT).toArray();
  if (values.length === 0) return [];
  const k = random.pick(values);
  return [items[k], list[i + 1].items[k]];
}

const numberAt = (map: Node, name: string): number => Number(at(map, name)?.value ?? NaN);

/** Gives each tensor the shape that the parameters ask of its role; false where one is no small number. */
export function followParameters(artifact: Artifact, parameters: Node, random: Random): boolean {
  const sizes = Object.fromEntries(SIZES.map((name) => [name, numberAt(parameters, name)]));
  if (Object.values(sizes).some((size) => !(size <= MOST_SIZE * MOST_SIZE))) return false;
  const slots = llamaSlots({ ...sizes, layers: 1, tied_output: false } as LlamaParameters);
  const shapes = new Map(slots.map(({ role, shape }) => [role, shape]));
  const strings = stringsOf(artifact.strings);
  const decoder = new TextDecoder();
  for (const entry of artifact.tensors) {
    const { record } = entry;
    const role = strings[getU32(record, TENSOR.semantic_role_string_id[0])];
    const shape = role && shapes.get(decoder.decode(role));
    if (!shape) continue;
    record[TENSOR.rank[0]] = shape.length;
    for (let axis = 0; axis < 8; axis++) {
      putU64(record, TENSOR.shape_0[0] + 8 * axis, shape[axis] ?? 0);
    }
    follow(entry, random);
  }
  return true;
}
