/**
 * The public-safe facts of an artifact: the report's list, and nothing else. No file name,
 * no tensor name, no payload, no text of the file but identifiers and license expressions,
 * all of it bounded. Asked for by name, extensions are shown too.
 */
import type { Accept, Candidate, Hex, Reject, Tensor, Value } from "../readers/contract.ts";
import { diagnostic } from "./diagnostic.ts";
import { CLASS_NAMES, ELEMENT_TYPE_NAMES } from "./words.ts";

/** Longest list that an inspection shows; the rest is a count. */
export const LIST_LIMIT = 32;

/** A list of which at most `LIST_LIMIT` items are shown. */
export interface Bounded<T> {
  readonly count: number;
  readonly shown: readonly T[];
}

/** Fields in the order in which they are shown; absent ones do not apply to the class. */
export interface Inspection {
  readonly format: "SLM2 2.0";
  readonly artifact_class: string;
  readonly whole_file: Hex;
  readonly artifact_id: Hex;
  readonly composition_id?: Hex;
  readonly file_bytes: number;
  /** payload bytes that execution needs: this artifact's, or with a store its closure's */
  readonly logical_bytes: number;
  /** bytes that a store would grow by; present where a store was given */
  readonly incremental_bytes?: number;
  readonly architecture?: string;
  readonly tensor_count: number;
  readonly element_types: readonly string[];
  readonly profiles: Bounded<{ readonly name: string; readonly profile_id: Hex }>;
  readonly tokenizer_id?: Hex | null;
  readonly chat_template_id?: Hex | null;
  readonly base_id?: Hex;
  readonly adapters?: Bounded<Hex>;
  readonly requirements: {
    readonly features: Bounded<string>;
    readonly memory_bytes: number | string;
  };
  readonly piece_size: number;
  readonly piece_count?: number;
  readonly piece_root?: Hex;
  readonly publisher_key_id?: Hex;
  /** no trust metadata is at hand, so an envelope is never more than unchecked */
  readonly signature_status?: "unchecked";
  readonly licenses?: Bounded<string>;
  readonly receipts?: Bounded<Hex>;
  readonly qualification?: string;
  readonly extensions?: Bounded<string>;
}

/** slm2.md section 9: pieces of 4 MiB. */
const PIECE_SIZE = 4_194_304;

/** Longest identifier or license expression shown, in characters. */
const TEXT_LIMIT = 255;

/** Facts of an accepted artifact. `extensions: true` shows extensions, in bounded notation. */
export function inspection(
  { identities }: Accept,
  candidate: Candidate,
  options: { readonly extensions?: boolean; readonly incremental_bytes?: number } = {},
): Inspection {
  const manifest = candidate.manifest;
  const body = map(manifest.get("body"));
  const requirements = map(manifest.get("requirements"));
  return {
    format: "SLM2 2.0",
    artifact_class: CLASS_NAMES[candidate.artifact_class],
    whole_file: identities.whole_file,
    artifact_id: identities.artifact_id,
    ...(candidate.artifact_class === 6 && { composition_id: identities.artifact_id }),
    file_bytes: candidate.file_size,
    logical_bytes: payloadBytes(candidate),
    ...(options.incremental_bytes !== undefined && {
      incremental_bytes: options.incremental_bytes,
    }),
    ...architecture(body),
    tensor_count: candidate.tensors.length,
    element_types: elementTypes(candidate.tensors),
    profiles: bounded(candidate.profiles, ({ name, profile_id }) => ({ name, profile_id })),
    ...references(body),
    requirements: {
      features: bounded(list(requirements.get("features")), text),
      memory_bytes: exact(requirements.get("memory_bytes")),
    },
    piece_size: PIECE_SIZE,
    piece_count: identities.piece_count,
    piece_root: identities.piece_root,
    ...publisher(body),
    ...(options.extensions && {
      extensions: bounded(list(manifest.get("extensions")), (value) => diagnostic(value)),
    }),
  };
}

/** Public-safe facts of a rejection: code, section, byte offset. */
export function rejection(verdict: Reject) {
  const { stage, code, section, offset, expected } = verdict;
  return { format: "SLM2 2.0", verdict: "reject", stage, code, section, offset, expected };
}

/** Bytes of all payload objects of an artifact. */
export function payloadBytes(candidate: Candidate): number {
  const sum = (total: number, object: { readonly length: number }) => total + object.length;
  return candidate.tensors.reduce(sum, candidate.blobs.reduce(sum, 0));
}

function architecture(body: ReadonlyMap<string, Value>): { architecture?: string } {
  const found = body.get("architecture");
  return found instanceof Map ? { architecture: text(found.get("id")) } : {};
}

function elementTypes(tensors: readonly Tensor[]): string[] {
  const ids = new Set(tensors.map((tensor) => tensor.element_type));
  return [...ids].sort((a, b) => a - b).map((id) => ELEMENT_TYPE_NAMES[id] ?? "quantized");
}

/** Which other artifacts the body names (compositions, adapters, templates, caches ...). */
function references(body: ReadonlyMap<string, Value>) {
  const base = body.get("base");
  const out: {
    tokenizer_id?: Hex | null;
    chat_template_id?: Hex | null;
    base_id?: Hex;
    composition_id?: Hex;
    adapters?: Bounded<Hex>;
  } = {};
  if (body.has("tokenizer_id")) out.tokenizer_id = hexOrNull(body.get("tokenizer_id"));
  if (body.has("chat_template_id")) out.chat_template_id = hexOrNull(body.get("chat_template_id"));
  if (body.has("composition_id")) out.composition_id = hexOrNull(body.get("composition_id")) ?? "";
  if (base instanceof Map) out.base_id = hexOrNull(base.get("model_id")) ?? "";
  if (body.has("adapters")) out.adapters = bounded(list(body.get("adapters")), hex);
  return out;
}

/** What envelopes, provenance records, receipts and announcements say for the public. */
function publisher(body: ReadonlyMap<string, Value>) {
  const out: {
    publisher_key_id?: Hex;
    signature_status?: "unchecked";
    licenses?: Bounded<string>;
    receipts?: Bounded<Hex>;
    qualification?: string;
  } = {};
  if (body.has("key_id")) {
    out.publisher_key_id = hex(body.get("key_id"));
    out.signature_status = "unchecked";
  }
  if (body.has("licenses")) out.licenses = bounded(list(body.get("licenses")), text);
  if (body.has("receipts")) out.receipts = bounded(list(body.get("receipts")), hex);
  const receipt = body.get("receipt");
  if (receipt instanceof Uint8Array) out.receipts = { count: 1, shown: [receipt.toHex()] };
  const state = body.get("status") ?? body.get("promotion");
  if (typeof state === "string") out.qualification = state;
  return out;
}

function bounded<T, U>(items: readonly T[], show: (item: T) => U): Bounded<U> {
  return { count: items.length, shown: items.slice(0, LIST_LIMIT).map(show) };
}

// A reader has checked the schema; what is not of the type asked for is shown as empty.

function map(value: Value | undefined): ReadonlyMap<string, Value> {
  return value instanceof Map ? value : new Map();
}

function list(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function text(value: Value | undefined): string {
  if (typeof value !== "string") return "";
  return value.length > TEXT_LIMIT ? `${value.slice(0, TEXT_LIMIT)}…` : value;
}

function hex(value: Value | undefined): Hex {
  return value instanceof Uint8Array ? value.toHex() : "";
}

function hexOrNull(value: Value | undefined): Hex | null {
  return value instanceof Uint8Array ? value.toHex() : null;
}

/** An integer, exact: beyond 2^53 as decimal text, for JSON has no such numbers. */
function exact(value: Value | undefined): number | string {
  return typeof value === "bigint" ? String(value) : Number(value ?? 0);
}
