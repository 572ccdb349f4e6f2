/** Stage 18: every member of every schema, broken in every way. */
import type { Code } from "../../../readers/contract.ts";
import { entriesOf, type Item } from "../../writer/cbor.ts";
import { type Case, corrupt, type Recipe, type ValidCase } from "../case.ts";
import { at, changed, edited, manifestItem, type Path, replaced } from "../items.ts";
import { RICH, richAnnouncement, richEnvelope } from "../rich.ts";
import { manifest, type Node, RULES } from "../schema_data.ts";
import { faultsAt, NO_IDENTIFIERS } from "../schema_faults.ts";

/** The sentence of classes.md section 1 that gives each code. */
const SENTENCES: { readonly [code: string]: string } = {
  WrongType: "classes-1 wrong type (major type",
  UnknownCoreKey: "classes-1 a key that the schema does not have",
  MissingCoreKey: "classes-1 absent and required",
  BadValue: "classes-1 out of its range",
  BadIdentifier: "classes-1 not an identifier where",
  UnsortedSet: "classes-1 Arrays: length",
};

/** The sentences about a kind of place. */
const KIND: { readonly [is in Node["is"]]?: readonly string[] } = {
  map: ["classes-1 At a map", "classes-1 a map or an array: checked inside"],
  table: ["classes-1 In a map `{ * id"],
  rat: ["classes-0 `id` is a machine identifier"],
  set: ["classes-0 `set<x>`"],
};

/** Each place of a schema that has an item in the parent, with the path to it. */
function* places(node: Node, item: Item, path: Path): Generator<[Node, Item, Path]> {
  yield [node, item, path];
  const inner = node.is === "nullable" ? node.of : node;
  if (inner.is === "map") {
    for (const [key, member] of Object.entries(inner.members)) {
      yield* places(member, at(item, [key]), [...path, key]);
    }
  } else if (inner.is === "array" || inner.is === "set") {
    const list = item as readonly Item[];
    if (list.length > 0) yield* places(inner.of, list[0], [...path, 0]);
  } else if (inner.is === "tuple") {
    for (const [i, one] of inner.of.entries()) {
      yield* places(one, (item as readonly Item[])[i], [...path, i]);
    }
  } else if (inner.is === "table") {
    const [first] = entriesOf(item as ReadonlyMap<string, Item>);
    if (first) yield* places(inner.of, first[1], [...path, first[0]]);
  }
}

const cite = (code: Code): string[] => SENTENCES[code] ? [SENTENCES[code]] : [];

function* breaks(recipe: Recipe, parent: ValidCase, path: Path, node: Node): Generator<Case> {
  for (const [place, item, where] of places(node, at(manifestItem(parent), path), path)) {
    const local = where.slice(path.length).map((step) => `${step}`.replaceAll("/", "-")).join(".");
    for (const { local: how, put, code, why } of faultsAt(place, item)) {
      yield corrupt(
        parent,
        `${recipe.name}/${local === "" ? "" : `${local}-`}${how}`,
        `${where.join(".")}: ${why}`,
        edited(parent, where, put),
        [18, code, "manifest"],
        { cites: [...cite(code), ...KIND[place.is] ?? [], ...memberClause(where)] },
      );
    }
  }
}

/** The clause of the schema's member at a path. */
function memberClause(where: Path): string[] {
  const [top, first, , third] = where;
  if (top === "dependencies" && third === undefined && typeof where[2] === "string") {
    return [`classes-1 dependency.${where[2]}:`];
  }
  if (top === "extensions" && typeof where[2] === "string") {
    return [`classes-1 extension.${where[2]}:`];
  }
  if (top === "body" && first === "architecture" && typeof where[2] === "string") {
    return [`classes-2 architecture.${where[2]}:`];
  }
  if (top === "body" && first === "operations" && typeof third === "string") {
    const deeper = where.length === (third === "target" ? 5 : third === "tensors" ? 6 : 0)
      ? [`classes-3 key.${where.at(-1)}:`]
      : [];
    return [`classes-3 operation.${third}:`, ...deeper];
  }
  if (top !== "body" || first === undefined) {
    return top === undefined ? [] : [`classes-1 manifest.${top}:`];
  }
  return [];
}

const envelope: Recipe = {
  name: "corrupt/schema/manifest",
  reason: "the map around every body: each member missing, of another type, out of its range",
  spec: "classes.md 1",
  cites: ["slm2-8.18 schema codes", "classes-0 Every map is closed"],
  cases() {
    const parent = richAnnouncement();
    const node = manifest(13);
    const outer = node.is === "map"
      ? { ...node, members: { ...node.members, body: { is: "open" } as const } }
      : node;
    return [...breaks(envelope, parent, [], outer)];
  },
};

/** One recipe a class. */
const bodies: readonly Recipe[] = RICH.map((make, i) => {
  const artifact_class = i + 1;
  const [section, rule] = RULES[artifact_class];
  const recipe: Recipe = {
    name: `corrupt/schema/class-${artifact_class}`,
    reason:
      `the body of class ${artifact_class}: each member missing, of another type, out of its range`,
    spec: `classes.md ${section.slice("classes-".length)}`,
    cites: [],
    cases() {
      const parent = make();
      const node = manifest(artifact_class);
      if (node.is !== "map") return [];
      return [...breaks(recipe, parent, ["body"], node.members.body)].map((one) => {
        const member = /^(?:.*\/)([a-z_]+)/.exec(one.id)![1];
        const known = Object.keys((node.members.body as { members: object }).members);
        const key = known.find((key) => member === key);
        return key ? { ...one, cites: [...one.cites ?? [], `${section} ${rule}.${key}:`] } : one;
      });
    },
  };
  return recipe;
});

const identifiers: Recipe = {
  name: "corrupt/schema/identifier",
  reason: "everything that is nearly an identifier",
  spec: "slm2.md 6, classes.md 1",
  cites: ["slm2-6 Identifier:", "classes-1 not an identifier where"],
  cases: () =>
    NO_IDENTIFIERS.map(([local, text]) =>
      corrupt(
        richEnvelope(),
        `${identifiers.name}/${local}`,
        `statement_type is ${JSON.stringify(text)}`,
        replaced(richEnvelope(), ["body", "statement_type"], text),
        [18, "BadIdentifier", "manifest"],
      )
    ),
};

const last: Recipe = {
  name: "corrupt/schema/last-element",
  reason: "a list is checked to its end, not only where it begins",
  spec: "classes.md 1",
  cites: ["classes-1 Arrays: length"],
  cases() {
    const one = (index: number, path: Path, value: Item, code: Code, why: string) => {
      const parent = RICH[index - 1]();
      return corrupt(
        parent,
        `${last.name}/${index}-${path.filter((step) => step !== "body").join(".")}`,
        why,
        replaced(parent, path, value),
        [18, code, "manifest"],
      );
    };
    return [
      one(3, ["body", "operations", 2, "merge"], 0, "WrongType", "the third operation"),
      one(3, ["body", "operations", 0, "shape", 1], "2", "WrongType", "the second dimension"),
      one(4, ["body", "stop_tokens", 1], -1, "WrongType", "the second stop token"),
      one(4, ["body", "decoder", 3], "x", "BadValue", "the fourth decoder"),
      one(6, ["body", "adapters", 1], new Uint8Array(31), "BadValue", "the second adapter"),
      one(11, ["body", "sources", 1, "commit"], null, "WrongType", "the second source"),
      one(
        11,
        ["body", "sources", 0, "files", 1, 1],
        new Uint8Array(33),
        "BadValue",
        "the second file's hash",
      ),
      one(13, ["body", "subjects", 1, "id"], "x", "WrongType", "the second subject"),
      one(13, ["dependencies", 1, "role"], "Subject", "BadIdentifier", "the second dependency"),
      one(13, ["extensions", 1, "version"], -1, "WrongType", "the second extension"),
      one(13, ["requirements", "features", 1], "Two", "BadIdentifier", "the second feature"),
    ];
  },
};

/** A copy of a manifest with several places changed; for recipes of relations. */
export const withPlaces = (item: Item, places: readonly (readonly [Path, Item])[]): Item =>
  places.reduce((one, [path, value]) => changed(one, path, () => value), item);

export const schema: readonly Recipe[] = [envelope, ...bodies, identifiers, last];
