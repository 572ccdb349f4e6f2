/** SLM_HASH and the identities of section 9. */
import { createHasher, hash } from "blake3-jit";
import { ByteList, concat, join, u16, u32, u64, utf8 } from "./bytes.ts";
import { encode, type Item, lookup } from "./cbor.ts";

/** A typed field of SLM_HASH: its type number and its bytes. */
export type Field = readonly [type: number, bytes: Uint8Array];

export const raw = (bytes: Uint8Array): Field => [1, bytes];
export const ident = (text: string): Field => [2, utf8(text)];
export const int16 = (n: number): Field => [3, u16(n)];
export const int32 = (n: number): Field => [3, u32(n)];
export const int64 = (n: number | bigint): Field => [3, u64(n)];
/** 32 bytes, or null where the digest is absent. */
export const digest = (bytes: Uint8Array | null): Field => [4, bytes ?? new Uint8Array(0)];
export const digests = (list: readonly Uint8Array[]): Field => [
  5,
  join([u64(list.length), ...list]),
];
/** An item, or undefined for a field of zero length. */
export const cbor = (item: Item | undefined): Field => [
  6,
  item === undefined ? new Uint8Array(0) : encode(item),
];

const MAGIC = utf8("SLM2-HASH\0");

/** Domains as bytes: they are few. */
const DOMAINS = new Map<string, Uint8Array>();

function domainBytes(domain: string): Uint8Array {
  const known = DOMAINS.get(domain) ?? utf8(domain);
  DOMAINS.set(domain, known);
  return known;
}

/** Puts the bytes under SLM_HASH, up to and without the bytes of a last `raw` field of `tail` bytes. */
function putFraming(
  list: ByteList,
  domain: string,
  fields: readonly Field[],
  tail?: number,
): ByteList {
  const name = domainBytes(domain);
  list.put(MAGIC).integer(name.length, 2).put(name)
    .integer(fields.length + (tail === undefined ? 0 : 1), 4);
  for (const [type, bytes] of fields) {
    list.integer(type, 2).integer(bytes.length, 8).put(bytes);
  }
  return tail === undefined ? list : list.integer(1, 2).integer(tail, 8);
}

/** Used again by each hash: what is hashed is mostly short. */
const FRAME = new ByteList();

/** SLM_HASH(domain, fields): 32 bytes. */
export function slmHash(domain: string, ...fields: readonly Field[]): Uint8Array {
  return hash(putFraming(FRAME.clear(), domain, fields).view());
}

/** An SLM_HASH under way whose last field arrives in windows. */
export interface SlmHasher {
  update(bytes: Uint8Array): void;
  finish(): Uint8Array;
}

/** Up to here, gathering the bytes and hashing them at once is faster than a hasher. */
const AT_ONCE = 1 << 16;

/** SLM_HASH(domain, fields, raw(`length` bytes that follow in windows)). */
export function slmHasher(
  domain: string,
  fields: readonly Field[],
  length: number,
): SlmHasher {
  if (length > AT_ONCE) {
    const hasher = createHasher().update(putFraming(new ByteList(), domain, fields, length).view());
    return { update: (bytes) => void hasher.update(bytes), finish: () => hasher.finalize() };
  }
  const all = putFraming(FRAME.clear(), domain, fields, length).finish(length);
  let end = all.length - length;
  return {
    update(bytes) {
      all.set(bytes, end);
      end += bytes.length;
    },
    finish: () => hash(all),
  };
}

/** Lowercase hexadecimal. */
export const toHex = (bytes: Uint8Array): string => bytes.toHex();
/** The bytes of hexadecimal. @throws SyntaxError where it is none */
export const fromHex = (text: string): Uint8Array => Uint8Array.fromHex(text);

/** Section 3: the identity domain of each artifact class. */
export const ID_DOMAINS: readonly string[] = [
  "",
  "model",
  "model",
  "adapter",
  "tokenizer",
  "chat-template",
  "composition",
  "kv-cache",
  "retrieval-index",
  "piece-set",
  "signature-envelope",
  "license-provenance",
  "evaluation-receipt",
  "catalog-announcement",
];

/** `whole_file`, of bytes at hand. */
export const wholeFile = (file: Uint8Array): Uint8Array => slmHash("whole-file", raw(file));

/** `manifest`, of the manifest's bytes. */
export const manifestId = (artifact_class: number, bytes: Uint8Array): Uint8Array =>
  slmHash("manifest", int16(artifact_class), raw(bytes));

/** `semantic_manifest`, of a manifest from which noncritical extensions were removed. */
export const semanticManifestId = (artifact_class: number, semantic: Item): Uint8Array =>
  slmHash("semantic-manifest", int16(artifact_class), cbor(semantic));

/** `architecture`; undefined where the class's body has no such key. */
export const architectureId = (architecture: Item | undefined): Uint8Array =>
  slmHash("architecture", cbor(architecture));

/** `shape_encoding`, put to a list. */
function putShape(list: ByteList, shape: readonly number[]): void {
  list.integer(shape.length, 1);
  for (const n of shape) list.integer(n, 8);
}

/** `shape_encoding`. */
export function shapeEncoding(shape: readonly number[]): Uint8Array {
  const list = new ByteList();
  putShape(list, shape);
  return list.finish();
}

const NO_PROFILE = new Uint8Array(32);

/** What the identities ask of a tensor. */
export interface TensorKey {
  readonly role: string;
  readonly name: string;
  readonly layer: number;
  readonly subindex_0: number;
  readonly subindex_1: number;
  readonly shape: readonly number[];
  readonly element_type: number;
  /** null for a dense tensor */
  readonly profile_id: Uint8Array | null;
  readonly elements: number | bigint;
}

/** `tensor_payload`, for `length` bytes of payload that follow in windows. */
export function tensorPayload(
  artifact_class: number,
  tensor: TensorKey,
  length: number,
): SlmHasher {
  return slmHasher("tensor-payload", [
    int16(artifact_class),
    ident(tensor.role),
    ident(tensor.name),
    raw(shapeEncoding(tensor.shape)),
    int16(tensor.element_type),
    digest(tensor.profile_id ?? NO_PROFILE),
    int64(tensor.elements),
  ], length);
}

/** `blob_payload`, for `length` bytes of payload that follow in windows. */
export function blobPayload(
  artifact_class: number,
  blob: { readonly kind: number; readonly name: string; readonly media_type: string },
  length: number,
): SlmHasher {
  return slmHasher("blob-payload", [
    int16(artifact_class),
    int16(blob.kind),
    ident(blob.name),
    ident(blob.media_type),
    int64(length),
  ], length);
}

/** `tensor_layout`, of tensors in table order and the bytes of the auxiliary table. */
export function tensorLayout(
  architecture: Uint8Array,
  tensors: readonly TensorKey[],
  auxiliaries: Uint8Array,
): Uint8Array {
  const keys = new ByteList().integer(tensors.length, 4);
  const shapes = new ByteList(), elements = new ByteList();
  for (const tensor of tensors) {
    const role = utf8(tensor.role), name = utf8(tensor.name);
    keys.integer(role.length, 2).put(role);
    keys.integer(tensor.layer, 4).integer(tensor.subindex_0, 4).integer(tensor.subindex_1, 4);
    keys.integer(name.length, 2).put(name);
    putShape(shapes, tensor.shape);
    elements.integer(tensor.element_type, 2).put(tensor.profile_id ?? NO_PROFILE);
  }
  return slmHash(
    "tensor-layout",
    digest(architecture),
    raw(keys.finish()),
    raw(shapes.finish()),
    raw(elements.finish()),
    raw(concat(u32(auxiliaries.length / 32), auxiliaries)),
  );
}

/** `artifact_id` of every class but composition. */
export function artifactId(
  artifact_class: number,
  semantic_manifest: Uint8Array,
  tensor_layout: Uint8Array,
  tensors: readonly Uint8Array[],
  blobs: readonly Uint8Array[],
): Uint8Array {
  return slmHash(
    ID_DOMAINS[artifact_class] ?? "",
    int16(artifact_class),
    digest(semantic_manifest),
    digest(tensor_layout),
    digests(tensors),
    digests(blobs),
  );
}

/** `composition_id` (classes.md section 6); a digest that the body lacks counts as absent. */
export function compositionId(body: Item, requirements: Item): Uint8Array {
  const at = (...path: string[]) => lookup(body, ...path);
  const one = (...path: string[]) => digest(bytesOrNull(at(...path)));
  const adapters = at("adapters");
  return slmHash(
    "composition",
    one("base", "model_id"),
    one("base", "whole_file"),
    one("tokenizer_id"),
    one("chat_template_id"),
    digests(Array.isArray(adapters) ? adapters.flatMap((id) => bytesOrNull(id) ?? []) : []),
    digest(slmHash("route-policy", cbor(at("route")))),
    digest(slmHash("runtime-requirements", cbor(requirements))),
    digest(slmHash("generation-policy", cbor(at("generation")))),
    digest(
      slmHash("kv-compatibility", one("base", "model_id"), one("tokenizer_id"), cbor(at("kv"))),
    ),
  );
}

const bytesOrNull = (item: Item | undefined): Uint8Array | null =>
  item instanceof Uint8Array ? item : null;

/** `prefix_tokens` (classes.md section 9). */
export const tokenPrefixId = (ids: readonly number[]): Uint8Array =>
  slmHash("token-prefix", int64(ids.length), raw(join(ids.map(u32))));

/** `key_id` of an Ed25519 public key (classes.md section 8). */
export const keyId = (public_key: Uint8Array): Uint8Array =>
  slmHash("key", ident("ed25519"), raw(public_key));

/** What a signature covers (classes.md section 8). */
export interface Statement {
  readonly statement_type: string;
  readonly subject_class: number;
  readonly subject_id: Uint8Array;
  readonly subject_whole_file: Uint8Array;
  readonly statement_hash: Uint8Array;
  readonly signed_at: number | bigint;
  readonly expires_at: number | bigint;
  readonly trust_epoch: number | bigint;
}

/** The digest that is signed. */
export const statementDigest = (s: Statement): Uint8Array =>
  slmHash(
    "signature-statement",
    ident(s.statement_type),
    int16(s.subject_class),
    digest(s.subject_id),
    digest(s.subject_whole_file),
    digest(s.statement_hash),
    int64(s.signed_at),
    int64(s.expires_at),
    int64(s.trust_epoch),
  );
