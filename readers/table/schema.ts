/** The schemas of `classes.md`, section by section. */
import {
  anyMap,
  b32,
  bool,
  bytes,
  bytesOrMap,
  byteString,
  exactly,
  id,
  int,
  list,
  oneOf,
  orNull,
  rat,
  record,
  set,
  type Shape,
  table,
  text,
  tuple,
  uint,
  where,
} from "./shapes.ts";
import { NORMALIZERS, operation as tokenizerOp, PRETOKENIZERS } from "./tokenizer_ops.ts";
import { block } from "./template.ts";

/** Section 2. */
const modelBody = record({
  architecture: record({ id, parameters: anyMap }),
  dependents: bool,
});

/** Section 3. */
const key = record({ layer: int, name: id, role: id, subindex_0: int, subindex_1: int });
const operation = record({
  accumulator: exactly(1),
  axis: int,
  element_type: uint,
  kernel_contract: uint,
  merge: bool,
  op: id,
  order: uint,
  profile: b32,
  rank: uint,
  scale: rat,
  shape: list(uint),
  target: key,
  tensors: table(key),
});
const adapterBody = record({
  base: record({ layout_id: b32, model_id: b32, whole_file: orNull(b32) }),
  operations: list(operation, 1, 4096),
  tokenizer_id: orNull(b32),
});

/** Section 4. */
const special = record({ auto: bool, id: orNull(uint) });
const tokenizerBody = record({
  added_prefix_space: bool,
  bos: special,
  byte_fallback: bool,
  decoder: set(oneOf("byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback")),
  eos: special,
  kind: oneOf("byte-level-bpe/1", "score-bpe/1", "unigram/1", "wordpiece/1", "table/1"),
  max_expansion: uint,
  normalizer: list(tokenizerOp(NORMALIZERS)),
  pretokenizer: list(tokenizerOp(PRETOKENIZERS)),
  roles: table(uint),
  space_marker: orNull(text),
  stop_bytes: set(byteString),
  stop_tokens: set(uint),
  unknown: record({ id: orNull(uint), policy: oneOf("reject", "token", "bytes") }),
  vocab_size: uint,
});

/** Section 5. */
const templateBody = record({
  fields: set(id),
  generation_marker: orNull(uint),
  instruction_set: exactly(1),
  program: block,
  roles: set(id),
  stop_tokens: set(uint),
  tokenizer_id: b32,
});

/** Section 6. */
const compositionBody = record({
  adapters: list(b32),
  base: record({ model_id: b32, whole_file: b32 }),
  chat_template_id: orNull(b32),
  generation: record({
    max_new_tokens: uint,
    stop_tokens: set(uint),
    temperature: rat,
    top_k: uint,
    top_p: rat,
  }),
  kv: record({
    element_type: uint,
    layout: oneOf("layer-head-position/1"),
    max_positions: uint,
  }),
  route: record({ kind: oneOf("single/1") }),
  tokenizer_id: b32,
});

/** Section 7: bytes of a piece. */
export const PIECE_SIZE = 4_194_304;
const pieceSetBody = record({
  piece_count: uint,
  piece_size: exactly(PIECE_SIZE),
  root: b32,
  subject: b32,
  subject_bytes: uint,
  subject_whole_file: b32,
});

/** Section 8. */
const signatureBody = record({
  expires_at: uint,
  key_id: b32,
  public_key: b32,
  scheme: oneOf("ed25519"),
  signature: bytes(64),
  signed_at: uint,
  statement_hash: b32,
  statement_type: id,
  subject_class: uint,
  subject_id: b32,
  subject_whole_file: b32,
  trust_epoch: uint,
});
const provenanceBody = record({
  converter: record({ commit: text, executable: b32 }),
  licenses: set(text),
  notices: set(b32),
  receipt: orNull(b32),
  reproducible: oneOf("byte", "semantic", "no"),
  sources: list(record({ commit: text, files: set(tuple(text, b32)), repository: text })),
  subject: b32,
  toolchain: table(text),
});
const receiptBody = record({
  cases: uint,
  cases_passed: uint,
  dataset: b32,
  evaluator: id,
  scope: id,
  status: oneOf("pass", "fail", "pending"),
  subject: b32,
  subject_whole_file: b32,
});
const announcementBody = record({
  display_name: text,
  licenses: set(text),
  promotion: oneOf("candidate", "promotable", "withdrawn"),
  receipts: set(b32),
  sizes: record({ incremental: uint, logical: uint }),
  subjects: list(record({ id: b32, piece_set: b32, whole_file: b32 }), 1),
});

/** Section 9. */
const kvBody = record({
  abi: id,
  composition_id: b32,
  element_type: uint,
  positions: uint,
  prefix_tokens: b32,
  rope_base: uint,
});
const retrievalBody = record({
  chunking: id,
  corpus_revision: b32,
  count: uint,
  dim: uint,
  embedding_composition: b32,
  index: oneOf("flat/1"),
  metric: oneOf("cosine", "dot", "l2"),
  tokenizer_id: b32,
});

const BODIES: ReadonlyMap<number, Shape> = new Map([
  [1, modelBody],
  [2, modelBody],
  [3, adapterBody],
  [4, tokenizerBody],
  [5, templateBody],
  [6, compositionBody],
  [7, kvBody],
  [8, retrievalBody],
  [9, pieceSetBody],
  [10, signatureBody],
  [11, provenanceBody],
  [12, receiptBody],
  [13, announcementBody],
]);

/** Section 1. */
const dependency = record({ artifact_class: uint, id: b32, role: id, whole_file: orNull(b32) });
const extension = record({ critical: bool, id, payload: bytesOrMap, version: uint });
const SCHEMA = "org.minimodel.slm/2.0";

/** The manifest of each class (section 1). */
export const MANIFESTS: ReadonlyMap<number, Shape> = new Map(
  Array.from(BODIES, ([artifactClass, body]) => [
    artifactClass,
    record({
      artifact_class: where(
        uint,
        (m, at) => m.count(at) === artifactClass,
        `${artifactClass}, as in the header`,
        "ClassMismatch",
      ),
      body,
      dependencies: list(dependency, 0, 256),
      extensions: list(extension, 0, 64),
      requirements: record({ features: set(id), memory_bytes: uint }),
      schema: where(text, (m, at) => m.isText(at, SCHEMA), SCHEMA, "SchemaMismatch"),
    }),
  ]),
);
