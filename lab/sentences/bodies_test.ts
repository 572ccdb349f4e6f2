/** Bodies of compositions, piece sets and evidence (classes.md 6 to 8): a row a sentence. */

import type { Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { edited, type Edits, hash, type Row, sentences } from "./sentences.ts";

const on =
  (description: Description) => (sentence: string, edits: Edits, expected: string): Row => [
    sentence,
    () => edited(description, edits),
    expected.includes("[") || expected === "accept" ? expected : `18 ${expected} [manifest]`,
  ];

const subject = (edits: object = {}) => ({
  artifact_class: 1,
  id: hash(1),
  role: "subject",
  whole_file: hash(2),
  ...edits,
});

const MAX64 = 2n ** 64n - 1n;

const COMPOSITION: Description = {
  artifact_class: 6,
  body: {
    adapters: [],
    base: { model_id: hash(1), whole_file: hash(2) },
    chat_template_id: null,
    generation: {
      max_new_tokens: 1,
      stop_tokens: [],
      temperature: [0, 1],
      top_k: 0,
      top_p: [1, 1],
    },
    kv: { element_type: 1, layout: "layer-head-position/1", max_positions: 1 },
    route: { kind: "single/1" },
    tokenizer_id: hash(3),
  },
  dependencies: [
    { role: "base", artifact_class: 1, id: hash(1), whole_file: hash(2) },
    { role: "tokenizer", artifact_class: 4, id: hash(3), whole_file: hash(4) },
  ],
};

const c = on(COMPOSITION);

const dependency = (role: string, artifact_class: number, n: number, whole_file: Item = null) => ({
  artifact_class,
  id: hash(n),
  role,
  whole_file,
});

const BASE = dependency("base", 2, 1, hash(2)), TOKENIZER = dependency("tokenizer", 4, 3);

const adapters = (n: number) => Array.from({ length: n }, (_, i) => i + 10);

const withAdapters = (n: number[]): Edits => ({
  "body.adapters": n.map(hash),
  "dependencies": [BASE, TOKENIZER, ...n.map((i) => dependency("adapter", 3, i))],
});

sentences("classes.md 6, the body", [
  c("a tokenizer's whole_file is free", { "dependencies.1.whole_file": null }, "accept"),
  c("the base's is not", { "dependencies.0.whole_file": null }, "BadValue"),
  c("a base of class 3", { "dependencies.0.artifact_class": 3 }, "BadValue"),
  c("32 adapters", withAdapters(adapters(32)), "accept"),
  c("33", withAdapters(adapters(33)), "BadValue"),
  c("33 are a relation, not a length", {
    ...withAdapters(adapters(33)),
    "requirements.features": ["A"],
  }, "BadIdentifier"),
  c("one twice", withAdapters([10, 10]), "BadValue"),
  c("adapters in the body's order", {
    ...withAdapters([11, 10]),
    "body.adapters": [hash(10), hash(11)],
  }, "BadValue"),
  c(
    "adapters on a standalone model",
    { ...withAdapters([10]), "dependencies.0.artifact_class": 1 },
    "BadValue",
  ),
  c("a template that the body has not", {
    "dependencies": [BASE, TOKENIZER, dependency("chat-template", 5, 5)],
  }, "BadValue"),
  c("a template that the dependencies have not", { "body.chat_template_id": hash(5) }, "BadValue"),
  c("a template before adapters", {
    "body.chat_template_id": hash(5),
    "body.adapters": [hash(10)],
    "dependencies": [
      BASE,
      TOKENIZER,
      dependency("chat-template", 5, 5),
      dependency("adapter", 3, 10),
    ],
  }, "accept"),
  c("a negative temperature", { "body.generation.temperature": [-1, 2] }, "BadValue"),
  c("top_p 0", { "body.generation.top_p": [0, 1] }, "BadValue"),
  c("top_p over 1", { "body.generation.top_p": [3, 2] }, "BadValue"),
  c("top_p of 64 bits", { "body.generation.top_p": [2n ** 64n - 2n, MAX64] }, "accept"),
  c("0 only as [0, 1]", { "body.generation.temperature": [0, 2] }, "BadValue"),
  c("a denominator of 0", { "body.generation.temperature": [1, 0] }, "BadValue"),
  c("-2^63 over 2", { "body.generation.temperature": [-(2n ** 63n), 2] }, "BadValue"),
  c(
    "-2^63 over 3 is reduced, and negative",
    { "body.generation.temperature": [-(2n ** 63n), 3] },
    "BadValue",
  ),
  c("three parts", { "body.generation.temperature": [1, 1, 1] }, "BadValue"),
  c("a negative denominator", { "body.generation.temperature": [1, -1] }, "WrongType"),
  c("no array", { "body.generation.temperature": 1 }, "WrongType"),
  c("kv bf16", { "body.kv.element_type": 3 }, "accept"),
  c("kv f64", { "body.kv.element_type": 4 }, "BadValue"),
  c("kv 0", { "body.kv.element_type": 0 }, "BadValue"),
  c("another route", { "body.route.kind": "single/2" }, "BadValue"),
]);

const PIECES: Description = {
  artifact_class: 9,
  body: {
    piece_count: 1,
    piece_size: 4194304,
    root: hash(0),
    subject: hash(1),
    subject_bytes: 1,
    subject_whole_file: hash(2),
  },
  dependencies: [{ role: "subject", artifact_class: 13, id: hash(1), whole_file: hash(2) }],
  blobs: [{ kind: 32, name: "hashes", media_type: "x", payload: new Uint8Array(32) }],
};

const s = on(PIECES);

const CONTENT = "26 BlobContent [payload]";

sentences("classes.md 7, the body", [
  s("no byte", { "body.subject_bytes": 0, "body.piece_count": 0 }, "BadValue"),
  s("2^53 - 1 bytes", { "body.subject_bytes": 2 ** 53 - 1, "body.piece_count": 2 ** 31 }, CONTENT),
  s("2^53 bytes", { "body.subject_bytes": 2n ** 53n, "body.piece_count": 2 ** 31 }, "BadValue"),
  s("a piece less", { "body.subject_bytes": 4194305 }, "BadValue"),
  s("exactly one", { "body.subject_bytes": 4194304 }, CONTENT),
  s("pieces of another size", { "body.piece_size": 4194305 }, "BadValue"),
]);

const on13: Description = {
  artifact_class: 13,
  body: {
    display_name: "",
    licenses: [],
    promotion: "candidate",
    receipts: [],
    sizes: { incremental: 0, logical: 0 },
    subjects: [{ id: hash(1), piece_set: hash(5), whole_file: hash(2) }],
  },
  dependencies: [subject()],
};

const ann = on(on13);

const PROVENANCE: Description = {
  artifact_class: 11,
  body: {
    converter: { commit: "", executable: hash(1) },
    licenses: [],
    notices: [],
    receipt: null,
    reproducible: "no",
    sources: [],
    subject: hash(1),
    toolchain: {},
  },
  dependencies: [subject({ whole_file: null })],
};

const v = on(PROVENANCE);

const source = (files: Item) => [{ commit: "", files, repository: "" }];

const SIGNATURE: Description = {
  artifact_class: 10,
  body: {
    expires_at: 1,
    key_id: hash(1),
    public_key: hash(1),
    scheme: "ed25519",
    signature: new Uint8Array(64),
    signed_at: 1,
    statement_hash: hash(1),
    statement_type: "a",
    subject_class: 1,
    subject_id: hash(1),
    subject_whole_file: hash(2),
    trust_epoch: 0,
  },
  dependencies: [subject()],
};

const g = on(SIGNATURE);

sentences("classes.md 8, bodies", [
  ann("no subject", { "body.subjects": [], "dependencies": [] }, "BadValue"),
  ann("two subjects in order", {
    "body.subjects": [3, 1].map((n) => ({ id: hash(n), piece_set: hash(5), whole_file: hash(2) })),
    "dependencies": [subject({ id: hash(3), artifact_class: 13 }), subject()],
  }, "accept"),
  ann("two in another order", {
    "body.subjects": [1, 3].map((n) => ({ id: hash(n), piece_set: hash(5), whole_file: hash(2) })),
    "dependencies": [subject({ id: hash(3) }), subject()],
  }, "BadValue"),
  ann("257 subjects", {
    "body.subjects": new Array(257).fill({ id: hash(1), piece_set: hash(5), whole_file: hash(2) }),
    "dependencies": new Array(256).fill(subject()),
  }, "BadValue"),
  ann("256 subjects", {
    "body.subjects": new Array(256).fill({ id: hash(1), piece_set: hash(5), whole_file: hash(2) }),
    "dependencies": new Array(256).fill(subject()),
  }, "accept"),
  ann("a subject's whole_file", { "dependencies": [subject({ whole_file: null })] }, "BadValue"),
  v(
    "no whole_file beside the subject",
    { "dependencies": [subject({ whole_file: hash(9) })] },
    "accept",
  ),
  v("files are a set of pairs", {
    "body.sources": source([["a", hash(1)], ["a", hash(2)], ["b", hash(0)]]),
  }, "accept"),
  v("in order", { "body.sources": source([["a", hash(2)], ["a", hash(1)]]) }, "UnsortedSet"),
  v("of two", { "body.sources": source([["a"]]) }, "BadValue"),
  v("each in its order", { "body.sources": source([[hash(1), "a"]]) }, "WrongType"),
  v("licenses by their encodings", { "body.licenses": ["MIT", "Apache-2.0"] }, "accept"),
  v("notices are free", { "body.notices": [hash(1), hash(2)] }, "accept"),
  v("a tool's version is text", { "body.toolchain": { "a": 1 } }, "WrongType"),
  v("a tool's name is an identifier", { "body.toolchain": { "": "" } }, "BadIdentifier"),
  v("receipt", { "body.receipt": hash(3) }, "accept"),
  g("the subject's class", { "body.subject_class": 2 }, "BadValue"),
  g(
    "class 13",
    { "body.subject_class": 13, "dependencies": [subject({ artifact_class: 13 })] },
    "accept",
  ),
  g(
    "class 14",
    { "body.subject_class": 14, "dependencies": [subject({ artifact_class: 14 })] },
    "BadValue",
  ),
  g("class 2^64 - 1", {
    "body.subject_class": MAX64,
    "dependencies": [subject({ artifact_class: MAX64 })],
  }, "BadValue"),
  g("63 bytes of signature", { "body.signature": new Uint8Array(63) }, "BadValue"),
  g("another scheme", { "body.scheme": "ed448" }, "BadValue"),
  g(
    "times are free",
    { "body.signed_at": MAX64, "body.expires_at": 0, "body.trust_epoch": MAX64 },
    "accept",
  ),
]);
