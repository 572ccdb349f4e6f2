/**
 * The bodies of the thirteen classes as TypeScript types (classes.md). `Uint8Array` is `b32` unless
 * said otherwise. They are aliases, so that each is an `ItemMap`; arrays that are sets may
 * stand in any order.
 */
import type { ItemMap } from "./cbor.ts";

type Uint = number | bigint;
/** `[numerator, denominator]` in lowest terms. */
export type Rational = readonly [numerator: number | bigint, denominator: Uint];

/** Section 2. */
export type ModelBody = {
  readonly architecture: { readonly id: string; readonly parameters: ItemMap };
  readonly dependents: boolean;
};
export type LlamaParameters = {
  readonly dim: number;
  readonly head_dim: number;
  readonly heads: number;
  readonly hidden_dim: number;
  readonly kv_heads: number;
  readonly layers: number;
  readonly max_seq: number;
  readonly norm_eps: Rational;
  /** 0 adjacent pairs, 1 half split */
  readonly rope_style: number;
  readonly rope_theta: Rational;
  readonly tied_output: boolean;
  readonly vocab: number;
};

/** Section 3. */
export type AdapterBody = {
  readonly base: {
    readonly layout_id: Uint8Array;
    readonly model_id: Uint8Array;
    readonly whole_file: Uint8Array | null;
  };
  readonly operations: readonly AdapterOperation[];
  readonly tokenizer_id: Uint8Array | null;
};
export type AdapterOperation = {
  readonly accumulator: 1;
  readonly axis: number;
  readonly element_type: number;
  readonly kernel_contract: number;
  readonly merge: boolean;
  readonly op: string;
  readonly order: number;
  readonly profile: Uint8Array;
  readonly rank: number;
  readonly scale: Rational;
  readonly shape: readonly number[];
  readonly target: TensorRef;
  readonly tensors: { readonly [operand: string]: TensorRef };
};
export type TensorRef = {
  readonly layer: number;
  readonly name: string;
  readonly role: string;
  readonly subindex_0: number;
  readonly subindex_1: number;
};

/** Section 4. */
export type TokenizerBody = {
  readonly added_prefix_space: boolean;
  readonly bos: { readonly auto: boolean; readonly id: number | null };
  readonly byte_fallback: boolean;
  readonly decoder: readonly string[];
  readonly eos: { readonly auto: boolean; readonly id: number | null };
  readonly kind: TokenizerKind;
  readonly max_expansion: number;
  readonly normalizer: readonly TokenizerOp[];
  readonly pretokenizer: readonly TokenizerOp[];
  readonly roles: { readonly [role: string]: number };
  readonly space_marker: string | null;
  /** byte strings of any length */
  readonly stop_bytes: readonly Uint8Array[];
  readonly stop_tokens: readonly number[];
  readonly unknown: { readonly id: number | null; readonly policy: "reject" | "token" | "bytes" };
  readonly vocab_size: number;
};
export type TokenizerKind =
  | "byte-level-bpe/1"
  | "score-bpe/1"
  | "unigram/1"
  | "wordpiece/1"
  | "table/1";
export type TokenizerOp = readonly [id: string, ...operands: (number | string)[]];

/** Section 5. */
export type TemplateBody = {
  readonly fields: readonly string[];
  readonly generation_marker: number | null;
  readonly instruction_set: 1;
  readonly program: readonly Instruction[];
  readonly roles: readonly string[];
  readonly stop_tokens: readonly number[];
  readonly tokenizer_id: Uint8Array;
};
export type Instruction =
  | readonly [opcode: 1 | 4, operand: number]
  | readonly [opcode: 2 | 3 | 8 | 9]
  | readonly [opcode: 5 | 6, name: string, block: readonly Instruction[]]
  | readonly [opcode: 7, block: readonly Instruction[]];

/** Section 6. */
export type CompositionBody = {
  readonly adapters: readonly Uint8Array[];
  readonly base: { readonly model_id: Uint8Array; readonly whole_file: Uint8Array };
  readonly chat_template_id: Uint8Array | null;
  readonly generation: GenerationPolicy;
  readonly kv: KvPolicy;
  readonly route: { readonly kind: "single/1" };
  readonly tokenizer_id: Uint8Array;
};
export type GenerationPolicy = {
  readonly max_new_tokens: number;
  readonly stop_tokens: readonly number[];
  readonly temperature: Rational;
  readonly top_k: number;
  readonly top_p: Rational;
};
export type KvPolicy = {
  /** 1 f32, 2 f16 or 3 bf16 */
  readonly element_type: number;
  readonly layout: "layer-head-position/1";
  readonly max_positions: number;
};

/** Section 9. */
export type KvBody = {
  readonly abi: string;
  readonly composition_id: Uint8Array;
  readonly element_type: number;
  readonly positions: number;
  readonly prefix_tokens: Uint8Array;
  readonly rope_base: number;
};
export type RetrievalBody = {
  readonly chunking: string;
  readonly corpus_revision: Uint8Array;
  readonly count: number;
  readonly dim: number;
  readonly embedding_composition: Uint8Array;
  readonly index: "flat/1";
  readonly metric: "cosine" | "dot" | "l2";
  readonly tokenizer_id: Uint8Array;
};

/** Section 7. */
export type PieceSetBody = {
  readonly piece_count: number;
  readonly piece_size: 4194304;
  readonly root: Uint8Array;
  readonly subject: Uint8Array;
  readonly subject_bytes: number;
  readonly subject_whole_file: Uint8Array;
};

/** Section 8. */
export type SignatureBody = {
  readonly expires_at: Uint;
  readonly key_id: Uint8Array;
  readonly public_key: Uint8Array;
  readonly scheme: "ed25519";
  /** 64 bytes */
  readonly signature: Uint8Array;
  readonly signed_at: Uint;
  readonly statement_hash: Uint8Array;
  readonly statement_type: string;
  readonly subject_class: number;
  readonly subject_id: Uint8Array;
  readonly subject_whole_file: Uint8Array;
  readonly trust_epoch: Uint;
};
export type ProvenanceBody = {
  readonly converter: { readonly commit: string; readonly executable: Uint8Array };
  readonly licenses: readonly string[];
  readonly notices: readonly Uint8Array[];
  readonly receipt: Uint8Array | null;
  readonly reproducible: "byte" | "semantic" | "no";
  readonly sources: readonly {
    readonly commit: string;
    readonly files: readonly (readonly [name: string, hash: Uint8Array])[];
    readonly repository: string;
  }[];
  readonly subject: Uint8Array;
  readonly toolchain: { readonly [name: string]: string };
};
export type ReceiptBody = {
  readonly cases: Uint;
  readonly cases_passed: Uint;
  readonly dataset: Uint8Array;
  readonly evaluator: string;
  readonly scope: string;
  readonly status: "pass" | "fail" | "pending";
  readonly subject: Uint8Array;
  readonly subject_whole_file: Uint8Array;
};
export type AnnouncementBody = {
  readonly display_name: string;
  readonly licenses: readonly string[];
  readonly promotion: "candidate" | "promotable" | "withdrawn";
  readonly receipts: readonly Uint8Array[];
  readonly sizes: { readonly incremental: Uint; readonly logical: Uint };
  readonly subjects: readonly {
    readonly id: Uint8Array;
    readonly piece_set: Uint8Array;
    readonly whole_file: Uint8Array;
  }[];
};
