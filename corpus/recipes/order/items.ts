/** The order set inside a manifest: items, schema keys, relations; and what follows it. */
import { encode, type Item } from "../../writer/cbor.ts";
import { manifestOf } from "../../writer/manifest.ts";
import { assemble } from "../../writer/write.ts";
import { blocks, digestOf } from "../bytes.ts";
import {
  asked,
  type Case,
  corrupt,
  type Recipe,
  rejected,
  type Rejection,
  type ValidCase,
} from "../case.ts";
import { endingIn, site, withKey, withRaw, withValue } from "../cbor_site.ts";
import { changed, manifestItem, type Path, withEntry, without } from "../items.ts";
import { lowRank, model, tok } from "../library.ts";
import { flipped, withBytes, withFields, withManifest } from "../parts.ts";
import {
  richAdapter,
  richAnnouncement,
  richComposition,
  richEnvelope,
  richTemplate,
  richTokenizer,
} from "../rich.ts";
import { three } from "../corrupt/tensors.ts";
import { objects } from "../corrupt/payload.ts";
import { dense, quantized } from "../valid/tensors.ts";
import { tensorPack } from "../../writer/build/model.ts";
import { REGISTERED } from "../../writer/profiles.ts";

const TWO = { tags: ["two-faults"] };
const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

const cbor: Recipe = {
  name: "order/cbor",
  reason: "the steps of one item in order, and items from left to right",
  spec: "slm2.md 5",
  cites: ["slm2-5 For each item, in this order", "slm2-5 The manifest is one item"],
  cases: () =>
    ([
      ["key-type-reserved", "step 3 before 5", withKey(hex("3c")), "CborKeyNotText"],
      ["key-type-form", "step 3 before 8", withKey(hex("1800")), "CborKeyNotText"],
      ["key-type-length", "step 3 before 10", withKey(hex("5bffffffffffffffff")), "CborKeyNotText"],
      [
        "forbidden-truncated",
        "step 4 before 7: a tag whose argument is missing",
        endingIn(hex("db00")),
        "CborForbiddenType",
      ],
      [
        "float-truncated",
        "step 4 before 7: a float that is cut",
        endingIn(hex("fb00")),
        "CborForbiddenType",
      ],
      ["reserved-truncated", "step 5 before 7", endingIn(hex("5c")), "CborReservedInfo"],
      [
        "indefinite-depth",
        "step 6 before 12: the seventeenth level is indefinite",
        withValue(hex("81".repeat(12) + "9fff")),
        "CborIndefiniteLength",
      ],
      [
        "truncated-form",
        "step 7 before 8: the long form of 0 is cut",
        endingIn(hex("1b00")),
        "CborTruncated",
      ],
      [
        "form-limit",
        "step 8 before 10: too long, and not in the shortest form",
        withValue(hex("5b0000000000100001")),
        "CborNotShortest",
      ],
      [
        "form-range",
        "step 8 before 9 cannot be both; a length in the long form before its bytes are missing",
        withValue(hex("7800")),
        "CborNotShortest",
      ],
      [
        "limit-truncated",
        "step 10: the limit before the bytes left",
        endingIn(hex("5a00100001")),
        "FormatLimitExceeded",
      ],
      [
        "truncated-utf8",
        "step 10 before 11: bytes of a text are missing, and one is wrong",
        endingIn(hex("6280")),
        "CborTruncated",
      ],
      [
        "utf8-unassigned",
        "step 11: UTF-8 over the whole text before assignment",
        withValue(hex("64efbfbf80")),
        "CborInvalidUtf8",
      ],
      ["utf8-nfc", "step 11: UTF-8 before NFC", withValue(hex("6465cc81ff")), "CborInvalidUtf8"],
      [
        "unassigned-nfc",
        "step 11: assignment over the whole text before NFC",
        withValue(hex("6665cc81efbfbf")),
        "CborUnassigned",
      ],
      [
        "nfc-late-unassigned",
        "the same the other way round",
        withValue(hex("66efbfbf65cc81")),
        "CborUnassigned",
      ],
      [
        "depth-entries",
        "step 12: depth before the entries that are missing",
        withValue(hex("81".repeat(12) + "9a00004000")),
        "CborNotShortest",
      ],
      [
        "depth-truncated",
        "step 12: depth before entries over the bytes left",
        endingIn(hex("81".repeat(12) + "98ff")),
        "FormatLimitExceeded",
      ],
      [
        "key-text-duplicate",
        "step 11 before 13: a key twice that is not NFC",
        withRaw(hex("a2 6365cc81 00 6365cc81 00")),
        "CborNotNfc",
      ],
      [
        "duplicate-value",
        "step 13 before the value that follows",
        withRaw(hex("a2 6161 00 6161 f7")),
        "CborDuplicateKey",
      ],
      [
        "order-value",
        "step 13 before the value that follows",
        withRaw(hex("a2 6162 00 6161 ff")),
        "CborKeyOrder",
      ],
      [
        "value-duplicate",
        "a value before the key after it",
        withRaw(hex("a2 6161 f7 6161 00")),
        "CborForbiddenType",
      ],
      [
        "left-right",
        "two wrong values: the left one",
        withRaw(hex("a2 6161 1c 6162 f7")),
        "CborReservedInfo",
      ],
      [
        "right-left",
        "and the other way round",
        withRaw(hex("a2 6161 f7 6162 1c")),
        "CborForbiddenType",
      ],
      [
        "inner-first",
        "a fault inside before the keys outside",
        withRaw(hex("a2 6162 81 18 00 6161 00")),
        "CborNotShortest",
      ],
      [
        "item-trailing",
        "a fault in the item before what follows it",
        trailing(),
        "CborForbiddenType",
      ],
    ] as const).map(([local, why, bytes, code]) =>
      corrupt(site(), `${cbor.name}/${local}`, why, bytes, [17, code, "manifest"], TWO)
    ),
};

function trailing(): Uint8Array {
  const manifest = encode(manifestOf(site().description).item).slice();
  manifest[manifest.length - 1] = 0xf7;
  return withManifest(site().artifact.bytes, new Uint8Array([...manifest, 0]));
}

/** A change at one place of a manifest, and what the specification says of it. */
type Change = readonly [name: string, path: Path, put: (item: Item) => Item, code: Rejection[1]];

const to = (value: Item) => () => value;

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

const payload: Recipe = {
  name: "order/payload",
  reason: "placement before content; object by object; the closure before any payload",
  spec: "slm2.md 8, stages 24 to 27",
  cites: ["slm2-8.26 per object in order"],
  cases() {
    const one = (
      parent: ValidCase,
      local: string,
      why: string,
      bytes: Uint8Array,
      says: Rejection,
    ) => corrupt(parent, `${payload.name}/${local}`, why, bytes, says, TWO);
    const file = objects().artifact.bytes;
    const offsets = [0, 1, 2].map((i) => payloadAt(file, i));
    const spoilt = (bytes: Uint8Array, ...places: number[]) =>
      places.reduce((copy, place) => flipped(copy, place, 1), bytes);
    const q8 = quantized("q8-0.b32.pad", [64]);
    const profile = {
      name: "lab-q8",
      fields: { ...REGISTERED.get("q8-0.b32.pad")!.fields, rounding_mode: 2 },
    };
    const unregistered = tensorPack([
      dense("u8", [64], { type: "lab-q8", payload: blocks("q8-0.b32.pad", [64]) }),
    ]);
    const asClass = (id: string) => ({
      body: { architecture: { id, parameters: {} }, dependents: false },
    });
    return [
      one(
        three(),
        "place-before-trailing",
        "an object out of its place, then bytes after the last",
        withFields(three().artifact.bytes, {
          "tensor[0].payload_relative_offset": 64,
          "tensor[2].payload_relative_offset": 0,
        }),
        [24, "PayloadOutOfPlace", "payload"],
      ),
      one(
        objects(),
        "padding-before-hash",
        "a byte of no object, then a wrong payload",
        spoilt(file, offsets[1] - 1, offsets[0]),
        [24, "NonZeroPadding", "payload"],
      ),
      one(
        objects(),
        "hash-0-before-hash-2",
        "two wrong payloads",
        spoilt(file, offsets[0], offsets[2]),
        [26, "PayloadHashMismatch", "payload"],
      ),
      one(
        objects(),
        "hash-before-lane",
        "a payload that is wrong in a padded lane too",
        spoilt(file, offsets[0] + 67),
        [26, "PayloadHashMismatch", "payload"],
      ),
      one(
        lowRank(),
        "operation-before-payload",
        "an operand that this file does not have, then a wrong payload",
        flippedLast(
          withManifest(
            lowRank().artifact.bytes,
            encode(
              changed(
                manifestItem(lowRank()),
                ["body", "operations", 0, "tensors", "a", "name"],
                to("other"),
              ),
            ),
          ),
        ),
        [25, "UnsupportedOperation", "manifest"],
      ),
      one(
        model(),
        "profile-before-architecture",
        "an unregistered profile, then an unregistered architecture",
        assemble({ ...unregistered, ...asClass("x/1"), profiles: [profile] }).bytes,
        [25, "UnsupportedQuantProfile", "quant"],
      ),
      one(
        model(),
        "architecture-before-payload",
        "an unregistered architecture, then a wrong payload",
        flippedLast(assemble({ ...q8, ...asClass("x/1") }).bytes),
        [25, "UnsupportedArchitecture", "manifest"],
      ),
      {
        ...asked(
          lowRank(),
          `${payload.name}/operation-before-closure`,
          "nothing to resolve with: the file's own operations hold, so the closure is asked",
          { resolve: [] },
          rejected([25, "DependencyMissing", "manifest"]),
        ),
        tags: [],
      },
      closureFirst(),
      expectLast(),
    ];
  },
};

const payloadAt = (file: Uint8Array, i: number) => {
  const view = new DataView(file.buffer, file.byteOffset);
  const table = view.getUint32(96, true);
  return view.getUint32(144, true) + view.getUint32(table + 192 * i + 112, true);
};
const flippedLast = (file: Uint8Array) => flipped(file, file.length - 1, 1);

function closureFirst(): Case {
  const bytes = flippedLast(lowRank().artifact.bytes);
  return corrupt(
    lowRank(),
    "order/payload/closure-before-payload",
    "a base that is not there, then a wrong payload",
    bytes,
    [25, "DependencyMissing", "manifest"],
    { ...TWO, ask: { resolve: [] } },
  );
}

function expectLast(): Case {
  const bytes = flippedLast(model().artifact.bytes);
  return corrupt(
    model(),
    "order/payload/payload-before-expectation",
    "a wrong payload, then another whole_file than expected",
    bytes,
    [26, "PayloadHashMismatch", "payload"],
    { ...TWO, ask: { expect: { whole_file: "0".repeat(64) } } },
  );
}

export const itemOrder: readonly Recipe[] = [cbor, schema, rules, payload];
