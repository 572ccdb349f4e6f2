/** Stage 18: schemas in the order of `classes.md` section 1, and the list after the schema. */
import { assertEquals } from "@std/assert";
import { encode, type Item } from "../../corpus/writer/cbor.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";
import { described, judged, manifested, manifestFile, PACK, TEXTS } from "./testing.ts";

type Map = { readonly [key: string]: Item };

const b32 = (byte: number) => new Uint8Array(32).fill(byte);
const dependency = (role: string, artifact_class: number, byte: number, whole: Item = null) => ({
  role,
  artifact_class,
  id: b32(byte),
  whole_file: whole,
});
const manifest = (
  artifact_class: number,
  body: Item,
  dependencies: Item[] = [],
  more: Map = {},
) => ({
  artifact_class,
  body,
  dependencies,
  extensions: [],
  requirements: { features: [], memory_bytes: 0 },
  schema: "org.minimodel.slm/2.0",
  ...more,
});

/** Good bodies of the classes that need no table, with their dependencies. */
const COMPOSITION: Map = {
  adapters: [],
  base: { model_id: b32(1), whole_file: b32(2) },
  chat_template_id: null,
  generation: {
    max_new_tokens: 1,
    stop_tokens: [],
    temperature: [0, 1],
    top_k: 0,
    top_p: [1, 1],
  },
  kv: { element_type: 1, layout: "layer-head-position/1", max_positions: 8 },
  route: { kind: "single/1" },
  tokenizer_id: b32(3),
};
const COMPOSED = [dependency("base", 1, 1, b32(2)), dependency("tokenizer", 4, 3)];
const TEMPLATE: Map = {
  fields: ["name"],
  generation_marker: null,
  instruction_set: 1,
  program: [[7, [[2], [5, "user", [[3], [4, 9]]], [6, "name", []]]], [9]],
  roles: ["user"],
  stop_tokens: [1, 2],
  tokenizer_id: b32(3),
};
const TEMPLATED = [dependency("tokenizer", 4, 3)];
const SIGNATURE: Map = {
  expires_at: 2n ** 64n - 1n,
  key_id: b32(1),
  public_key: b32(2),
  scheme: "ed25519",
  signature: new Uint8Array(64),
  signed_at: 0,
  statement_hash: b32(3),
  statement_type: "receipt",
  subject_class: 13,
  subject_id: b32(4),
  subject_whole_file: b32(5),
  trust_epoch: 1,
};
const SIGNED = [dependency("subject", 13, 4, b32(5))];
const PROVENANCE: Map = {
  converter: { commit: "", executable: b32(1) },
  licenses: ["MIT"],
  notices: [],
  receipt: null,
  reproducible: "no",
  sources: [{ commit: "c", files: [["a", b32(1)], ["b", b32(0)]], repository: "r" }],
  subject: b32(4),
  toolchain: { deno: "2" },
};
const PROVEN = [dependency("subject", 2, 4, b32(9))];
const ANNOUNCEMENT: Map = {
  display_name: "\u00e9",
  licenses: [],
  promotion: "candidate",
  receipts: [b32(1), b32(2)],
  sizes: { incremental: 0, logical: 1 },
  subjects: [{ id: b32(4), piece_set: b32(0), whole_file: b32(5) }, {
    id: b32(3),
    piece_set: b32(0),
    whole_file: b32(6),
  }],
};
const ANNOUNCED = [dependency("subject", 1, 4, b32(5)), dependency("subject", 12, 3, b32(6))];

const GOOD: readonly (readonly [number, Map, Item[]])[] = [
  [5, TEMPLATE, TEMPLATED],
  [6, COMPOSITION, COMPOSED],
  [10, SIGNATURE, SIGNED],
  [11, PROVENANCE, PROVEN],
  [13, ANNOUNCEMENT, ANNOUNCED],
];

Deno.test("manifest: the bodies to break are good", () => {
  for (const [cls, body, dependencies] of GOOD) {
    assertEquals(manifested(manifest(cls, body, dependencies), cls), "accept", `${cls}`);
  }
});

/** Breaks a good class 6 manifest's top level. */
const top = (more: Map, without?: string) => {
  const whole: Record<string, Item> = manifest(6, COMPOSITION, COMPOSED, more);
  if (without !== undefined) delete whole[without];
  return manifested(whole, 6);
};
const EXTENSION = { critical: false, id: "a", payload: new Uint8Array(0), version: 1 };

Deno.test("manifest: the top level, key by key in encoded order", () => {
  for (
    const [more, verdict] of [
      [{ zz: 0, body: 0 }, "UnknownCoreKey"],
      [{ body: 0, schema: "x" }, "WrongType"],
      [{ schema: "org.minimodel.slm/2.1", extensions: 0 }, "SchemaMismatch"],
      [{ schema: 2 }, "WrongType"],
      [{ artifact_class: 5 }, "ClassMismatch"],
      [{ artifact_class: "6" }, "WrongType"],
      [{ artifact_class: 5, requirements: 0 }, "WrongType"],
      [{ extensions: new Array<Item>(65).fill(0) }, "BadValue"],
      [{ dependencies: new Array<Item>(257).fill(0) }, "BadValue"],
      [{ extensions: [{ ...EXTENSION, version: -1 }] }, "WrongType"],
      [{ extensions: [{ ...EXTENSION, payload: "x" }] }, "WrongType"],
      [{ extensions: [{ ...EXTENSION, payload: { "": { x: [null] } } }] }, ""],
      [{ extensions: [{ ...EXTENSION, critical: null }] }, "WrongType"],
      [{ extensions: [{ ...EXTENSION, id: "A" }] }, "BadIdentifier"],
      [{ extensions: [EXTENSION, EXTENSION] }, "UnsortedSet"],
      [{ extensions: [EXTENSION, { ...EXTENSION, version: 2 }] }, ""],
      [{ extensions: [{ ...EXTENSION, version: 2n ** 64n - 1n }, { ...EXTENSION, id: "aa" }] }, ""],
      [{ extensions: [{ ...EXTENSION, id: "aa" }, { ...EXTENSION, id: "b" }] }, ""],
      [{ extensions: [{ ...EXTENSION, id: "b" }, { ...EXTENSION, id: "aa" }] }, "UnsortedSet"],
      [{ extensions: [{ ...EXTENSION, critical: true }] }, "UnknownCriticalExtension"],
      [{ extensions: [{ ...EXTENSION, critical: true }, EXTENSION] }, "UnsortedSet"],
      [{ requirements: { features: ["b", "a"], memory_bytes: 0 } }, "UnsortedSet"],
      [{ requirements: { features: ["a", "a"], memory_bytes: 0 } }, "UnsortedSet"],
      [{ requirements: { features: ["b", "aa"], memory_bytes: 2n ** 64n - 1n } }, ""],
      [{ requirements: { features: ["b", "a/"], memory_bytes: 0 } }, "BadIdentifier"],
      [{ requirements: { memory_bytes: 0 } }, "MissingCoreKey"],
      [{ requirements: { features: 0, memory_bytes: 0, x: 0 } }, "UnknownCoreKey"],
      [{ dependencies: [{ ...COMPOSED[0], role: "Base" }, COMPOSED[1]] }, "BadIdentifier"],
      [{ dependencies: [{ ...COMPOSED[0], id: new Uint8Array(31) }, COMPOSED[1]] }, "BadValue"],
      [{ dependencies: [{ ...COMPOSED[0], whole_file: 0 }, COMPOSED[1]] }, "WrongType"],
    ] as [Map, string][]
  ) {
    assertEquals(
      top(more),
      verdict === "" ? "accept" : `18 ${verdict} manifest`,
      Deno.inspect(more),
    );
  }
  for (const key of Object.keys(manifest(6, {}))) {
    assertEquals(top({}, key), "18 MissingCoreKey manifest", key);
  }
  assertEquals(manifested([], 6), "18 WrongType manifest");
});

/** Breaks a good body: a path, and what stands there instead. */
type Break = readonly [path: string, value: Item | undefined, code: string];

function replaced(item: Item, path: readonly string[], value: Item | undefined): Item {
  if (path.length === 0) return value ?? null;
  const [key, ...rest] = path;
  if (Array.isArray(item)) {
    return item.map((one: Item, i) => String(i) === key ? replaced(one, rest, value) : one);
  }
  const copy: Record<string, Item> = { ...item as Map };
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = replaced(copy[key], rest, value);
  return copy;
}

const BREAKS: Readonly<Record<number, readonly Break[]>> = {
  5: [
    ["instruction_set", 2, "BadValue"],
    ["generation_marker", 7, "BadValue"],
    ["fields", ["b", "a"], "UnsortedSet"],
    ["stop_tokens", [2, 1], "UnsortedSet"],
    ["stop_tokens", [1, 24, 23], "UnsortedSet"],
    ["stop_tokens", [23, 24, 256], ""],
    ["stop_tokens", [-1], "WrongType"],
    ["program", 0, "WrongType"],
    ["program", [0], "WrongType"],
    ["program", [[]], "BadValue"],
    ["program", [["a"]], "BadValue"],
    ["program", [[0]], "BadValue"],
    ["program", [[10]], "BadValue"],
    ["program", [[2n ** 64n - 1n]], "BadValue"],
    ["program", [[9, 9]], "BadValue"],
    ["program", [[4]], "BadValue"],
    ["program", [[4, -1]], "BadValue"],
    ["program", [[7, 0]], "BadValue"],
    ["program", [[5, 0, []]], "BadValue"],
    ["program", [[5, "USER", 0]], "BadValue"],
    ["program", [[5, "USER", [0]]], "BadIdentifier"],
    ["program", [[5, "user", [0]]], "WrongType"],
    ["program", [[7, [[5, "user", [[0]]]]]], "BadValue"],
    ["program", [[2]], "BadValue"],
    ["program", [[3]], "BadValue"],
    ["program", [[5, "user", []]], "BadValue"],
    ["program", [[6, "name", []]], "BadValue"],
    ["program", [[7, [[7, []]]]], "BadValue"],
    ["program", [[7, [[5, "user", [[7, []]]]]]], "BadValue"],
    ["program", [[1, 0]], "BadValue"], // no blob
    ["program", [[8]], "BadValue"], // no marker
    ["program", [[4, 2n ** 64n - 1n]], ""],
    ["program", new Array<Item>(4096).fill([9]), ""],
    ["program", [[7, new Array<Item>(4096).fill([9])]], "BadValue"],
  ],
  6: [
    ["adapters", [new Uint8Array(31)], "BadValue"],
    ["adapters", [b32(7)], "BadValue"], // no dependency
    ["base.whole_file", null, "WrongType"],
    ["base.whole_file", b32(9), "BadValue"],
    ["base.model_id", b32(9), "BadValue"],
    ["base.more", 0, "UnknownCoreKey"],
    ["tokenizer_id", b32(9), "BadValue"],
    ["chat_template_id", b32(9), "BadValue"],
    ["generation.temperature", [0, 2], "BadValue"],
    ["generation.temperature", [0, 0], "BadValue"],
    ["generation.temperature", [2, 4], "BadValue"],
    ["generation.temperature", [-1, 2], "BadValue"], // relation
    ["generation.temperature", [1], "BadValue"],
    ["generation.temperature", [1, 2, 3], "BadValue"],
    ["generation.temperature", ["1", 2], "WrongType"],
    ["generation.temperature", [1, -2], "WrongType"],
    ["generation.temperature", [2n ** 64n - 1n, 2n ** 64n - 2n], ""],
    ["generation.temperature", 1, "WrongType"],
    ["generation.top_p", [0, 1], "BadValue"],
    ["generation.top_p", [3, 2], "BadValue"],
    ["generation.top_p", [1, 2n ** 64n - 1n], ""],
    ["kv.element_type", 4, "BadValue"],
    ["kv.element_type", 3, ""],
    ["kv.layout", "x", "BadValue"],
    ["route.kind", "double/1", "BadValue"],
  ],
  10: [
    ["scheme", "ed448", "BadValue"],
    ["signature", new Uint8Array(63), "BadValue"],
    ["statement_type", "", "BadIdentifier"],
    ["subject_class", 12, "BadValue"],
    ["subject_id", b32(9), "BadValue"],
    ["subject_whole_file", b32(9), "BadValue"],
    ["expires_at", -1, "WrongType"],
  ],
  11: [
    ["converter.commit", new Uint8Array(0), "WrongType"],
    ["licenses", ["a", "B"], "UnsortedSet"],
    ["reproducible", "maybe", "BadValue"],
    ["receipt", 0, "WrongType"],
    ["sources.0.files", [["b", b32(0)], ["a", b32(1)]], "UnsortedSet"],
    ["sources.0.files", [["a"]], "BadValue"],
    ["sources.0.files", [[0, 0]], "WrongType"],
    ["sources.0.files", [["a", b32(0)], ["a", b32(0)]], "UnsortedSet"],
    ["sources.0.files", [["a", new Uint8Array(1)]], "BadValue"],
    ["sources", [], ""],
    ["subject", b32(9), "BadValue"],
    ["toolchain", { A: 0 }, "BadIdentifier"],
    ["toolchain", { a: 0 }, "WrongType"],
    ["toolchain", {}, ""],
  ],
  13: [
    ["subjects", [], "BadValue"],
    ["subjects.1.id", b32(4), "BadValue"],
    ["subjects.0.whole_file", b32(6), "BadValue"],
    ["subjects.0.piece_set", b32(6), ""],
    ["promotion", "", "BadValue"],
    ["sizes.logical", undefined, "MissingCoreKey"],
    ["receipts", [b32(2), b32(1)], "UnsortedSet"],
  ],
};

for (const [cls, body, dependencies] of GOOD) {
  Deno.test(`manifest: the body of class ${cls}`, () => {
    for (const [path, value, want] of BREAKS[cls]) {
      const broken = replaced(body, path.split("."), value);
      const got = manifested(manifest(cls, broken, dependencies), cls);
      assertEquals(
        got,
        want === "" ? "accept" : `18 ${want} manifest`,
        Deno.inspect([path, value]),
      );
    }
    for (const key of Object.keys(body)) {
      const broken = replaced(body, [key], undefined);
      const got = manifested(manifest(cls, broken, dependencies), cls);
      assertEquals(got, "18 MissingCoreKey manifest", key);
    }
  });

  Deno.test(`manifest: the dependencies of class ${cls}`, () => {
    const on = (list: readonly Item[]) => manifested(manifest(cls, body, [...list]), cls);
    const [first, ...rest] = dependencies as Map[];
    assertEquals(on(rest), "18 BadValue manifest");
    assertEquals(on([...dependencies, first]), "18 BadValue manifest");
    assertEquals(on([{ ...first, role: "other" }, ...rest]), "18 BadValue manifest");
    assertEquals(on([{ ...first, artifact_class: 0 }, ...rest]), "18 BadValue manifest");
    assertEquals(on([{ ...first, artifact_class: 14 }, ...rest]), "18 BadValue manifest");
    if (rest.length > 0) assertEquals(on([...rest, first]), "18 BadValue manifest");
    // null in the dependency is not what a body's whole_file asks
    if (first.whole_file !== null && cls !== 11) {
      assertEquals(on([{ ...first, whole_file: null }, ...rest]), "18 BadValue manifest");
    }
  });
}

Deno.test("manifest: an adapter asks for an immutable base", () => {
  const body = { ...COMPOSITION, adapters: [b32(7)] };
  const adapter = dependency("adapter", 3, 7);
  const on = (artifact_class: number) =>
    manifested(
      manifest(6, body, [dependency("base", artifact_class, 1, b32(2)), COMPOSED[1], adapter]),
      6,
    );
  assertEquals([on(2), on(1)], ["accept", "18 BadValue manifest"]);
  const twice = { ...COMPOSITION, adapters: [b32(7), b32(7)] };
  const base = dependency("base", 2, 1, b32(2));
  assertEquals(
    manifested(manifest(6, twice, [base, COMPOSED[1], adapter, adapter]), 6),
    "18 BadValue manifest",
  );
});

Deno.test("manifest: 32 adapters, not 33", () => {
  const of = (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => i + 10);
    return manifested(
      manifest(6, { ...COMPOSITION, adapters: ids.map(b32) }, [
        dependency("base", 2, 1, b32(2)),
        COMPOSED[1],
        ...ids.map((id) => dependency("adapter", 3, id)),
      ]),
      6,
    );
  };
  assertEquals([of(32), of(33)], ["accept", "18 BadValue manifest"]);
});

Deno.test("manifest: tables against the class matrix, after extensions and before dependencies", () => {
  assertEquals(
    described({ ...PACK, tensors: [], auxiliaries: [] }),
    "18 TableNotPermitted manifest",
  );
  assertEquals(
    described({ ...PACK, blobs: TEXTS.blobs }),
    "18 TableNotPermitted manifest",
  );
  assertEquals(
    described({ ...TEXTS, tensors: PACK.tensors?.slice(0, 1), dependencies: [] }),
    "18 TableNotPermitted manifest",
  );
  assertEquals(described({ ...TEXTS, blobs: [], dependencies: [] }), "18 BadValue manifest");
  assertEquals(described({ ...TEXTS, blobs: [] }), "accept");
});

Deno.test("manifest: dependents is true exactly in class 2", () => {
  const body = (dependents: Item) => ({ ...PACK.body, dependents });
  assertEquals(described({ ...PACK, body: body(true) }), "18 BadValue manifest");
  assertEquals(described({ ...PACK, artifact_class: 2 }), "18 BadValue manifest");
  assertEquals(described({ ...PACK, artifact_class: 2, body: body(true) }), "accept");
  assertEquals(described({ ...PACK, body: body(null) }), "18 WrongType manifest");
});

Deno.test("manifest: a candidate's manifest is what was written", () => {
  const payload = { "": 1, "\ufeff": [null, true, -(2n ** 63n)] };
  const whole = manifest(13, ANNOUNCEMENT, ANNOUNCED, {
    extensions: [{ ...EXTENSION, payload }],
  });
  const file = manifestFile(encode(whole), 13);
  assertEquals(judged(file), "accept");
  const { candidate } = cursor.read({ source: memorySource(file) });
  cursor.read({ source: memorySource(manifestFile(encode([]))) }); // another call in between
  const decoded = candidate?.().manifest;
  assertEquals(decoded && encode(decoded), encode(whole));
});
