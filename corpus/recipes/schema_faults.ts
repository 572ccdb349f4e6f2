/** Every way in which one place of a manifest can break its schema (classes.md section 1). */
import type { Code } from "../../readers/contract.ts";
import { entriesOf, type Item } from "../writer/cbor.ts";
import { withEntry, without } from "./items.ts";
import type { Node } from "./schema_data.ts";

/** One fault: what to put instead of the item there, and what the specification says of it. */
export interface SchemaFault {
  readonly local: string;
  readonly put: (item: Item) => Item;
  readonly code: Code;
  readonly why: string;
}

const SAMPLES: { readonly [type: string]: Item } = {
  uint: 1,
  nint: -1,
  bytes: new Uint8Array([1]),
  text: "x",
  array: [],
  map: {},
  bool: true,
  null: null,
};

/** The types that a place may have, and those that a careless reader takes for them. */
const TYPES: { readonly [is in Node["is"]]?: readonly [own: string[], near: string[]] } = {
  uint: [["uint"], ["nint", "text", "bool", "null"]],
  int: [["uint", "nint"], ["text", "bool", "null"]],
  bool: [["bool"], ["uint", "text", "null"]],
  text: [["text"], ["bytes", "uint", "null"]],
  id: [["text"], ["bytes", "uint", "null"]],
  bytes: [["bytes"], ["text", "array", "uint", "null"]],
  rat: [["array"], ["uint", "map", "null"]],
  tuple: [["array"], ["text", "map", "null"]],
  array: [["array"], ["map", "uint", "null"]],
  set: [["array"], ["map", "uint", "null"]],
  map: [["map"], ["array", "text", "null"]],
  table: [["map"], ["array", "text", "null"]],
  open: [["map"], ["array", "text", "null"]],
  payload: [["bytes", "map"], ["text", "array", "uint", "null", "bool"]],
  ops: [["array"], ["map", "text", "null"]],
  block: [["array"], ["map", "uint", "null"]],
};

const near = (node: Node): readonly string[] => {
  if (node.is === "nullable") return near(node.of).filter((type) => type !== "null");
  if (node.is === "one") {
    return typeof node.of[0] === "number" ? TYPES.uint![1] : TYPES.text![1];
  }
  return TYPES[node.is]![1];
};

const fault = (local: string, value: Item, code: Code, why: string): SchemaFault => ({
  local,
  put: () => value,
  code,
  why,
});

/** Texts that are no identifiers (slm2.md section 6). */
export const NO_IDENTIFIERS: readonly (readonly [local: string, text: string])[] = [
  ["empty", ""],
  ["upper", "Name"],
  ["space", "a b"],
  ["underscore-first", "_a"],
  ["dot-first", ".a"],
  ["dash-first", "-a"],
  ["slash-first", "/a"],
  ["slash-last", "a/"],
  ["slash-twice", "a//b"],
  ["dot", "a/."],
  ["dot-inside", "a/./b"],
  ["dots", "a/.."],
  ["dots-inside", "a/../b"],
  ["length-256", "a".repeat(256)],
  ["nul", "a\0"],
  ["newline", "a\n"],
  ["backslash", "a\\b"],
  ["colon", "c:a"],
  ["letter-outside-ascii", "\u00e9"],
  ["full-width", "\uff41"],
];

/** The faults of the item at a place, not of those inside it. */
export function faultsAt(node: Node, item: Item): SchemaFault[] {
  return [
    ...near(node).map((type) =>
      fault(
        `is-${type}`,
        SAMPLES[type],
        "WrongType",
        `${type} where the schema has ${nameOf(node)}`,
      )
    ),
    ...own(node, item),
  ];
}

const nameOf = (node: Node): string =>
  node.is === "nullable" ? `${nameOf(node.of)} or null` : node.is;

function own(node: Node, item: Item): SchemaFault[] {
  switch (node.is) {
    case "nullable":
      return own(node.of, item);
    case "id":
      return [["", "empty"], ["Name", "upper"], ["a//b", "slash-twice"]].map(([text, local]) =>
        fault(local, text, "BadIdentifier", "no identifier")
      );
    case "bytes":
      return node.size === undefined ? [] : [0, node.size - 1, node.size + 1].map((n) =>
        fault(
          `length-${n}`,
          new Uint8Array(n).fill(7),
          "BadValue",
          `${n} bytes, not ${node.size}`,
        )
      );
    case "one":
      return others(node.of).map(([local, value]) =>
        fault(local, value, node.mismatch ?? "BadValue", "none of the values that may stand there")
      );
    case "rat":
      return RATIONALS;
    case "tuple":
      return [
        fault("short", (item as readonly Item[]).slice(1), "BadValue", "one element too few"),
        fault("long", [...item as readonly Item[], 0], "BadValue", "one element too many"),
      ];
    case "array":
      return [
        ...(node.least ? [fault("none", [], "BadValue", `fewer than ${node.least}`)] : []),
      ];
    case "set": {
      const list = item as readonly Item[];
      return [
        fault(
          "unsorted",
          [...list].reverse(),
          "UnsortedSet",
          "members not in the order of their encodings",
        ),
        fault("repeated", [list[0], ...list], "UnsortedSet", "a member twice"),
        fault("repeated-last", [...list, list.at(-1)!], "UnsortedSet", "the last member twice"),
      ];
    }
    case "map":
      return [
        ...["a", "zzzzzzzzzzzzzzzzzzzzzzzz"].map((key): SchemaFault => ({
          local: `unknown-${key.length === 1 ? "first" : "last"}`,
          put: (map) => withEntry(map, key, 0),
          code: "UnknownCoreKey",
          why: `a key ${key} that the schema does not have`,
        })),
        ...Object.keys(node.members).map((key): SchemaFault => ({
          local: `without-${key}`,
          put: (map) => without(map, key),
          code: "MissingCoreKey",
          why: `${key} is missing`,
        })),
      ];
    case "table":
      return ["", "Name"].map((key): SchemaFault => ({
        local: `key-${key === "" ? "empty" : "upper"}`,
        put: (map) => withEntry(map, key, entriesOf(map as ReadonlyMap<string, Item>)[0][1]),
        code: "BadIdentifier",
        why: `a key "${key}" that is no identifier`,
      }));
    default:
      return [];
  }
}

function others(of: readonly (string | number)[]): [string, Item][] {
  const [first] = of;
  return typeof first === "number"
    ? [["minus-one", first - 1], ["plus-one", first + 1]]
    : [["other", "other/1"], ["longer", `${first}0`], ["shorter", first.slice(0, -1)], [
      "upper",
      first.toUpperCase(),
    ]];
}

const RATIONALS: SchemaFault[] = [
  fault("length-0", [], "BadValue", "no element"),
  fault("length-1", [1], "BadValue", "one element"),
  fault("length-3", [1, 2, 3], "BadValue", "three elements"),
  fault("numerator-text", ["1", 1], "WrongType", "a numerator that is text"),
  fault("numerator-bool", [true, 1], "WrongType", "a numerator that is true"),
  fault(
    "denominator-negative",
    [1, -1],
    "WrongType",
    "a negative denominator is another major type",
  ),
  fault("denominator-null", [1, null], "WrongType", "a denominator that is null"),
  fault("denominator-0", [1, 0], "BadValue", "a denominator of 0"),
  fault("zero-over-zero", [0, 0], "BadValue", "0 over 0"),
  fault("zero-over-2", [0, 2], "BadValue", "zero is [0, 1] only"),
  fault("gcd-2", [2, 4], "BadValue", "not in lowest terms"),
  fault("gcd-large", [2n ** 63n, 2n ** 62n], "BadValue", "not in lowest terms, above 2^53"),
  fault("gcd-negative", [-3, 9], "BadValue", "not in lowest terms, negative"),
];
