/**
 * Typed views of the manifest bodies that a runtime needs (classes.md). A reader has checked
 * the schema, so a value of another type here is a bug and throws.
 */
import type { Candidate, Hex, Value } from "../contract.ts";

type MapValue = ReadonlyMap<string, Value>;

/** A `rat` (classes.md): numerator over denominator, as the f64 nearest to the two as f64. */
export type Rational = number;

/** classes.md section 6. */
export interface CompositionBody {
  readonly adapters: readonly Hex[];
  readonly base: { readonly model_id: Hex; readonly whole_file: Hex };
  readonly chat_template_id: Hex | null;
  readonly tokenizer_id: Hex;
  readonly generation: {
    readonly max_new_tokens: number;
    readonly stop_tokens: readonly number[];
    readonly temperature: Rational;
    readonly top_k: number;
    readonly top_p: Rational;
  };
  readonly kv: { readonly element_type: number; readonly max_positions: number };
}

/** classes.md section 2, `llama/1`. */
export interface LlamaParameters {
  readonly dim: number;
  readonly head_dim: number;
  readonly hidden_dim: number;
  readonly layers: number;
  readonly max_seq: number;
  readonly kv_heads: number;
  readonly heads: number;
  readonly vocab: number;
  readonly norm_eps: Rational;
  readonly rope_theta: Rational;
  /** 0 adjacent pairs, 1 half split */
  readonly rope_style: 0 | 1;
  readonly tied_output: boolean;
}

/** The semantic key of a tensor (classes.md section 3). */
export interface TensorKey {
  readonly role: string;
  readonly name: string;
  readonly layer: number;
  readonly subindex_0: number;
  readonly subindex_1: number;
}

/** classes.md section 3. */
export interface Operation {
  readonly op: string;
  readonly order: number;
  readonly axis: number;
  readonly scale: Rational;
  readonly target: TensorKey;
  readonly tensors: ReadonlyMap<string, TensorKey>;
}

/** classes.md section 9. */
export interface KvBody {
  readonly abi: string;
  readonly composition_id: Hex;
  readonly element_type: number;
  readonly positions: number;
  readonly prefix_tokens: Hex;
  readonly rope_base: number;
}

/** classes.md section 9. */
export interface RetrievalBody {
  readonly count: number;
  readonly dim: number;
  readonly metric: "cosine" | "dot" | "l2";
  readonly embedding_composition: Hex;
  readonly tokenizer_id: Hex;
}

/** classes.md section 1: one entry of `dependencies`. */
export interface DependencyRow {
  readonly role: string;
  readonly artifact_class: number;
  readonly id: Hex;
  readonly whole_file: Hex | null;
}

export function dependencies(candidate: Candidate): DependencyRow[] {
  return list(candidate.manifest, "dependencies").map(map).map((row) => ({
    role: text(row, "role"),
    artifact_class: int(row, "artifact_class"),
    id: digest(row, "id"),
    whole_file: row.get("whole_file") === null ? null : digest(row, "whole_file"),
  }));
}

export function compositionBody(candidate: Candidate): CompositionBody {
  const body = bodyOf(candidate);
  const base = child(body, "base");
  const generation = child(body, "generation");
  const kv = child(body, "kv");
  return {
    adapters: list(body, "adapters").map(hex),
    base: { model_id: digest(base, "model_id"), whole_file: digest(base, "whole_file") },
    chat_template_id: body.get("chat_template_id") === null
      ? null
      : digest(body, "chat_template_id"),
    tokenizer_id: digest(body, "tokenizer_id"),
    generation: {
      max_new_tokens: int(generation, "max_new_tokens"),
      stop_tokens: ints(generation, "stop_tokens"),
      temperature: rational(generation, "temperature"),
      top_k: int(generation, "top_k"),
      top_p: rational(generation, "top_p"),
    },
    kv: { element_type: int(kv, "element_type"), max_positions: int(kv, "max_positions") },
  };
}

/** The architecture id and, where that is `llama/1`, its parameters. */
export function architecture(candidate: Candidate): { id: string; llama?: LlamaParameters } {
  const it = child(bodyOf(candidate), "architecture");
  const id = text(it, "id");
  if (id !== "llama/1") return { id };
  const p = child(it, "parameters");
  return {
    id,
    llama: {
      dim: int(p, "dim"),
      head_dim: int(p, "head_dim"),
      hidden_dim: int(p, "hidden_dim"),
      layers: int(p, "layers"),
      max_seq: int(p, "max_seq"),
      kv_heads: int(p, "kv_heads"),
      heads: int(p, "heads"),
      vocab: int(p, "vocab"),
      norm_eps: rational(p, "norm_eps"),
      rope_theta: rational(p, "rope_theta"),
      rope_style: int(p, "rope_style") === 0 ? 0 : 1,
      tied_output: p.get("tied_output") === true,
    },
  };
}

/** The operations of an adapter, in `order`. */
export function operations(candidate: Candidate): Operation[] {
  return list(bodyOf(candidate), "operations").map(map).map((operation) => ({
    op: text(operation, "op"),
    order: int(operation, "order"),
    axis: int(operation, "axis"),
    scale: rational(operation, "scale"),
    target: tensorKey(child(operation, "target")),
    tensors: new Map(
      [...child(operation, "tensors")].map(([name, key]) => [name, tensorKey(map(key))]),
    ),
  }));
}

export function kvBody(candidate: Candidate): KvBody {
  const body = bodyOf(candidate);
  return {
    abi: text(body, "abi"),
    composition_id: digest(body, "composition_id"),
    element_type: int(body, "element_type"),
    positions: int(body, "positions"),
    prefix_tokens: digest(body, "prefix_tokens"),
    rope_base: int(body, "rope_base"),
  };
}

export function retrievalBody(candidate: Candidate): RetrievalBody {
  const body = bodyOf(candidate);
  return {
    count: int(body, "count"),
    dim: int(body, "dim"),
    metric: text(body, "metric") as RetrievalBody["metric"],
    embedding_composition: digest(body, "embedding_composition"),
    tokenizer_id: digest(body, "tokenizer_id"),
  };
}

/** The `body` map of any class. */
export function bodyOf(candidate: Candidate): MapValue {
  return child(candidate.manifest, "body");
}

/** The text at `key`. */
export function text(from: MapValue, key: string): string {
  return must(from.get(key), (v): v is string => typeof v === "string");
}

/** The integer at `key`; above 2^53 the nearest f64, which serves wherever it is a bound. */
export function int(from: MapValue, key: string): number {
  return Number(must(from.get(key), isInteger));
}

function ints(from: MapValue, key: string): number[] {
  return list(from, key).map((v) => Number(must(v, isInteger)));
}

export function texts(from: MapValue, key: string): string[] {
  return list(from, key).map((v) => must(v, (t): t is string => typeof t === "string"));
}

/** The 32 bytes at `key`, as lowercase hex. */
export function digest(from: MapValue, key: string): Hex {
  return hex(must(from.get(key), isValue));
}

function rational(from: MapValue, key: string): Rational {
  const [numerator, denominator] = ints(from, key);
  return numerator / denominator;
}

function tensorKey(from: MapValue): TensorKey {
  return {
    role: text(from, "role"),
    name: text(from, "name"),
    layer: int(from, "layer"),
    subindex_0: int(from, "subindex_0"),
    subindex_1: int(from, "subindex_1"),
  };
}

function child(from: MapValue, key: string): MapValue {
  return map(must(from.get(key), isValue));
}

function list(from: MapValue, key: string): readonly Value[] {
  return must(from.get(key), (v): v is readonly Value[] => Array.isArray(v));
}

function map(value: Value): MapValue {
  return must(value, (v): v is MapValue => v instanceof Map);
}

function hex(value: Value): Hex {
  return must(value, (v): v is Uint8Array => v instanceof Uint8Array).toHex();
}

const isValue = (v: Value | undefined): v is Value => v !== undefined;
const isInteger = (v: Value | undefined): v is number | bigint =>
  typeof v === "number" || typeof v === "bigint";

function must<T extends Value>(
  value: Value | undefined,
  is: (v: Value | undefined) => v is T,
): T {
  if (!is(value)) throw new Error("a manifest that a reader accepted breaks its schema");
  return value;
}
