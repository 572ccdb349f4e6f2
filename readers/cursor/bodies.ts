/**
 * The manifest schema of each artifact class, as data: the CDDL of `classes.md`, in its
 * words and its order. schema.ts says how a schema is checked.
 */
import { TEMPLATE_BLOCK } from "./instructions.ts";
import { NORMALIZER_OP, PRETOKENIZER_OP } from "./operations.ts";
import { RAT } from "./rational.ts";
import { map, type Rule } from "./schema.ts";

const UINT: Rule = { is: "uint" };
const INT: Rule = { is: "int" };
const BOOL: Rule = { is: "bool" };
const TEXT: Rule = { is: "text" };
const ID: Rule = { is: "id" };
const B32: Rule = { is: "bytes", size: 32 };
const ANY_MAP: Rule = { is: "entries" };

const only = (value: number): Rule => ({ is: "uint", only: value });
const among = (...texts: string[]): Rule => ({ is: "text", among: texts });
const nullable = (of: Rule): Rule => ({ is: "nullable", of });
const array = (of: Rule, least?: number, most?: number): Rule => ({ is: "array", of, least, most });
const set = (of: Rule): Rule => ({ is: "array", of, set: true });
const byId = (of: Rule): Rule => ({ is: "entries", of });

// 2. Models
const MODEL = map({
  architecture: map({ id: ID, parameters: ANY_MAP }),
  dependents: BOOL,
});

// 3. Adapter
const TENSOR_KEY = map({ layer: INT, name: ID, role: ID, subindex_0: INT, subindex_1: INT });
const OPERATION = map({
  accumulator: only(1),
  axis: INT,
  element_type: UINT,
  kernel_contract: UINT,
  merge: BOOL,
  op: ID,
  order: UINT,
  profile: B32,
  rank: UINT,
  scale: RAT,
  shape: array(UINT),
  target: TENSOR_KEY,
  tensors: byId(TENSOR_KEY),
});
const ADAPTER = map({
  base: map({ layout_id: B32, model_id: B32, whole_file: nullable(B32) }),
  operations: array(OPERATION, 1, 4096),
  tokenizer_id: nullable(B32),
});

// 4. Tokenizer
const AUTO_TOKEN = map({ auto: BOOL, id: nullable(UINT) });
const TOKENIZER = map({
  added_prefix_space: BOOL,
  bos: AUTO_TOKEN,
  byte_fallback: BOOL,
  decoder: set(among("byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback")),
  eos: AUTO_TOKEN,
  kind: among("byte-level-bpe/1", "score-bpe/1", "unigram/1", "wordpiece/1", "table/1"),
  max_expansion: UINT,
  normalizer: array(NORMALIZER_OP),
  pretokenizer: array(PRETOKENIZER_OP),
  roles: byId(UINT),
  space_marker: nullable(TEXT),
  stop_bytes: set({ is: "bytes" }),
  stop_tokens: set(UINT),
  unknown: map({ id: nullable(UINT), policy: among("reject", "token", "bytes") }),
  vocab_size: UINT,
});

// 5. Chat template
const TEMPLATE = map({
  fields: set(ID),
  generation_marker: nullable(UINT),
  instruction_set: only(1),
  program: TEMPLATE_BLOCK,
  roles: set(ID),
  stop_tokens: set(UINT),
  tokenizer_id: B32,
});

// 6. Composition
const COMPOSITION = map({
  adapters: array(B32),
  base: map({ model_id: B32, whole_file: B32 }),
  chat_template_id: nullable(B32),
  generation: map({
    max_new_tokens: UINT,
    stop_tokens: set(UINT),
    temperature: RAT,
    top_k: UINT,
    top_p: RAT,
  }),
  kv: map({ element_type: UINT, layout: among("layer-head-position/1"), max_positions: UINT }),
  route: map({ kind: among("single/1") }),
  tokenizer_id: B32,
});

// 7. Piece set
const PIECE_SET = map({
  piece_count: UINT,
  piece_size: only(4_194_304),
  root: B32,
  subject: B32,
  subject_bytes: UINT,
  subject_whole_file: B32,
});

// 8. Signature envelope, provenance, receipt, announcement
const SIGNATURE = map({
  expires_at: UINT,
  key_id: B32,
  public_key: B32,
  scheme: among("ed25519"),
  signature: { is: "bytes", size: 64 },
  signed_at: UINT,
  statement_hash: B32,
  statement_type: ID,
  subject_class: UINT,
  subject_id: B32,
  subject_whole_file: B32,
  trust_epoch: UINT,
});
const PROVENANCE = map({
  converter: map({ commit: TEXT, executable: B32 }),
  licenses: set(TEXT),
  notices: set(B32),
  receipt: nullable(B32),
  reproducible: among("byte", "semantic", "no"),
  sources: array(
    map({ commit: TEXT, files: set({ is: "tuple", of: [TEXT, B32] }), repository: TEXT }),
  ),
  subject: B32,
  toolchain: byId(TEXT),
});
const RECEIPT = map({
  cases: UINT,
  cases_passed: UINT,
  dataset: B32,
  evaluator: ID,
  scope: ID,
  status: among("pass", "fail", "pending"),
  subject: B32,
  subject_whole_file: B32,
});
const ANNOUNCEMENT = map({
  display_name: TEXT,
  licenses: set(TEXT),
  promotion: among("candidate", "promotable", "withdrawn"),
  receipts: set(B32),
  sizes: map({ incremental: UINT, logical: UINT }),
  subjects: array(map({ id: B32, piece_set: B32, whole_file: B32 }), 1),
});

// 9. KV cache and retrieval index
const KV = map({
  abi: ID,
  composition_id: B32,
  element_type: UINT,
  positions: UINT,
  prefix_tokens: B32,
  rope_base: UINT,
});
const RETRIEVAL = map({
  chunking: ID,
  corpus_revision: B32,
  count: UINT,
  dim: UINT,
  embedding_composition: B32,
  index: among("flat/1"),
  metric: among("cosine", "dot", "l2"),
  tokenizer_id: B32,
});

/** Body schemas by artifact class (slm2.md section 3), from class 1 on. */
const BODIES: readonly Rule[] = [
  MODEL,
  MODEL,
  ADAPTER,
  TOKENIZER,
  TEMPLATE,
  COMPOSITION,
  KV,
  RETRIEVAL,
  PIECE_SET,
  SIGNATURE,
  PROVENANCE,
  RECEIPT,
  ANNOUNCEMENT,
];

// 1. How a manifest is checked
const DEPENDENCY = map({ artifact_class: UINT, id: B32, role: ID, whole_file: nullable(B32) });
const EXTENSION = map({ critical: BOOL, id: ID, payload: { is: "payload" }, version: UINT });

/** The manifest of each class: index is the header's class less 1. */
export const MANIFESTS: readonly Rule[] = BODIES.map((body, i) =>
  map({
    artifact_class: { is: "uint", only: i + 1, code: "ClassMismatch" },
    body,
    dependencies: array(DEPENDENCY, 0, 256),
    extensions: array(EXTENSION, 0, 64),
    requirements: map({ features: set(ID), memory_bytes: UINT }),
    schema: { is: "text", among: ["org.minimodel.slm/2.0"], code: "SchemaMismatch" },
  })
);
