/** KV caches and retrieval indexes (classes.md 9): a row a sentence. */
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { retrievalIndex, type RetrievalParts } from "../../corpus/writer/build/retrieval.ts";
import { vocabularyTable } from "../../corpus/writer/build/tokenizer.ts";
import { concat, u32 } from "../../corpus/writer/bytes.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { dense, edited, type Edits, hash, type Row, sentences } from "./sentences.ts";

const ARCHITECTURE = "25 UnsupportedArchitecture [manifest]";

const CONTENT = "26 BlobContent [payload]";

const DEPENDENCY = { class: 6, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };

const CACHE = kvCache({
  composition: DEPENDENCY,
  abi: "a",
  element: "f16",
  kv_heads: 2,
  head_dim: 3,
  prefix: [1, 2],
  layers: [0, 1].map(() => ({ key: new Uint8Array(24), value: new Uint8Array(24) })),
});

const kv = (
  sentence: string,
  tensors: (t: readonly TensorDescription[]) => readonly TensorDescription[],
  expected: string,
  edits: Edits = {},
): Row => [sentence, () => edited({ ...CACHE, tensors: tensors(CACHE.tensors!) }, edits), expected];

const all = (to: Partial<TensorDescription>) => (t: readonly TensorDescription[]) =>
  t.map((one) => ({ ...one, ...to }));

const INDEX: RetrievalParts = {
  embedding: DEPENDENCY,
  tokenizer: { ...DEPENDENCY, class: 4 },
  chunking: "c",
  corpus_revision: hash(1),
  metric: "dot",
  documents: ["a", "bc"],
  dim: 3,
  type: "f32",
  vectors: new Uint8Array(24),
};

const ROW_INDEX = retrievalIndex({
  ...INDEX,
  type: "q8-row.exact",
  vectors: new Uint8Array(6),
  scales: new Uint8Array(8),
});

const index = (
  sentence: string,
  description: Description,
  expected: string,
  edits: Edits = {},
): Row => [sentence, () => edited(description, edits), expected];

const INDEX_FILE = retrievalIndex(INDEX);

const documents = (payload: Uint8Array) => ({
  ...INDEX_FILE,
  blobs: INDEX_FILE.blobs!.map((blob) => ({ ...blob, payload })),
});

sentences("classes.md 9", [
  kv("one key and one value a layer", (t) => t, "accept"),
  kv("names are free", (t) => t.map((one, i) => ({ ...one, name: `${9 - i}` })), "accept"),
  kv(
    "an element type has no stated range: f64",
    all({ type: "f64", payload: new Uint8Array(96) }),
    "accept",
    { "body.element_type": 4 },
  ),
  kv("nor u8", all({ type: "u8", payload: new Uint8Array(12) }), "accept", {
    "body.element_type": 6,
  }),
  kv("but it is the tensors'", (t) => t, ARCHITECTURE, { "body.element_type": 1 }),
  kv("256 is no tensor's", (t) => t, ARCHITECTURE, { "body.element_type": 256 }),
  kv("positions are the tensors'", (t) => t, ARCHITECTURE, { "body.positions": 3 }),
  kv("positions of 64 bits", (t) => t, ARCHITECTURE, { "body.positions": 2n ** 64n - 1n }),
  kv("keys alone", (t) => t.filter(({ role }) => role === "kv-key"), ARCHITECTURE),
  kv("three tensors", (t) => t.slice(1), ARCHITECTURE),
  kv("layers from 1", (t) => t.map((one) => ({ ...one, layer: one.layer! + 1 })), ARCHITECTURE),
  kv("a subindex", all({ subindex_0: 0 }), ARCHITECTURE),
  kv("a third role", (t) => [...t, dense("kv-more", "m", [2, 2, 3], "f16")], ARCHITECTURE),
  kv("two shapes", (t) => t.map((one, i) => i ? one : { ...one, shape: [3, 2, 2] }), ARCHITECTURE),
  kv("rank 2", all({ shape: [6, 2] }), ARCHITECTURE),
  index("vectors in f32", INDEX_FILE, "accept"),
  index("quantized by rows, with its scale", ROW_INDEX, "accept"),
  index("a scale's subindexes are free", {
    ...ROW_INDEX,
    tensors: ROW_INDEX.tensors!.map((t, i) => i ? { ...t, subindex_0: 3, subindex_1: 0 } : t),
  }, "accept"),
  index("its layer is not", {
    ...ROW_INDEX,
    tensors: ROW_INDEX.tensors!.map((t, i) => i ? { ...t, layer: 0 } : t),
  }, ARCHITECTURE),
  index("nor its role", {
    ...ROW_INDEX,
    tensors: ROW_INDEX.tensors!.map((t, i) => i ? { ...t, role: "scales" } : t),
  }, ARCHITECTURE),
  index("a scale that is no target", {
    ...INDEX_FILE,
    tensors: [...INDEX_FILE.tensors!, dense("scale", "s", [2])],
  }, ARCHITECTURE),
  index(
    "vectors in f16",
    retrievalIndex({ ...INDEX, type: "f16", vectors: new Uint8Array(12) }),
    ARCHITECTURE,
  ),
  index(
    "vectors in blocks",
    retrievalIndex({ ...INDEX, type: "q8-0.b32.row", vectors: new Uint8Array(68) }),
    "accept",
  ),
  index("vectors at a layer", {
    ...INDEX_FILE,
    tensors: INDEX_FILE.tensors!.map((t) => ({ ...t, layer: 0 })),
  }, ARCHITECTURE),
  index("another count", INDEX_FILE, ARCHITECTURE, { "body.count": 3 }),
  index("another dim", INDEX_FILE, ARCHITECTURE, { "body.dim": 2n ** 53n + 3n }),
  index("documents of another count", documents(vocabularyTable(["a"])), CONTENT),
  index(
    "documents that fall",
    documents(concat(u32(2), u32(0), u32(3), u32(2), new Uint8Array(2))),
    CONTENT,
  ),
  index(
    "documents past the end",
    documents(concat(u32(2), u32(0), u32(1), u32(3), new Uint8Array(2))),
    CONTENT,
  ),
  index(
    "documents short of the end",
    documents(concat(u32(2), u32(0), u32(1), u32(1), new Uint8Array(2))),
    CONTENT,
  ),
  index(
    "not from 0",
    documents(concat(u32(2), u32(1), u32(1), u32(2), new Uint8Array(2))),
    CONTENT,
  ),
  index("two empty documents", documents(vocabularyTable(["", ""])), "accept"),
  index(
    "a character across two",
    documents(concat(u32(2), u32(0), u32(1), u32(2), new Uint8Array([0xc3, 0xa9]))),
    CONTENT,
  ),
  index(
    "a character cut at the end",
    documents(concat(u32(2), u32(0), u32(1), u32(2), new Uint8Array([0x61, 0xc3]))),
    CONTENT,
  ),
  index("three bytes", documents(new Uint8Array(3)), CONTENT),
  index("a second list", {
    ...INDEX_FILE,
    blobs: [...INDEX_FILE.blobs!, { ...INDEX_FILE.blobs![0], name: "z" }],
  }, CONTENT),
  index("any name and media type", {
    ...INDEX_FILE,
    blobs: [{ ...INDEX_FILE.blobs![0], name: "z", media_type: "y" }],
  }, "accept"),
]);
