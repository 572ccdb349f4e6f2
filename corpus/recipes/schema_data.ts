/**
 * The manifest schemas of `classes.md` as data, for the recipes that break each member in each
 * way. Written from the CDDL, member by member; no reader shares it.
 */

/** What may stand at a place of a manifest. */
export type Node =
  | { readonly is: "uint" | "int" | "bool" | "text" | "id" | "rat" }
  | { readonly is: "bytes"; readonly size?: number }
  /** one of several texts or integers */
  | { readonly is: "one"; readonly of: readonly (string | number)[]; readonly mismatch?: Mismatch }
  | { readonly is: "map"; readonly members: { readonly [key: string]: Node } }
  /** `{ * id => x }` */
  | { readonly is: "table"; readonly of: Node }
  /** `{ * text => any }` */
  | { readonly is: "open" }
  | { readonly is: "payload" }
  | { readonly is: "array"; readonly of: Node; readonly least?: number }
  | { readonly is: "tuple"; readonly of: readonly Node[] }
  | { readonly is: "set"; readonly of: Node }
  /** `x / null` */
  | { readonly is: "nullable"; readonly of: Node }
  /** items whose faults are listed by hand: tokenizer ops, template blocks */
  | { readonly is: "ops" | "block" };
export type Mismatch = "ClassMismatch" | "SchemaMismatch";

const uint: Node = { is: "uint" };
const int: Node = { is: "int" };
const bool: Node = { is: "bool" };
const text: Node = { is: "text" };
const id: Node = { is: "id" };
const rat: Node = { is: "rat" };
const b32: Node = { is: "bytes", size: 32 };
const open: Node = { is: "open" };
const map = (members: { readonly [key: string]: Node }): Node => ({ is: "map", members });
const set = (of: Node): Node => ({ is: "set", of });
const array = (of: Node, bounds: { least?: number } = {}): Node => ({ is: "array", of, ...bounds });
const one = (...of: (string | number)[]): Node => ({ is: "one", of });
const nullable = (of: Node): Node => ({ is: "nullable", of });
const table = (of: Node): Node => ({ is: "table", of });

/** Section 2. */
const model = map({ architecture: map({ id, parameters: open }), dependents: bool });

/** Section 3. */
const key = map({ layer: int, name: id, role: id, subindex_0: int, subindex_1: int });

/** Each class's body. */
export const BODIES: { readonly [artifact_class: number]: Node } = {
  1: model,
  2: model,
  3: map({
    base: map({ layout_id: b32, model_id: b32, whole_file: nullable(b32) }),
    operations: array(
      map({
        accumulator: one(1),
        axis: int,
        element_type: uint,
        kernel_contract: uint,
        merge: bool,
        op: id,
        order: uint,
        profile: b32,
        rank: uint,
        scale: rat,
        shape: array(uint),
        target: key,
        tensors: table(key),
      }),
      { least: 1 },
    ),
    tokenizer_id: nullable(b32),
  }),
  4: map({
    added_prefix_space: bool,
    bos: map({ auto: bool, id: nullable(uint) }),
    byte_fallback: bool,
    decoder: set(one("byte-level", "strip-space-marker", "wordpiece-cleanup", "byte-fallback")),
    eos: map({ auto: bool, id: nullable(uint) }),
    kind: one("byte-level-bpe/1", "score-bpe/1", "unigram/1", "wordpiece/1", "table/1"),
    max_expansion: uint,
    normalizer: { is: "ops" },
    pretokenizer: { is: "ops" },
    roles: table(uint),
    space_marker: nullable(text),
    stop_bytes: set({ is: "bytes" }),
    stop_tokens: set(uint),
    unknown: map({ id: nullable(uint), policy: one("reject", "token", "bytes") }),
    vocab_size: uint,
  }),
  5: map({
    fields: set(id),
    generation_marker: nullable(uint),
    instruction_set: one(1),
    program: { is: "block" },
    roles: set(id),
    stop_tokens: set(uint),
    tokenizer_id: b32,
  }),
  6: map({
    adapters: array(b32),
    base: map({ model_id: b32, whole_file: b32 }),
    chat_template_id: nullable(b32),
    generation: map({
      max_new_tokens: uint,
      stop_tokens: set(uint),
      temperature: rat,
      top_k: uint,
      top_p: rat,
    }),
    kv: map({ element_type: uint, layout: one("layer-head-position/1"), max_positions: uint }),
    route: map({ kind: one("single/1") }),
    tokenizer_id: b32,
  }),
  7: map({
    abi: id,
    composition_id: b32,
    element_type: uint,
    positions: uint,
    prefix_tokens: b32,
    rope_base: uint,
  }),
  8: map({
    chunking: id,
    corpus_revision: b32,
    count: uint,
    dim: uint,
    embedding_composition: b32,
    index: one("flat/1"),
    metric: one("cosine", "dot", "l2"),
    tokenizer_id: b32,
  }),
  9: map({
    piece_count: uint,
    piece_size: one(4194304),
    root: b32,
    subject: b32,
    subject_bytes: uint,
    subject_whole_file: b32,
  }),
  10: map({
    expires_at: uint,
    key_id: b32,
    public_key: b32,
    scheme: one("ed25519"),
    signature: { is: "bytes", size: 64 },
    signed_at: uint,
    statement_hash: b32,
    statement_type: id,
    subject_class: uint,
    subject_id: b32,
    subject_whole_file: b32,
    trust_epoch: uint,
  }),
  11: map({
    converter: map({ commit: text, executable: b32 }),
    licenses: set(text),
    notices: set(b32),
    receipt: nullable(b32),
    reproducible: one("byte", "semantic", "no"),
    sources: array(map({
      commit: text,
      files: set({ is: "tuple", of: [text, b32] }),
      repository: text,
    })),
    subject: b32,
    toolchain: table(text),
  }),
  12: map({
    cases: uint,
    cases_passed: uint,
    dataset: b32,
    evaluator: id,
    scope: id,
    status: one("pass", "fail", "pending"),
    subject: b32,
    subject_whole_file: b32,
  }),
  13: map({
    display_name: text,
    licenses: set(text),
    promotion: one("candidate", "promotable", "withdrawn"),
    receipts: set(b32),
    sizes: map({ incremental: uint, logical: uint }),
    subjects: array(map({ id: b32, piece_set: b32, whole_file: b32 }), { least: 1 }),
  }),
};

/** Section 1: the manifest around a body. */
export const manifest = (artifact_class: number): Node =>
  map({
    artifact_class: { is: "one", of: [artifact_class], mismatch: "ClassMismatch" },
    body: BODIES[artifact_class],
    dependencies: array(
      map({ artifact_class: uint, id: b32, role: id, whole_file: nullable(b32) }),
    ),
    extensions: array(map({ critical: bool, id, payload: { is: "payload" }, version: uint })),
    requirements: map({ features: set(id), memory_bytes: uint }),
    schema: { is: "one", of: ["org.minimodel.slm/2.0"], mismatch: "SchemaMismatch" },
  });

/** The CDDL rule under which `spec/clauses.json` has the members of each class's body. */
export const RULES: { readonly [artifact_class: number]: readonly [section: string, rule: string] } =
  {
    1: ["classes-2", "model-body"],
    2: ["classes-2", "model-body"],
    3: ["classes-3", "adapter-body"],
    4: ["classes-4", "tokenizer-body"],
    5: ["classes-5", "template-body"],
    6: ["classes-6", "composition-body"],
    7: ["classes-9", "kv-body"],
    8: ["classes-9", "retrieval-body"],
    9: ["classes-7", "piece-set-body"],
    10: ["classes-8", "signature-body"],
    11: ["classes-8", "provenance-body"],
    12: ["classes-8", "receipt-body"],
    13: ["classes-8", "announcement-body"],
  };
