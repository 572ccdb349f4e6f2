/** Families of good artifacts with one part of them as large as asked: where work can be quadratic. */
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description, Reference } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";

const EMPTY = new Uint8Array(0);

const tensor = (i: number, role = "w") => ({
  role,
  name: `t${i}`,
  shape: [1],
  type: "u8",
  payload: Uint8Array.of(i),
});

const ZEROS = "00".repeat(32);
const COMPOSITION = { class: 6, artifact_id: ZEROS, whole_file: ZEROS };
const TOKENIZER = { class: 4, artifact_id: ZEROS, whole_file: ZEROS };

const list = <T>(n: number, one: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => one(i));

/** By name: the part that grows, as a description of size `n`. */
export const PROBES: { readonly [name: string]: (n: number) => Description } = {
  "tensors": (n) => tensorPack(list(n, (i) => tensor(i))),
  "keys": (n) => ({
    ...tensorPack([tensor(0)]),
    extensions: [{
      id: "x",
      version: 0,
      critical: false,
      payload: new Map(list(n, (i) => [`k${i}`, i])),
    }],
  }),
  "text": (n) => ({
    ...tensorPack([tensor(0)]),
    extensions: [{
      id: "x",
      version: 0,
      critical: false,
      payload: { a: "e\u0327\u0301x".normalize("NFC").repeat(n) },
    }],
  }),
  "features": (n) => ({
    ...tensorPack([tensor(0)]),
    requirements: { features: list(n, (i) => `f${i}`) },
  }),
  "auxiliaries": (n) => ({
    ...tensorPack([
      ...list(n, (i) => ({ ...tensor(i), type: "q8-row.exact" })),
      { role: "x", name: "scale", shape: [1], type: "f32", payload: new Uint8Array(4) },
    ]),
    auxiliaries: list(n, (i) => ({ owner: `t${i}`, target: "scale" })),
  }),
  "literals": (n) => ({
    artifact_class: 5,
    body: {
      fields: [],
      generation_marker: null,
      instruction_set: 1,
      program: [],
      roles: [],
      stop_tokens: list(n, (i) => i),
      tokenizer_id: new Uint8Array(32),
    },
    dependencies: [{ role: "tokenizer", artifact_class: 4, id: new Uint8Array(32) }],
    blobs: list(
      n,
      (i) => ({ kind: 16, name: `l${i}`, media_type: "text/plain", payload: Uint8Array.of(0x61) }),
    ),
  }),
  "merges": (n) =>
    tokenizer({
      vocabulary: [...list(n, (i) => Uint8Array.of(i % 256, i >> 8)), EMPTY],
      merges: list(n, (i): [number, number, number] => [i, n, i]),
    }, { kind: "byte-level-bpe/1" }),
  "operations": (n) => adds({ class: 2, artifact_id: ZEROS, whole_file: ZEROS }, ZEROS, n),
  "roles": (n) =>
    tokenizer({ vocabulary: ["a"], added_tokens: [] }, {
      kind: "table/1",
      roles: Object.fromEntries(list(n, (i) => [`r${i}`, 0])),
      stop_bytes: list(n, (i) => Uint8Array.of(i % 256, i >> 8)),
    }),
  "table entries": (n) =>
    tokenizer({
      vocabulary: list(n, () => "a"),
      scores: list(n, (i) => i),
      normalizer: list(n, (i) => [`${i}`, ""]),
      added_tokens: list(n, (id) => ({ id, flags: 0 })),
    }, { kind: "unigram/1" }),
  "instructions": (n) =>
    template(TOKENIZER, [{ for_each_message: list(n, (token) => ({ token })) }]),
  "documents": (n) =>
    retrievalIndex({
      embedding: COMPOSITION,
      tokenizer: TOKENIZER,
      chunking: "none",
      corpus_revision: new Uint8Array(32),
      metric: "dot",
      documents: list(n, () => "\u00e9"),
      dim: 1,
      type: "f32",
      vectors: new Uint8Array(4 * n),
    }),
  "layers": (n) =>
    kvCache({
      composition: COMPOSITION,
      abi: "x",
      element: "f16",
      kv_heads: 1,
      head_dim: 1,
      prefix: [0],
      layers: list(n, () => ({ key: new Uint8Array(2), value: new Uint8Array(2) })),
    }),
};

/** An adapter of `n` operations, each of which adds to a tensor of its own of the base. */
export function adds(base: Reference, tensor_layout: string, n: number): Description {
  return adapter(
    { ...base, tensor_layout },
    list(n, (i) => {
      const { payload: _, ...target } = tensor(i);
      return { op: "additive-delta/1", target, tensors: { delta: tensor(i, "d") } };
    }),
  );
}

/** A base that `adds` adds to. */
export const added = (n: number): Description => tensorPack(list(n, (i) => tensor(i)), 2);

/** How large each is made at most: as the limits of section 4 allow, and as a person can wait for. */
export const largest = (name: string): number => FEWER[name] ?? 12000;
const FEWER: { readonly [name: string]: number } = {
  "literals": 4000,
  "operations": 1200,
  "roles": 6000,
  "table entries": 6000,
  "instructions": 4000,
  "documents": 6000,
  "layers": 2000,
};

/** The file of a probe. @throws Error where the writer refuses it, which is a bug of the probe */
export function probe(name: string, n: number): Uint8Array {
  const written = write(PROBES[name](n));
  if (isWriteError(written)) throw new Error(`${name} ${n}: ${written.code} at ${written.where}`);
  return written.bytes;
}
