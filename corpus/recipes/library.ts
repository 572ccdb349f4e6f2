/**
 * The artifacts that other recipes build on: a small one of each class, each bound to the
 * others as a real family is. Every one is a valid case of its own.
 */
import { adapter, type OperationParts } from "../writer/build/adapter.ts";
import { composition, kvCache } from "../writer/build/composition.ts";
import { pieceSet, signatureEnvelope } from "../writer/build/evidence.ts";
import { llama, llamaSlots, slotName, tensorPack } from "../writer/build/model.ts";
import { retrievalIndex } from "../writer/build/retrieval.ts";
import { template } from "../writer/build/template.ts";
import { tokenizer } from "../writer/build/tokenizer.ts";
import type { AnnouncementBody, LlamaParameters, ReceiptBody } from "../writer/bodies.ts";
import type { DependencyDescription, Reference } from "../writer/description.ts";
import { fromHex } from "../writer/identity.ts";
import { blocks, digestOf, floats } from "./bytes.ts";
import { lazy, valid, type ValidCase } from "./case.ts";

/** What another artifact refers to. */
export const ref = (one: ValidCase): Reference => one.identities;

const id = (one: ValidCase) => fromHex(one.identities.artifact_id);
const whole = (one: ValidCase) => fromHex(one.identities.whole_file);

/** A dependency upon exactly that artifact, under a role. */
export const depend = (role: string, on: ValidCase): DependencyDescription => ({
  role,
  artifact_class: on.identities.class,
  id: id(on),
  whole_file: whole(on),
});

export const model = lazy(() =>
  valid(
    "valid/smallest/1-model",
    "a model of one scalar",
    tensorPack([{ role: "w", name: "x", shape: [], type: "f32", payload: floats(1) }]),
  )
);

/** The smallest `llama/1`. */
export const LLAMA: LlamaParameters = {
  dim: 2,
  head_dim: 2,
  heads: 1,
  hidden_dim: 3,
  kv_heads: 1,
  layers: 1,
  max_seq: 4,
  norm_eps: [1, 100000],
  rope_style: 0,
  rope_theta: [10000, 1],
  tied_output: true,
  vocab: 4,
};

export const llamaTensors = (p: LlamaParameters) =>
  llamaSlots(p).map((slot, i) => ({
    ...slot,
    name: slotName(slot),
    type: "f32",
    payload: floats(slot.shape.reduce((product, n) => product * n, 1), i),
  }));

export const base = lazy(() =>
  valid(
    "valid/smallest/2-base",
    "a base: the least llama/1, one layer, tied output",
    llama(LLAMA, llamaTensors(LLAMA)),
  )
);

/** A tensor of the base, as an adapter's operation targets it. */
export const target = (name: string) => {
  const found = base().description.tensors!.find((tensor) => tensor.name === name)!;
  const { payload: _, ...rest } = found;
  return rest;
};

export const lora = (order: number, rank = 1): OperationParts => ({
  op: "lora/1",
  target: target("attention-q.0"),
  tensors: {
    a: {
      role: "lora-a",
      name: `a.${order}`,
      shape: [rank, 2],
      type: "f32",
      payload: floats(2 * rank, order),
    },
    b: {
      role: "lora-b",
      name: `b.${order}`,
      shape: [2, rank],
      type: "f32",
      payload: floats(2 * rank, order + 1),
    },
  },
  scale: [2, 1],
});

export const tok = lazy(() =>
  valid(
    "valid/smallest/4-tokenizer",
    "a tokenizer of kind table/1 with the one blob that it needs",
    tokenizer({ vocabulary: ["a", "b", "ab", "</s>"] }, { kind: "table/1" }),
  )
);

export const lowRank = lazy(() =>
  valid(
    "valid/smallest/3-adapter",
    "an adapter of one lora/1",
    adapter(base().identities, [lora(0)]),
  )
);

export const chat = lazy(() =>
  valid(
    "valid/smallest/5-template",
    "a template with an empty program: no blob, no table at all",
    template(ref(tok()), []),
  )
);

export const plain = lazy(() =>
  valid(
    "valid/smallest/6-composition",
    "a composition without template and adapters",
    composition({ base: ref(base()), tokenizer: ref(tok()), kv: { max_positions: 4 } }),
  )
);

/** A composition with everything that one can bind. */
export const bound = lazy(() =>
  valid(
    "valid/family/composition",
    "a composition with a template and two adapters, in this order",
    composition({
      base: ref(base()),
      tokenizer: ref(tok()),
      chat_template: ref(chat()),
      adapters: [ref(lowRank()), ref(second())],
      generation: { stop_tokens: [0, 3], temperature: [7, 10], top_k: 40, top_p: [9, 10] },
      kv: { max_positions: 4 },
    }),
  )
);

export const second = lazy(() =>
  valid(
    "valid/family/second-adapter",
    "an adapter of two operations, bound to a tokenizer",
    adapter(base().identities, [lora(0, 2), {
      op: "multiplicative-vector/1",
      target: target("ffn-up.0"),
      tensors: { v: { role: "vector", name: "v", shape: [3], type: "f32", payload: floats(3) } },
      axis: 0,
      merge: true,
    }], { tokenizer: ref(tok()) }),
  )
);

export const kv = lazy(() =>
  valid(
    "valid/smallest/7-kv-cache",
    "a KV cache of one layer and one position",
    kvCache({
      composition: ref(plain()),
      abi: "lab/1",
      element: "f32",
      kv_heads: 1,
      head_dim: 2,
      prefix: [2],
      layers: [{ key: floats(2, 1), value: floats(2, 2) }],
    }),
  )
);

export const retrieval = lazy(() =>
  valid(
    "valid/smallest/8-retrieval",
    "a retrieval index of one document",
    retrievalIndex({
      embedding: ref(plain()),
      tokenizer: ref(tok()),
      chunking: "whole/1",
      corpus_revision: digestOf(8),
      metric: "dot",
      documents: ["one"],
      dim: 2,
      type: "f32",
      vectors: floats(2),
    }),
  )
);

/** Every section stands in this file, so every header field means something. */
export const full = lazy(() =>
  valid(
    "valid/family/every-section",
    "a retrieval index of q8-row vectors: all seven sections stand",
    retrievalIndex({
      embedding: ref(plain()),
      tokenizer: ref(tok()),
      chunking: "whole/1",
      corpus_revision: digestOf(8),
      metric: "cosine",
      documents: ["one", "", "three"],
      dim: 4,
      type: "q8-row.exact",
      vectors: blocks("q8-row.exact", [3, 4]),
      scales: floats(3),
    }),
  )
);

export const pieces = lazy(() =>
  valid(
    "valid/smallest/9-piece-set",
    "the piece set of a file of one piece",
    pieceSet(ref(model()), model().artifact.bytes).description,
  )
);

/** RFC 8032 section 7.1, TEST 1: a key that everyone knows to be no secret. */
export const SEED = fromHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

export const envelope = lazy(() =>
  valid(
    "valid/smallest/10-envelope",
    "a signature over a model",
    signatureEnvelope({
      subject: ref(model()),
      statement_type: "release/1",
      statement_hash: digestOf(10),
      signed_at: 1000,
      expires_at: 2000,
      trust_epoch: 1,
      seed: SEED,
    }),
  )
);

export const provenance = lazy(() =>
  valid("valid/smallest/11-provenance", "a provenance record that claims next to nothing", {
    artifact_class: 11,
    body: {
      converter: { commit: "", executable: digestOf(11) },
      licenses: [],
      notices: [],
      receipt: null,
      reproducible: "no",
      sources: [],
      subject: id(model()),
      toolchain: {},
    },
    dependencies: [{ ...depend("subject", model()), whole_file: null }],
  })
);

export const receiptBody = (): ReceiptBody => ({
  cases: 1,
  cases_passed: 1,
  dataset: digestOf(12),
  evaluator: "lab/1",
  scope: "smoke",
  status: "pass",
  subject: id(model()),
  subject_whole_file: whole(model()),
});

export const receipt = lazy(() =>
  valid("valid/smallest/12-receipt", "an evaluation receipt of one case", {
    artifact_class: 12,
    body: receiptBody(),
    dependencies: [depend("subject", model())],
  })
);

export const announcementBody = (subjects: readonly ValidCase[]): AnnouncementBody => ({
  display_name: "A model",
  licenses: ["MIT"],
  promotion: "candidate",
  receipts: [],
  sizes: { incremental: 1, logical: 1 },
  subjects: subjects.map((one) => ({
    id: id(one),
    piece_set: digestOf(13),
    whole_file: whole(one),
  })),
});

export const announcement = lazy(() =>
  valid("valid/smallest/13-announcement", "an announcement of one model", {
    artifact_class: 13,
    body: announcementBody([model()]),
    dependencies: [depend("subject", model())],
  })
);

/** The smallest artifact of each class, by class. */
export const SMALLEST = [
  model,
  base,
  lowRank,
  tok,
  chat,
  plain,
  kv,
  retrieval,
  pieces,
  envelope,
  provenance,
  receipt,
  announcement,
];
