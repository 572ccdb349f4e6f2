/**
 * The hash of slm2.md section 9, for what a runtime identifies by itself: a stored file before
 * it is read, each payload in the pass that takes it over, quantization profiles, and the token
 * prefix of a KV cache. Written apart from both readers, so that a slip in one of the three shows.
 */
import { Hasher } from "blake3-jit";
import type { Blob, Candidate, Hex, Source, Tensor } from "../contract.ts";

/** One field of a hash: its type number and bytes (section 9). */
interface Field {
  readonly type: number;
  readonly bytes: Uint8Array;
}

const raw = (bytes: Uint8Array): Field => ({ type: 1, bytes });
const ident = (name: string): Field => ({ type: 2, bytes: new TextEncoder().encode(name) });
const uint = (n: number, width: number): Field => ({ type: 3, bytes: littleEndian(n, width) });
const digest = (hex: Hex): Field => ({ type: 4, bytes: Uint8Array.fromHex(hex) });

/** A hash whose last field, `raw`, comes in parts. */
export interface Hashing {
  update(part: Uint8Array): void;
  hex(): Hex;
}

/**
 * SLM_HASH (section 9): BLAKE3-256 over the framed domain and `fields`, then one more field of
 * type `raw` with `length` bytes, which the caller delivers by `update`.
 */
function hashing(domain: string, fields: readonly Field[], length: number): Hashing {
  const name = new TextEncoder().encode(domain);
  const hasher = new Hasher();
  hasher.update(new TextEncoder().encode("SLM2-HASH\0"));
  hasher.update(littleEndian(name.length, 2)).update(name);
  hasher.update(littleEndian(fields.length + 1, 4));
  for (const { type, bytes } of fields) {
    hasher.update(littleEndian(type, 2)).update(littleEndian(bytes.length, 8)).update(bytes);
  }
  hasher.update(littleEndian(1, 2)).update(littleEndian(length, 8));
  return { update: (part) => hasher.update(part), hex: () => hasher.finalize().toHex() };
}

/** `tensor_payload` of a tensor, its payload still to come: the record's `payload_hash`. */
export function tensorPayload(of: Candidate, tensor: Tensor): Hashing {
  const shape = new Uint8Array(1 + 8 * tensor.shape.length);
  shape[0] = tensor.shape.length;
  tensor.shape.forEach((n, i) => shape.set(littleEndian(n, 8), 1 + 8 * i));
  const profile = tensor.profile === null ? null : of.profiles[tensor.profile];
  return hashing("tensor-payload", [
    uint(of.artifact_class, 2),
    ident(tensor.role),
    ident(tensor.name),
    raw(shape),
    uint(tensor.element_type, 2),
    digest(profile?.profile_id ?? "00".repeat(32)),
    uint(tensor.elements, 8),
  ], tensor.length);
}

/** `blob_payload` of a blob, its payload still to come: the record's `content_hash`. */
export function blobPayload(of: Candidate, blob: Blob): Hashing {
  return hashing("blob-payload", [
    uint(of.artifact_class, 2),
    uint(blob.kind, 2),
    ident(blob.name),
    ident(blob.media_type),
    uint(blob.length, 8),
  ], blob.length);
}

/** `profile_id` of a registered profile: `record` is bytes 36 to 127 of its record (7.2). */
export function profileId(name: string, record: Uint8Array): Hex {
  const hash = hashing("quant-profile", [ident(name)], record.length);
  hash.update(record);
  return hash.hex();
}

/** `prefix_tokens` (classes.md section 9) of token ids. */
export function prefixTokens(ids: readonly number[]): Hex {
  const hash = hashing("token-prefix", [uint(ids.length, 8)], 4 * ids.length);
  for (const id of ids) hash.update(littleEndian(id, 4));
  return hash.hex();
}

/** Made once: what each file would leave behind is memory of the process until it is collected. */
let window: Uint8Array | null = null;

/** `whole_file` of a source, read once in windows; null where it cannot be read in full. */
export function wholeFile(source: Source): Hex | null {
  try {
    const size = source.size();
    const hash = hashing("whole-file", [], size);
    window ??= new Uint8Array(1 << 20);
    for (let at = 0; at < size; at += window.length) {
      const part = window.subarray(0, Math.min(window.length, size - at));
      if (source.read(at, part) !== part.length) return null;
      hash.update(part);
    }
    return hash.hex();
  } catch {
    return null;
  }
}

/** `n`, at most 2^53 - 1, in `width` bytes. */
function littleEndian(n: number, width: number): Uint8Array {
  const bytes = new Uint8Array(width);
  for (let i = 0; i < width; i++, n = Math.floor(n / 256)) bytes[i] = n % 256;
  return bytes;
}
