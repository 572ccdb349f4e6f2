/** Identities (section 9, and `classes.md` section 6 for a composition). */
import type { Artifact } from "./artifact.ts";
import {
  BLOB_RECORD,
  type BlobKey,
  CONTENT_HASH,
  DENSE,
  PAYLOAD_HASH,
  PROFILE,
  QUANT_RECORD,
  SHAPE,
  tensor,
  TENSOR_RECORD,
} from "./records.ts";
import { domain, SlmHash } from "./slm_hash.ts";
import type { Strings } from "./strings.ts";
import type { Tape } from "./tape.ts";

const QUANT_PROFILE = domain("quant-profile", 2);
const WHOLE_FILE = domain("whole-file", 1);
const MANIFEST = domain("manifest", 2);
const SEMANTIC_MANIFEST = domain("semantic-manifest", 2);
const TENSOR_PAYLOAD = domain("tensor-payload", 8);
const BLOB_PAYLOAD = domain("blob-payload", 6);
const ARCHITECTURE = domain("architecture", 1);
const TENSOR_LAYOUT = domain("tensor-layout", 5);
const COMPOSITION = domain("composition", 9);
const ROUTE_POLICY = domain("route-policy", 1);
const RUNTIME_REQUIREMENTS = domain("runtime-requirements", 1);
const GENERATION_POLICY = domain("generation-policy", 1);
const KV_COMPATIBILITY = domain("kv-compatibility", 3);

/** Section 3: the id domain of each class, from class 1 on. */
const ARTIFACT_ID: readonly Uint8Array[] = [
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
].map((name) => domain(name, 5));

const COMPOSITION_CLASS = 6;
const ZERO = new Uint8Array(32);
/** The encoding of an empty array. */
const EMPTY_ARRAY = 0x80;

/** For hashes that are begun and ended in one go. */
const quick = new SlmHash();

/** profile_id of the record at `at` of `bytes`, whose name stands in `[from, to)` of `names`. */
export function profileId(
  names: Uint8Array,
  from: number,
  to: number,
  bytes: Uint8Array,
  at: number,
): Uint8Array {
  return quick.begin(QUANT_PROFILE)
    .ident(names, from, to)
    .raw(bytes, at + PROFILE.profile_version, at + QUANT_RECORD)
    .end();
}

/** Begins the hash of a file of `size` bytes, which then follow. */
export function beginWholeFile(hash: SlmHash, size: number): void {
  hash.begin(WHOLE_FILE).openRaw(size);
}

export function manifestId({ artifact_class, bytes, sections: { manifest } }: Artifact) {
  return quick.begin(MANIFEST).u16(artifact_class)
    .raw(bytes, manifest.offset, manifest.offset + manifest.size).end();
}

/** An accepted manifest has only noncritical extensions, so what is left of them is `[]`. */
export function semanticManifestId({ artifact_class, bytes, tape }: Artifact): Uint8Array {
  const extensions = tape.get(0, "extensions");
  const [start, end] = [tape.start(0), tape.end(0)];
  const [cut, resume] = [tape.start(extensions), tape.end(extensions)];
  return quick.begin(SEMANTIC_MANIFEST).u16(artifact_class)
    .openCbor(cut - start + 1 + end - resume)
    .append(bytes, start, cut).appendUint(EMPTY_ARRAY, 1).append(bytes, resume, end)
    .end();
}

/** Appends `u8 rank || u64 x rank` of the tensor record at `at`. */
function appendShape(hash: SlmHash, bytes: Uint8Array, at: number): void {
  const rank = tensor.rank(bytes, at);
  hash.appendUint(rank, 1).append(bytes, at + SHAPE, at + SHAPE + 8 * rank);
}

/** Where the profile_id of the tensor record at `at` stands in the file, or -1. */
function profileIdAt({ bytes, sections: { quant } }: Artifact, at: number): number {
  const profile = tensor.profile(bytes, at);
  return profile === DENSE ? -1 : quant.offset + QUANT_RECORD * profile;
}

/** Begins the payload hash of the tensor record at `at`; its payload bytes then follow. */
export function beginTensorPayload(hash: SlmHash, artifact: Artifact, at: number): void {
  const { artifact_class, bytes, strings } = artifact;
  const [role, name] = [tensor.role(bytes, at), tensor.name(bytes, at)];
  const profile = profileIdAt(artifact, at);
  hash.begin(TENSOR_PAYLOAD).u16(artifact_class)
    .ident(bytes, strings.start(role), strings.end(role))
    .ident(bytes, strings.start(name), strings.end(name))
    .openRaw(1 + 8 * tensor.rank(bytes, at));
  appendShape(hash, bytes, at);
  hash.u16(tensor.element_type(bytes, at));
  if (profile < 0) hash.digest(ZERO);
  else hash.digest(bytes, profile);
  hash.u64(tensor.elements(bytes, at)).openRaw(tensor.length(bytes, at));
}

/** Begins the content hash of a blob; its bytes then follow. */
export function beginBlobPayload(hash: SlmHash, artifact: Artifact, blob: BlobKey): void {
  const { artifact_class, bytes, strings } = artifact;
  hash.begin(BLOB_PAYLOAD).u16(artifact_class).u16(blob.kind)
    .ident(bytes, strings.start(blob.name), strings.end(blob.name))
    .ident(bytes, strings.start(blob.media_type), strings.end(blob.media_type))
    .u64(blob.length).openRaw(blob.length);
}

function architectureId({ bytes, tape, body }: Artifact): Uint8Array {
  const item = tape.find(body, "architecture");
  const hash = quick.begin(ARCHITECTURE);
  return item < 0
    ? hash.openCbor(0).end()
    : hash.cbor(bytes, tape.start(item), tape.end(item)).end();
}

export function tensorLayoutId(artifact: Artifact): Uint8Array {
  const { bytes, sections: { tensors, auxiliary }, strings } = artifact;
  const architecture = architectureId(artifact);
  const end = tensors.offset + tensors.size;
  let keys = 4;
  let shapes = 0;
  for (let at = tensors.offset; at < end; at += TENSOR_RECORD) {
    const [role, name] = [tensor.role(bytes, at), tensor.name(bytes, at)];
    keys += 2 + strings.end(role) - strings.start(role) + 12 + 2 + strings.end(name) -
      strings.start(name);
    shapes += 1 + 8 * tensor.rank(bytes, at);
  }
  const hash = quick.begin(TENSOR_LAYOUT).digest(architecture);
  hash.openRaw(keys).appendUint(tensors.count, 4);
  for (let at = tensors.offset; at < end; at += TENSOR_RECORD) {
    appendText(hash, strings, tensor.role(bytes, at));
    hash.append(bytes, at + 16, at + 28); // layer, subindex_0, subindex_1
    appendText(hash, strings, tensor.name(bytes, at));
  }
  hash.openRaw(shapes);
  for (let at = tensors.offset; at < end; at += TENSOR_RECORD) appendShape(hash, bytes, at);
  hash.openRaw(34 * tensors.count);
  for (let at = tensors.offset; at < end; at += TENSOR_RECORD) {
    const profile = profileIdAt(artifact, at);
    hash.append(bytes, at + 4, at + 6); // element_type
    if (profile < 0) hash.append(ZERO);
    else hash.append(bytes, profile, profile + 32);
  }
  return hash.openRaw(4 + auxiliary.size).appendUint(auxiliary.count, 4)
    .append(bytes, auxiliary.offset, auxiliary.offset + auxiliary.size).end();
}

/** Appends `u16 length || bytes` of string `id`. */
function appendText(hash: SlmHash, strings: Strings, id: number): void {
  const [start, end] = [strings.start(id), strings.end(id)];
  hash.appendUint(end - start, 2).append(strings.bytes, start, end);
}

/** artifact_id, from the two identities that it is made of. */
export function artifactId(
  artifact: Artifact,
  semantic_manifest: Uint8Array,
  tensor_layout: Uint8Array,
): Uint8Array {
  if (artifact.artifact_class === COMPOSITION_CLASS) {
    return compositionId(artifact.tape, artifact.body);
  }
  const { artifact_class, bytes, sections: { tensors, blobs } } = artifact;
  const hash = quick.begin(ARTIFACT_ID[artifact_class - 1]).u16(artifact_class)
    .digest(semantic_manifest).digest(tensor_layout);
  appendDigests(hash, bytes, tensors.offset + PAYLOAD_HASH, tensors.count, TENSOR_RECORD);
  appendDigests(hash, bytes, blobs.offset + CONTENT_HASH, blobs.count, BLOB_RECORD);
  return hash.end();
}

function appendDigests(
  hash: SlmHash,
  bytes: Uint8Array,
  first: number,
  count: number,
  step: number,
): void {
  hash.openDigests(count);
  for (let i = 0; i < count; i++) hash.append(bytes, first + step * i, first + step * i + 32);
}

function compositionId(tape: Tape, body: number): Uint8Array {
  const item = (map: number, key: string) => tape.get(map, key);
  const cbor = (head: Uint8Array, value: number) =>
    quick.begin(head).cbor(tape.bytes, tape.start(value), tape.end(value)).end();
  const base = item(body, "base");
  const tokenizer = tape.string(item(body, "tokenizer_id"));
  const template = item(body, "chat_template_id");
  const adapters = item(body, "adapters");
  const model = tape.string(item(base, "model_id"));
  const route = cbor(ROUTE_POLICY, item(body, "route"));
  const requirements = cbor(RUNTIME_REQUIREMENTS, item(0, "requirements"));
  const generation = cbor(GENERATION_POLICY, item(body, "generation"));
  const kv = item(body, "kv");
  const compatibility = quick.begin(KV_COMPATIBILITY).digest(model).digest(tokenizer)
    .cbor(tape.bytes, tape.start(kv), tape.end(kv)).end();
  const hash = quick.begin(COMPOSITION).digest(model).digest(tape.string(item(base, "whole_file")))
    .digest(tokenizer)
    .digest(tape.isNull(template) ? null : tape.string(template))
    .openDigests(tape.length(adapters));
  for (let i = adapters + 1; i < tape.next(adapters); i++) hash.append(tape.string(i));
  return hash.digest(route).digest(requirements).digest(generation).digest(compatibility).end();
}
