/** An artifact of each class in which every list has members and nothing optional is left out. */
import { adapter } from "../writer/build/adapter.ts";
import { composition } from "../writer/build/composition.ts";
import { template } from "../writer/build/template.ts";
import { tokenizer } from "../writer/build/tokenizer.ts";
import { utf8 } from "../writer/bytes.ts";
import type { ProvenanceBody } from "../writer/bodies.ts";
import type { Description } from "../writer/description.ts";
import { fromHex } from "../writer/identity.ts";
import { digestOf, floats } from "./bytes.ts";
import { lazy, valid, type ValidCase } from "./case.ts";
import {
  announcementBody,
  base,
  depend,
  envelope,
  full,
  kv,
  lora,
  model,
  pieces,
  receipt,
  receiptBody,
  ref,
  target,
} from "./library.ts";

/** The same with two extensions and two features. */
const dressed = (description: Description): Description => ({
  ...description,
  extensions: [
    { id: "lab/note", version: 1, critical: false, payload: { text: "a note" } },
    { id: "lab/note", version: 2, critical: false, payload: utf8("a later one") },
  ],
  requirements: { features: ["lab/one", "lab/two"], memory_bytes: 4096 },
});

const rich = (artifact_class: number, name: string, description: Description) =>
  valid(
    `valid/rich/${artifact_class}-${name}`,
    `${name}: every list has members, every optional part stands`,
    dressed(description),
  );

export const richModel = lazy(() =>
  rich(1, "model", {
    ...model().description,
    tensors: [
      { role: "a", name: "x", shape: [2], type: "f32", payload: floats(2) },
      {
        role: "b",
        name: "y",
        layer: 0,
        subindex_0: 1,
        subindex_1: 2,
        shape: [1, 3],
        type: "u8",
        payload: digestOf(1).slice(0, 3),
      },
    ],
  })
);
export const richBase = lazy(() => rich(2, "base", base().description));

/** 256 one-byte tokens, then longer ones: every byte string has a spelling. */
const BYTES = Array.from({ length: 256 }, (_, byte) => new Uint8Array([byte]));

export const richTokenizer = lazy(() =>
  rich(
    4,
    "tokenizer",
    tokenizer({
      vocabulary: [...BYTES, "ab", "abc", "<s>", "</s>", "\u2581"],
      merges: [[97, 98, 256], [256, 99, 257]],
      scores: Float32Array.from({ length: 261 }, (_, id) => -id),
      normalizer: [["\u00a0", " "], ["ffi", "f"], ["ff", "f"]],
      byte_fallback: BYTES.map((_, id) => id),
      added_tokens: [{ id: 258, flags: 1 }, { id: 259, flags: 31 }],
    }, {
      kind: "byte-level-bpe/1",
      added_prefix_space: true,
      bos: { auto: true, id: 258 },
      eos: { auto: true, id: 259 },
      decoder: ["byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback"],
      normalizer: [["nfc"], ["prepend", "\u2581"], ["replace", " ", "\u2581"]],
      pretokenizer: [["gpt2-split"], ["digits-split", 3]],
      roles: { "bos": 258, "eos": 259 },
      space_marker: "\u2581",
      stop_bytes: [new Uint8Array([10]), new Uint8Array([10, 10])],
      stop_tokens: [0, 259],
      unknown: { id: 0, policy: "bytes" },
    }),
  )
);

export const richTemplate = lazy(() =>
  rich(
    5,
    "template",
    template(ref(richTokenizer()), [
      { token: 258 },
      {
        for_each_message: [
          { if_role: "system", then: ["<<SYS>>", { do: "content" }] },
          { if_role: "user", then: [{ do: "role" }, ": ", { do: "content" }, { token: 259 }] },
          {
            if_present: "tools",
            then: ["[tools]", { if_present: "name", then: [{ do: "stop" }] }],
          },
        ],
      },
      { do: "generation_marker" },
      { do: "stop" },
    ], {
      fields: ["name", "tools"],
      roles: ["system", "user"],
      stop_tokens: [10, 259],
      generation_marker: 258,
    }),
  )
);

export const richAdapter = lazy(() =>
  rich(
    3,
    "adapter",
    adapter(base().identities, [lora(0, 2), {
      op: "additive-delta/1",
      target: target("ffn-down.0"),
      tensors: {
        delta: { role: "delta", name: "delta", shape: [2, 3], type: "f16", payload: floats(3) },
      },
      scale: [-1, 3],
    }, {
      op: "multiplicative-vector/1",
      target: target("ffn-up.0"),
      tensors: { v: { role: "vector", name: "v", shape: [3], type: "f32", payload: floats(3) } },
      axis: 0,
      merge: true,
    }], { tokenizer: ref(richTokenizer()) }),
  )
);

export const richComposition = lazy(() =>
  rich(
    6,
    "composition",
    composition({
      base: ref(richBase()),
      tokenizer: ref(richTokenizer()),
      chat_template: ref(richTemplate()),
      adapters: [ref(richAdapter()), ref(receipt())].map((one, i) =>
        // an id is an id here; whether it is an adapter's, only a resolver can tell
        i === 0 ? one : { ...one, class: 3 }
      ),
      generation: {
        max_new_tokens: 8,
        stop_tokens: [1, 2],
        temperature: [7, 10],
        top_k: 40,
        top_p: [9, 10],
      },
      kv: { max_positions: 64, element_type: 2 },
    }),
  )
);
export const richKv = lazy(() => rich(7, "kv-cache", kv().description));
export const richRetrieval = lazy(() => rich(8, "retrieval-index", full().description));
export const richPieces = lazy(() => rich(9, "piece-set", pieces().description));
export const richEnvelope = lazy(() => rich(10, "signature-envelope", envelope().description));

export const richProvenance = lazy(() => {
  const body: ProvenanceBody = {
    converter: { commit: "4f2c", executable: digestOf(21) },
    licenses: ["Apache-2.0", "MIT OR Apache-2.0"],
    notices: [digestOf(22), digestOf(23)],
    receipt: digestOf(24),
    reproducible: "byte",
    sources: [
      {
        commit: "0a1b",
        files: [["model.bin", digestOf(25)], ["tokenizer.bin", digestOf(26)]],
        repository: "a repository",
      },
      { commit: "", files: [], repository: "" },
    ],
    subject: fromHex(model().identities.artifact_id),
    toolchain: { deno: "2.9", "lab/importer": "1" },
  };
  return rich(11, "license-provenance", {
    artifact_class: 11,
    body,
    dependencies: [depend("subject", model())],
    blobs: [
      { kind: 48, name: "notice", media_type: "text/plain", payload: utf8("A notice.") },
      { kind: 48, name: "notice-2", media_type: "text/plain", payload: utf8("Ein \u00dcbriges.") },
    ],
  });
});

export const richReceipt = lazy(() =>
  rich(12, "evaluation-receipt", {
    artifact_class: 12,
    body: receiptBody(),
    dependencies: [depend("subject", model())],
    blobs: [{ kind: 80, name: "report", media_type: "application/json", payload: utf8("{}") }],
  })
);

export const richAnnouncement = lazy(() =>
  rich(13, "catalog-announcement", {
    artifact_class: 13,
    body: {
      ...announcementBody([model(), base()]),
      licenses: ["Apache-2.0", "MIT"],
      receipts: [fromHex(receipt().identities.artifact_id), digestOf(27)],
    },
    dependencies: [depend("subject", model()), depend("subject", base())],
  })
);

/** By class, from 1. */
export const RICH: readonly (() => ValidCase)[] = [
  richModel,
  richBase,
  richAdapter,
  richTokenizer,
  richTemplate,
  richComposition,
  richKv,
  richRetrieval,
  richPieces,
  richEnvelope,
  richProvenance,
  richReceipt,
  richAnnouncement,
];
