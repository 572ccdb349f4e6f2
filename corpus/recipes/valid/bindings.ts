/** Compositions, KV caches, retrieval indexes, piece sets, signatures and evidence. */
import { composition, type CompositionParts, kvCache } from "../../writer/build/composition.ts";
import { pieceSet, signatureEnvelope } from "../../writer/build/evidence.ts";
import { retrievalIndex } from "../../writer/build/retrieval.ts";
import type { Description } from "../../writer/description.ts";
import { fromHex } from "../../writer/identity.ts";
import { ELEMENT_TYPES, REGISTERED } from "../../writer/profiles.ts";
import { blocks, digestOf, floats, ramp } from "../bytes.ts";
import { lazy, type Recipe, valid, type ValidCase } from "../case.ts";
import {
  announcementBody,
  base,
  chat,
  depend,
  full,
  kv,
  lowRank,
  model,
  plain,
  receiptBody,
  ref,
  second,
  SEED,
  tok,
} from "../library.ts";
import { richAnnouncement, richTemplate, richTokenizer } from "../rich.ts";

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

/** A file of that many bytes; nobody asks what stands in it. */
const file = (bytes: number) => ({
  size: () => bytes,
  read(offset: number, into: Uint8Array) {
    const n = Math.min(into.length, bytes - offset);
    into.fill(0, 0, n);
    return n;
  },
});

const MIB = 1 << 20;

/** Piece sets of files of zeros, by the number of their bytes. */
export const setOf = (() => {
  const made = new Map<number, ReturnType<typeof make>>();
  const make = (bytes: number) => {
    const set = pieceSet(ref(model()), file(bytes));
    return {
      set,
      one: valid(
        `valid/pieces/${bytes}`,
        `the pieces of a file of ${bytes} zeros: ${set.description.body.piece_count}`,
        set.description,
      ),
    };
  };
  return (bytes: number) => made.get(bytes) ?? made.set(bytes, make(bytes)).get(bytes)!;
})();

/** One, two, three, five, seven and eight pieces; the last whole, short, and of one byte. */
export const SUBJECTS = [
  1,
  100,
  4 * MIB - 1,
  4 * MIB,
  4 * MIB + 1,
  8 * MIB,
  8 * MIB + 100,
  16 * MIB + 100,
  24 * MIB + 100,
  28 * MIB + 100,
];

const pieces: Recipe = {
  name: "valid/pieces",
  reason: "piece sets of one, two and of no power of two pieces, the last whole or short",
  spec: "classes.md 7",
  cites: [
    "classes-7 `piece_hash_i",
    "classes-7 `leaf_i",
    "classes-7 `node",
    "classes-7 the tree splits",
    "classes-7 one leaf is its own root",
    "classes-7 then piece_count",
    "classes-7 One blob, kind 32",
  ],
  cases: () => SUBJECTS.map((bytes) => setOf(bytes).one),
};

const envelope = (
  local: string,
  why: string,
  more: Partial<Parameters<typeof signatureEnvelope>[0]>,
) =>
  valid(
    `valid/envelope/${local}`,
    why,
    signatureEnvelope({
      subject: ref(model()),
      statement_type: "release/1",
      statement_hash: digestOf(10),
      signed_at: 1000,
      expires_at: 2000,
      trust_epoch: 1,
      seed: SEED,
      ...more,
    }),
  );

/** A second key, for rotation. */
export const NEXT_SEED = fromHex(
  "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
);

export const rotated = lazy(() =>
  envelope("rotated-key", "the same statement under the next key and epoch", {
    seed: NEXT_SEED,
    signed_at: 1500,
    trust_epoch: 2,
  })
);
export const earlier = lazy(() =>
  envelope("earlier-epoch", "a statement of an earlier epoch", { trust_epoch: 0 })
);
export const later = lazy(() =>
  envelope("later-epoch", "a statement of an epoch to come", { trust_epoch: 3 })
);

const envelopes: Recipe = {
  name: "valid/envelope",
  reason: "signatures over several classes, by two keys, in several epochs",
  spec: "classes.md 8",
  cites: ["classes-8 `key_id = SLM_HASH", "classes-8 The signed bytes are"],
  cases: () => [
    rotated(),
    earlier(),
    later(),
    envelope("of-base", "a signature over a base", { subject: ref(base()) }),
    envelope("of-composition", "a signature over a composition", { subject: ref(plain()) }),
    envelope("other-type", "a statement of another type", { statement_type: "evaluation/1" }),
    envelope("times-at-ends", "times are free: what they mean is stage 28's", {
      signed_at: 2n ** 64n - 1n,
      expires_at: 0,
      trust_epoch: 2n ** 64n - 1n,
    }),
  ],
};

const receipt = (
  local: string,
  why: string,
  body: Partial<ReturnType<typeof receiptBody>>,
  more: Partial<Description> = {},
) =>
  valid(`valid/evidence/receipt-${local}`, why, {
    artifact_class: 12,
    body: { ...receiptBody(), ...body },
    dependencies: [depend("subject", model())],
    ...more,
  });

const subject = (one: ValidCase, artifact_class: number) => ({
  ...depend("subject", one),
  artifact_class,
});

const evidence: Recipe = {
  name: "valid/evidence",
  reason: "receipts and announcements in all their states",
  spec: "classes.md 8",
  cites: [
    "classes-8 receipt-body.status",
    "classes-8 announcement-body.promotion",
    "classes-1 9, 11, 12 | one",
  ],
  cases: () => [
    receipt("fail", "a failed evaluation", { status: "fail", cases_passed: 0 }),
    receipt("pending", "one that has not run", { status: "pending", cases: 0, cases_passed: 0 }),
    receipt("more-passed-than-cases", "no relation binds the two numbers", {
      cases: 1,
      cases_passed: 2n ** 64n - 1n,
    }),
    ...Array.from(
      { length: 13 },
      (_, i) =>
        receipt(
          `subject-class-${i + 1}`,
          `a receipt of an artifact that is said to be of class ${i + 1}`,
          {},
          { dependencies: [subject(model(), i + 1)] },
        ),
    ),
    ...(["candidate", "promotable", "withdrawn"] as const).map((promotion) =>
      valid(`valid/evidence/announcement-${promotion}`, `an announcement that is ${promotion}`, {
        artifact_class: 13,
        body: { ...announcementBody([model()]), promotion, display_name: "" },
        dependencies: [depend("subject", model())],
      })
    ),
    valid(
      "valid/evidence/announcement-other-name",
      "the display name alone differs from the rich announcement's",
      {
        ...richAnnouncement().description,
        body: { ...richAnnouncement().description.body, display_name: "Another model" },
      },
    ),
  ],
};

export const bindings: readonly Recipe[] = [
  compositions,
  caches,
  indexes,
  pieces,
  envelopes,
  evidence,
];
