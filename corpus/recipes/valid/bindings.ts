/** Compositions, KV caches and retrieval indexes. */
import { composition, type CompositionParts, kvCache } from "../../writer/build/composition.ts";
import { retrievalIndex } from "../../writer/build/retrieval.ts";
import { ELEMENT_TYPES, REGISTERED } from "../../writer/profiles.ts";
import { blocks, digestOf, floats, ramp } from "../bytes.ts";
import { lazy, type Recipe, valid } from "../case.ts";
import { base, chat, full, kv, lowRank, model, plain, ref, second, tok } from "../library.ts";
import { richTemplate, richTokenizer } from "../rich.ts";
import { envelopes, evidence } from "./evidence.ts";
import { pieces } from "./pieces.ts";

/** A composition of `n` adapters that nobody is asked about. */
export function thatMany(n: number) {
  const reference = (artifact_class: number, seed: number) => ({
    class: artifact_class,
    artifact_id: digestOf(seed).toHex(),
    whole_file: digestOf(seed + 1000).toHex(),
  });
  return composition({
    base: reference(2, 90),
    tokenizer: reference(4, 91),
    adapters: Array.from({ length: n }, (_, i) => reference(3, 100 + i)),
    kv: { max_positions: 1 },
  });
}

export const mostAdapters = lazy(() =>
  valid("valid/composition/adapters-32", "just 32 adapters", thatMany(32))
);

const bind = (local: string, why: string, more: Partial<CompositionParts>) =>
  valid(
    `valid/composition/${local}`,
    why,
    composition({ base: ref(base()), tokenizer: ref(tok()), kv: { max_positions: 4 }, ...more }),
  );

const compositions: Recipe = {
  name: "valid/composition",
  reason: "ordered adapters, templates, sampling and KV policies",
  spec: "classes.md 6",
  cites: [
    "classes-6 Relations: adapters at most 32",
    "classes-6 `composition_id",
    "classes-1 6 | `base`",
  ],
  cases: () => [
    mostAdapters(),
    bind("standalone", "a standalone model, without adapters", { base: ref(model()) }),
    bind("one-adapter", "one adapter", { adapters: [ref(lowRank())] }),
    bind("two-adapters", "two adapters in one order", {
      adapters: [ref(lowRank()), ref(second())],
    }),
    bind("two-adapters-swapped", "the same two in the other order: another composition", {
      adapters: [ref(second()), ref(lowRank())],
    }),
    bind("template", "a template", { chat_template: ref(chat()) }),
    bind("rich-parts", "a rich tokenizer and its template", {
      tokenizer: ref(richTokenizer()),
      chat_template: ref(richTemplate()),
    }),
    bind("sampling-ends", "sampling at the ends of its ranges", {
      generation: {
        temperature: [0, 1],
        top_p: [1, 2n ** 64n - 1n],
        top_k: 2n ** 64n - 1n as unknown as number,
        max_new_tokens: 0,
        stop_tokens: [],
      },
    }),
    bind("hot", "a temperature above one, top_p just below", {
      generation: { temperature: [2n ** 63n, 1n], top_p: [2n ** 64n - 2n, 2n ** 64n - 1n] },
    }),
    bind("kv-f16", "a KV cache of f16", { kv: { max_positions: 4, element_type: 2 } }),
    bind("kv-bf16", "a KV cache of bf16, of no position", {
      kv: { max_positions: 0, element_type: 3 },
    }),
    bind("requirements", "requirements, which only a resolver's caller judges", {
      requirements: { features: ["lab/subgroups"], memory_bytes: 2n ** 63n },
    }),
  ],
};

const caches: Recipe = {
  name: "valid/kv-cache",
  reason: "KV caches of every type, several layers and prefixes",
  spec: "classes.md 9",
  cites: [
    "classes-9 KV tensors",
    "classes-9 `prefix_tokens = ",
    'slm2-decisions kv-body, "`element_type: uint`"',
  ],
  cases: () => [...runnable(), ...everyType()],
};

/** What a runtime can use: composition's `kv.element_type`. */
const runnable = () =>
  ([["f32", 4], ["f16", 2], ["bf16", 2]] as const).flatMap(([element, size]) =>
    [1, 3].map((layers) =>
      valid(
        `valid/kv-cache/${element}-${layers}-layers`,
        `${layers} layers of ${element}`,
        kvCache({
          composition: ref(plain()),
          abi: "lab/1",
          element,
          kv_heads: 2,
          head_dim: 2,
          prefix: [0, 1, 3],
          rope_base: 7,
          layers: Array.from(
            { length: layers },
            (_, i) => ({ key: ramp(12 * size, i), value: ramp(12 * size, i + 9) }),
          ),
        }),
      )
    )
  );

/** A cache may be of any dense type: only a composition's policy is of three. */
const everyType = () =>
  Object.entries(ELEMENT_TYPES).map(([type, { id, bytes }]) => {
    const { tensors = [], ...rest } = kv().description;
    return valid(`valid/kv-cache/${type}`, `a cache of ${type}`, {
      ...rest,
      body: { ...rest.body, element_type: id },
      tensors: tensors.map((tensor, i) => ({ ...tensor, type, payload: ramp(2 * bytes, i) })),
    });
  });

const indexes: Recipe = {
  name: "valid/retrieval",
  reason: "vectors of every type that may be, every metric, documents of every length",
  spec: "classes.md 9",
  cites: [
    "classes-9 Retrieval: exactly one tensor",
    "classes-9 one blob 64",
    "classes-10 64 | retrieval",
  ],
  cases: () => {
    const make = (
      local: string,
      why: string,
      type: string,
      documents: readonly string[],
      dim: number,
      metric: "cosine" | "dot" | "l2" = "dot",
    ) =>
      valid(
        `valid/retrieval/${local}`,
        why,
        retrievalIndex({
          embedding: ref(plain()),
          tokenizer: ref(tok()),
          chunking: "lines/1",
          corpus_revision: digestOf(5),
          metric,
          documents,
          dim,
          type,
          vectors: type === "f32"
            ? floats(documents.length * dim)
            : blocks(type, [documents.length, dim]),
          scales: floats(documents.length),
        }),
      );
    return [
      ...(["cosine", "dot", "l2"] as const).map((metric) =>
        make(metric, `the metric ${metric}`, "f32", ["a", "b"], 3, metric)
      ),
      ...[...REGISTERED.keys()].map((type) =>
        make(type, `vectors of ${type}`, type, ["a", "b"], type.startsWith("nf4") ? 64 : 32)
      ),
      make(
        "documents",
        "empty documents, and texts that are not in NFC or not assigned: UTF-8 is all that is asked",
        "f32",
        ["", "e\u0301", "\u0378", "\0", "\ufeff", ""],
        1,
      ),
      freeScale(),
      make("all-empty", "documents that are all empty", "f32", ["", "", ""], 2),
      make("one-empty", "one document, and it is empty", "f32", [""], 2),
      make(
        "many",
        "300 documents",
        "f32",
        Array.from({ length: 300 }, (_, i) => "x".repeat(i % 7)),
        1,
      ),
      make("zero-vector", "vectors are not judged", "f32", ["a"], 1),
    ];
  },
};

/** The scale of quantized vectors under another name, with subindexes. */
function freeScale() {
  const { tensors = [], ...rest } = full().description;
  return valid("valid/retrieval/scale-names", "a scale of any name and subindex", {
    ...rest,
    tensors: tensors.map((tensor) =>
      tensor.role === "scale" ? { ...tensor, name: "s", subindex_0: 3, subindex_1: 0 } : tensor
    ),
    auxiliaries: [{ owner: "vectors", target: "s" }],
  }, { cites: ['slm2-decisions "its scale target if any'] });
}

export const bindings: readonly Recipe[] = [
  compositions,
  caches,
  indexes,
  pieces,
  envelopes,
  evidence,
];
