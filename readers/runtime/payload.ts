/**
 * Payload bytes on their way into the runtime. Every byte that is used is hashed in the pass
 * that delivers it, and held against the record's hash: a file that changes between a reader's
 * look and ours never gets through (`PayloadHashMismatch`, or `SourceIo`).
 */
import type { Candidate, Hex, Reject, Source } from "../contract.ts";
import { blobPayload, type Hashing, tensorPayload } from "./identity.ts";
import { reject } from "./outcome.ts";

/** A payload being taken over by whoever calls `fill` with consecutive windows. */
export interface Delivery {
  /** Fills `into` with payload bytes from `offset` on; each byte once and in order. */
  readonly fill: (into: Uint8Array, offset: number) => void;
  /** After the last byte: null where what was delivered is what the record's hash names. */
  readonly verdict: () => Reject | null;
}

/** Delivers the payload of tensor `index`. */
export function deliverTensor(candidate: Candidate, index: number): Delivery {
  const tensor = candidate.tensors[index];
  return deliver(candidate.source, tensor, tensorPayload(candidate, tensor), tensor.payload_hash);
}

/** The payload of tensor `index`, in memory. */
export function takeTensor(candidate: Candidate, index: number): Uint8Array | Reject {
  return take(candidate.tensors[index].length, deliverTensor(candidate, index));
}

/** The payload of blob `index`, in memory. */
export function takeBlob(candidate: Candidate, index: number): Uint8Array | Reject {
  const blob = candidate.blobs[index];
  const hash = blobPayload(candidate, blob);
  return take(blob.length, deliver(candidate.source, blob, hash, blob.content_hash));
}

function take(length: number, delivery: Delivery): Uint8Array | Reject {
  const bytes = new Uint8Array(length);
  delivery.fill(bytes, 0);
  return delivery.verdict() ?? bytes;
}

function deliver(
  source: Source,
  at: { readonly offset: number; readonly length: number },
  hash: Hashing,
  expected: Hex,
): Delivery {
  let delivered = 0;
  let unreadable = false;
  return {
    fill(into, offset) {
      if (offset !== delivered) throw new Error("payload bytes are delivered once and in order");
      delivered += into.length;
      unreadable ||= !readFully(source, at.offset + offset, into);
      hash.update(into);
    },
    verdict() {
      if (delivered !== at.length) throw new Error("a payload was taken over in part");
      if (unreadable) return reject(1, "SourceIo");
      if (hash.hex() === expected) return null;
      return reject(26, "PayloadHashMismatch", "the bytes that were verified", "payload");
    },
  };
}

/** True where `into` was filled; a source may throw or stop short. */
function readFully(source: Source, offset: number, into: Uint8Array): boolean {
  try {
    return source.read(offset, into) === into.length;
  } catch {
    return false;
  }
}
