/** The order set of a manifest: schema keys, and what follows the schema. */
import { encode, type Item } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { digestOf } from "../bytes.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { changed, manifestItem, type Path, withEntry, without } from "../items.ts";
import { model, tok } from "../library.ts";
import { withBytes, withManifest } from "../parts.ts";
import {
  richAdapter,
  richAnnouncement,
  richComposition,
  richEnvelope,
  richTemplate,
  richTokenizer,
} from "../rich.ts";
import { cbor } from "./cbor.ts";
import { payload } from "./payload.ts";
import { TWO } from "./two_faults.ts";

/** A change at one place of a manifest, and what the specification says of it. */
type Change = readonly [name: string, path: Path, put: (item: Item) => Item, code: Rejection[1]];

export const to = (value: Item) => () => value;

/** A case for each change with the next ones of its list. */
function chain(recipe: Recipe, parent: ValidCase, changes: readonly Change[], reach = 3): Case[] {
  const prefix = `class-${parent.identities.class}-`;
  return changes.flatMap(([first, path, put, code], i) =>
    changes.slice(i + 1, i + 1 + reach).map(([second, path2, put2]) => {
      const item = changed(changed(manifestItem(parent), path2, put2), path, put);
      return corrupt(
        parent,
        `${recipe.name}/${prefix}${first}-before-${second}`,
        `${first} comes before ${second}`,
        withManifest(parent.artifact.bytes, encode(item)),
        [18, code, "manifest"],
        TWO,
      );
    })
  );
}

const schema: Recipe = {
  name: "order/schema",
  reason:
    "the keys of a map in the order of their encodings; what is inside a value before the next key",
  spec: "classes.md 1",
  cites: [
    "classes-1 absent and required",
    "classes-1 a map or an array: checked inside",
    "classes-1 a key that the schema does not have",
    "classes-1 Arrays: length",
  ],
  cases: () => [
    ...chain(schema, richAnnouncement(), [
      ["unknown-key", [], (map) => withEntry(map, "zzzzzzzzzzzzzzzzzz", 0), "UnknownCoreKey"],
      ["body-inside", ["body", "subjects", 1, "id"], to(0), "WrongType"],
      ["schema", ["schema"], to("other"), "SchemaMismatch"],
      ["extensions", ["extensions", 1, "version"], to("1"), "WrongType"],
      ["dependencies", ["dependencies", 0, "role"], to("A"), "BadIdentifier"],
      ["requirements", ["requirements", "memory_bytes"], to(null), "WrongType"],
      ["artifact-class", ["artifact_class"], to(12), "ClassMismatch"],
    ]),
    ...chain(
      schema,
      richEnvelope(),
      [
        ["unknown", ["body"], (map) => withEntry(map, "zz", 0), "UnknownCoreKey"],
        ["key-id", ["body"], (map) => without(map, "key_id"), "MissingCoreKey"],
        ["scheme", ["body", "scheme"], to("rsa"), "BadValue"],
        ["signature", ["body", "signature"], to(new Uint8Array(63)), "BadValue"],
        ["signed-at", ["body", "signed_at"], to(-1), "WrongType"],
        ["expires-at", ["body"], (map) => without(map, "expires_at"), "MissingCoreKey"],
      ],
      2,
    ),
    ...chain(
      schema,
      richTokenizer(),
      [
        ["bos-auto", ["body", "bos", "id"], to("0"), "WrongType"],
        ["eos", ["body", "eos"], to([]), "WrongType"],
        ["kind", ["body", "kind"], to("bpe"), "BadValue"],
        ["roles", ["body", "roles"], (map) => withEntry(map, "A", 1), "BadIdentifier"],
        ["decoder", ["body", "decoder"], (list) => [...list as Item[]].reverse(), "UnsortedSet"],
        ["unknown-policy", ["body", "unknown", "policy"], to("x"), "BadValue"],
        ["normalizer", ["body", "normalizer", 0], to([]), "BadValue"],
      ],
      2,
    ),
    ...chain(schema, richAdapter(), [
      ["first-operation", ["body", "operations", 0, "shape", 1], to(null), "WrongType"],
      ["second-operation", ["body", "operations", 1, "op"], to("A"), "BadIdentifier"],
      ["tokenizer", ["body", "tokenizer_id"], to(new Uint8Array(31)), "BadValue"],
    ]),
    ...([
      ["rat-type-length", ["1", 1, 1], "BadValue", "length before element types"],
      ["rat-type-gcd", [2, "4"], "WrongType", "element types before the relation"],
      ["rat-zero-type", ["0", 0], "WrongType", "the first element before the second"],
    ] as const).map(([local, value, code, why]) =>
      corrupt(
        richComposition(),
        `${schema.name}/${local}`,
        `a rational: ${why}`,
        withManifest(
          richComposition().artifact.bytes,
          encode(
            changed(
              manifestItem(richComposition()),
              ["body", "generation", "top_p"],
              to([...value]),
            ),
          ),
        ),
        [18, code, "manifest"],
        TWO,
      )
    ),
    corrupt(
      richTokenizer(),
      `${schema.name}/set-element-before-order`,
      "a set's elements before its order",
      withManifest(
        richTokenizer().artifact.bytes,
        encode(changed(manifestItem(richTokenizer()), ["body", "stop_tokens"], to([259, 0, "1"]))),
      ),
      [18, "WrongType", "manifest"],
      TWO,
    ),
  ],
};

const rules: Recipe = {
  name: "order/manifest",
  reason:
    "what follows the schema: extensions, critical ones, tables, dependencies, body, relations",
  spec: "classes.md 1",
  cites: ["classes-1 After the whole manifest", "classes-1 the *Relations*"],
  cases: () => {
    const critical: Change = [
      "critical",
      ["extensions"],
      (
        list,
      ) => [...(list as readonly Item[]), { critical: true, id: "z", payload: {}, version: 0 }],
      "UnknownCriticalExtension",
    ];
    const extensions: Change = [
      "extension-order",
      ["extensions"],
      (list) => [...list as Item[]].reverse(),
      "UnsortedSet",
    ];
    return [
      ...chain(rules, richComposition(), [
        ["schema-last", ["artifact_class"], to(5), "ClassMismatch"],
        extensions,
        critical,
        ["dependency-class", ["dependencies", 1, "artifact_class"], to(5), "BadValue"],
        ["body", ["body", "tokenizer_id"], to(digestOf(1)), "BadValue"],
        ["relation", ["body", "kv", "element_type"], to(9), "BadValue"],
      ]),
      ...chain(rules, richTemplate(), [
        extensions,
        critical,
        ["body", ["body", "tokenizer_id"], to(digestOf(1)), "BadValue"],
      ]),
      corrupt(
        model(),
        `${rules.name}/critical-before-tables`,
        "a critical extension before a table that is missing",
        assemble({
          ...model().description,
          tensors: [],
          extensions: [{ id: "a", version: 0, critical: true, payload: {} }],
        }).bytes,
        [18, "UnknownCriticalExtension", "manifest"],
        TWO,
      ),
      corrupt(
        tok(),
        `${rules.name}/tables-before-dependencies`,
        "a table that is missing before a dependency too many",
        assemble({
          ...tok().description,
          blobs: [],
          dependencies: [{ role: "base", artifact_class: 2, id: digestOf(2) }],
        }).bytes,
        [18, "TableNotPermitted", "manifest"],
        TWO,
      ),
      corrupt(
        richTokenizer(),
        `${rules.name}/relations-before-strings`,
        "a relation before the string table",
        withBytes(
          withManifest(
            richTokenizer().artifact.bytes,
            encode(changed(manifestItem(richTokenizer()), ["body", "bos", "id"], to(200000))),
          ),
          stringsAt(richTokenizer()),
          new Uint8Array(4),
        ),
        [18, "BadValue", "manifest"],
        TWO,
      ),
    ];
  },
};

/** Where the string table of a parent begins; a manifest that keeps its length leaves it there. */
const stringsAt = (one: ValidCase) =>
  new DataView(one.artifact.bytes.buffer, one.artifact.bytes.byteOffset).getUint32(64, true);

export const itemOrder: readonly Recipe[] = [cbor, schema, rules, payload];
