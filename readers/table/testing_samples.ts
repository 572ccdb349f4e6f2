/** For tests only: good drafts of the other classes, and of every class. */
import {
  type Cbor,
  concat,
  digest,
  fill32,
  le,
  raw,
  slmHash,
  u32,
  u64,
  utf8,
  words,
} from "./testing.ts";
import type { BlobDraft, Draft } from "./testing_build.ts";
import { adapter, dependency, floats, llama, pack } from "./testing_models.ts";

const TOKENIZER_BODY = {
  added_prefix_space: true,
  bos: { auto: true, id: 0 },
  byte_fallback: false,
  decoder: ["byte-level"],
  eos: { auto: false, id: null },
  kind: "byte-level-bpe/1",
  max_expansion: 3,
  normalizer: [["nfc"], ["replace", "a", "b"]],
  pretokenizer: [["digits-split", 3]],
  roles: { user: 1 },
  space_marker: "\u2581",
  stop_bytes: [Uint8Array.of(1)],
  stop_tokens: [0],
  unknown: { id: null, policy: "reject" },
  vocab_size: 4,
} satisfies { [key: string]: Cbor };

const TABLE = "application/slm2-table";
export function tokenizerBlob(kind: number, name: string, data: Uint8Array): BlobDraft {
  return { kind, name, media: TABLE, data };
}
/** Entries a, b, ab and the empty one. */
export const VOCABULARY = concat(words(4, 0, 1, 2, 4, 4), utf8("abab"));
export const MERGES = words(2, 0, 1, 2, 0, 3, 0);
export function tokenizer(set: { [key: string]: Cbor } = {}, blobs?: BlobDraft[]): Draft {
  return {
    artifactClass: 4,
    body: { ...TOKENIZER_BODY, ...set },
    blobs: blobs ?? [
      tokenizerBlob(1, "vocabulary", VOCABULARY),
      tokenizerBlob(2, "merges", MERGES),
      tokenizerBlob(3, "scores", concat(words(4), floats(4))),
      tokenizerBlob(
        4,
        "normalizer",
        concat(words(2), utf8("\x01\0a\x01\0b"), utf8("\x02\0aa\0\0")),
      ),
      tokenizerBlob(6, "added-tokens", concat(words(2, 0), le(1, 1), words(3), le(31, 1))),
    ],
  };
}

export function template(set: { [key: string]: Cbor } = {}): Draft {
  const body = {
    fields: ["name"],
    generation_marker: 7,
    instruction_set: 1,
    program: [[1, 0], [7, [[2], [5, "user", [[3], [4, 9]]], [6, "name", []]]], [8], [9]],
    roles: ["user"],
    stop_tokens: [],
    tokenizer_id: fill32(4),
    ...set,
  };
  return {
    artifactClass: 5,
    body,
    dependencies: [dependency("tokenizer", 4, body.tokenizer_id)],
    blobs: [{ kind: 16, name: "hello", data: utf8("\ufeffA\u00e9") }],
  };
}

export function composition(set: { [key: string]: Cbor } = {}): Draft {
  const body = {
    adapters: [fill32(3)],
    base: { model_id: fill32(1), whole_file: fill32(11) },
    chat_template_id: fill32(5),
    generation: {
      max_new_tokens: 16,
      stop_tokens: [1, 2],
      temperature: [0, 1],
      top_k: 0,
      top_p: [1, 1],
    },
    kv: { element_type: 1, layout: "layer-head-position/1", max_positions: 16 },
    route: { kind: "single/1" },
    tokenizer_id: fill32(4),
    ...set,
  };
  return {
    artifactClass: 6,
    body,
    dependencies: [
      dependency("base", 2, body.base.model_id, body.base.whole_file),
      dependency("tokenizer", 4, body.tokenizer_id),
      ...(body.chat_template_id === null
        ? []
        : [dependency("chat-template", 5, body.chat_template_id)]),
      ...body.adapters.map((id) => dependency("adapter", 3, id)),
    ],
  };
}

export function kvCache(): Draft {
  const tensor = (role: string, layer: number) => ({
    role,
    name: `${role}.${layer}`,
    layer,
    type: 2,
    shape: [1, 2, 4],
    data: new Uint8Array(16),
  });
  return {
    artifactClass: 7,
    body: {
      abi: "kv/1",
      composition_id: fill32(6),
      element_type: 2,
      positions: 2,
      prefix_tokens: slmHash("token-prefix", u64(2), raw(words(1, 2))),
      rope_base: 0,
    },
    dependencies: [dependency("composition", 6, fill32(6))],
    tensors: [
      tensor("kv-key", 0),
      tensor("kv-key", 1),
      tensor("kv-value", 0),
      tensor("kv-value", 1),
    ],
  };
}

/** Documents as kind 64 has them. */
export function documents(...texts: Uint8Array[]): Uint8Array {
  let at = 0;
  return concat(words(texts.length, 0, ...texts.map((text) => at += text.length)), ...texts);
}
export function retrieval(data = documents(utf8("a\u00e9"), utf8(""), utf8("\u2581"))): Draft {
  return {
    artifactClass: 8,
    body: {
      chunking: "lines/1",
      corpus_revision: fill32(8),
      count: 3,
      dim: 2,
      embedding_composition: fill32(6),
      index: "flat/1",
      metric: "cosine",
      tokenizer_id: fill32(4),
    },
    dependencies: [dependency("embedding", 6, fill32(6))],
    tensors: [{ role: "vectors", name: "vectors", shape: [3, 2], data: floats(6) }],
    blobs: [{ kind: 64, name: "documents", data }],
  };
}

const PIECE = 4_194_304;
export function piecesOf(subject: Uint8Array): { hashes: Uint8Array[]; root: Uint8Array } {
  const hashes: Uint8Array[] = [];
  const leaves: Uint8Array[] = [];
  for (let i = 0; i * PIECE < subject.length; i++) {
    const part = subject.subarray(i * PIECE, (i + 1) * PIECE);
    const hash = slmHash(
      "piece",
      u64(subject.length),
      u32(PIECE),
      u64(i),
      u32(part.length),
      raw(part),
    );
    hashes.push(hash);
    leaves.push(slmHash("piece-leaf", u64(i), u32(part.length), digest(hash)));
  }
  return { hashes, root: root(leaves) };

  function root(nodes: Uint8Array[]): Uint8Array {
    if (nodes.length === 1) return nodes[0];
    const split = 2 ** Math.floor(Math.log2(nodes.length - 1));
    return slmHash(
      "piece-node",
      digest(root(nodes.slice(0, split))),
      digest(root(nodes.slice(split))),
    );
  }
}
export function pieceSet(subject = new Uint8Array(2 * PIECE + 100).fill(7)): Draft {
  const { hashes, root } = piecesOf(subject);
  return {
    artifactClass: 9,
    body: {
      piece_count: hashes.length,
      piece_size: PIECE,
      root,
      subject: fill32(9),
      subject_bytes: subject.length,
      subject_whole_file: fill32(10),
    },
    dependencies: [dependency("subject", 1, fill32(9), fill32(10))],
    blobs: [{ kind: 32, name: "hashes", data: concat(...hashes) }],
  };
}

export function envelope(set: { [key: string]: Cbor } = {}): Draft {
  return {
    artifactClass: 10,
    body: {
      expires_at: 200,
      key_id: fill32(1),
      public_key: fill32(2),
      scheme: "ed25519",
      signature: new Uint8Array(64),
      signed_at: 100,
      statement_hash: fill32(3),
      statement_type: "release/1",
      subject_class: 13,
      subject_id: fill32(9),
      subject_whole_file: fill32(10),
      trust_epoch: 1,
      ...set,
    },
    dependencies: [dependency("subject", 13, fill32(9), fill32(10))],
  };
}

export function provenance(): Draft {
  return {
    artifactClass: 11,
    body: {
      converter: { commit: "abc", executable: fill32(1) },
      licenses: ["MIT", "Apache-2.0"],
      notices: [fill32(1), fill32(2)],
      receipt: null,
      reproducible: "byte",
      sources: [{ commit: "c", files: [["a", fill32(3)]], repository: "r" }],
      subject: fill32(9),
      toolchain: { deno: "2.9" },
    },
    dependencies: [dependency("subject", 1, fill32(9), fill32(10))],
    blobs: [{ kind: 48, name: "notice", data: utf8("Copyright \u00a9") }],
  };
}

export function receipt(): Draft {
  return {
    artifactClass: 12,
    body: {
      cases: 3,
      cases_passed: 3,
      dataset: fill32(1),
      evaluator: "eval/1",
      scope: "smoke",
      status: "pass",
      subject: fill32(9),
      subject_whole_file: fill32(10),
    },
    dependencies: [dependency("subject", 6, fill32(9), fill32(10))],
    blobs: [{ kind: 80, name: "report", media: "text/markdown", data: utf8("# fine") }],
  };
}

export function announcement(): Draft {
  return {
    artifactClass: 13,
    body: {
      display_name: "Fable",
      licenses: ["MIT"],
      promotion: "candidate",
      receipts: [],
      sizes: { incremental: 1, logical: 2n ** 63n },
      subjects: [{ id: fill32(9), piece_set: fill32(1), whole_file: fill32(10) }],
    },
    dependencies: [dependency("subject", 6, fill32(9), fill32(10))],
  };
}

/** A good draft of every class. */
export const SAMPLES: readonly Draft[] = [
  pack(),
  llama(),
  adapter(),
  tokenizer(),
  template(),
  composition(),
  kvCache(),
  retrieval(),
  pieceSet(),
  envelope(),
  provenance(),
  receipt(),
  announcement(),
];
