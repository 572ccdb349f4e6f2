/** Piece sets (class 9) and signature envelopes (class 10) of an artifact. */
import { ed25519 } from "@noble/curves/ed25519.js";
import type { PieceSetBody, SignatureBody } from "../bodies.ts";
import { join } from "../bytes.ts";
import type { Description, Payload, Reference } from "../description.ts";
import { payloadSize } from "../description.ts";
import { fromHex, keyId, statementDigest } from "../identity.ts";
import {
  auditPath,
  merkleRoot,
  PIECE_SIZE,
  pieceCount,
  PieceHashes,
  pieceLeaves,
} from "../pieces.ts";
import { eachWindow } from "../write.ts";
import { dependency } from "./composition.ts";

const WINDOW = 1 << 20;

/** A piece set, and the proof of each of its pieces. */
export interface PieceSet {
  readonly description: Description & { readonly body: PieceSetBody };
  /** the audit path of a piece, leaf to root */
  readonly proof: (index: number) => Uint8Array[];
}

/**
 * Describes the piece set of a file of at least one byte.
 * @param file the bytes of `subject`
 * @throws RangeError where the file's source is short
 */
export function pieceSet(subject: Reference, file: Payload): PieceSet {
  const subject_bytes = payloadSize(file);
  const pieces = new PieceHashes(subject_bytes);
  const window = new Uint8Array(Math.min(WINDOW, subject_bytes));
  if (!eachWindow(file, subject_bytes, window, (part) => pieces.update(part))) {
    throw new RangeError("the file is shorter than its source said");
  }
  const leaves = pieceLeaves(subject_bytes, pieces.hashes);
  return {
    description: {
      artifact_class: 9,
      body: {
        piece_count: pieceCount(subject_bytes),
        piece_size: PIECE_SIZE,
        root: merkleRoot(leaves),
        subject: fromHex(subject.artifact_id),
        subject_bytes,
        subject_whole_file: fromHex(subject.whole_file),
      },
      dependencies: [dependency("subject", subject)],
      blobs: [{
        kind: 32,
        name: "hashes",
        media_type: "application/octet-stream",
        payload: join(pieces.hashes),
      }],
    },
    proof: (index) => auditPath(leaves, index),
  };
}

/** What is signed, by whom and when. Times are in whatever unit the trust metadata has. */
export interface EnvelopeParts {
  readonly subject: Reference;
  readonly statement_type: string;
  readonly statement_hash: Uint8Array;
  readonly signed_at: number | bigint;
  readonly expires_at: number | bigint;
  readonly trust_epoch: number | bigint;
  /** the Ed25519 seed (RFC 8032 section 5.1.5), 32 bytes */
  readonly seed: Uint8Array;
}

/** Signs a statement about an artifact and describes its envelope (classes.md section 8). */
export function signatureEnvelope(
  parts: EnvelopeParts,
): Description & { readonly body: SignatureBody } {
  const { subject, seed, ...terms } = parts;
  const public_key = ed25519.getPublicKey(seed);
  const statement = {
    ...terms,
    subject_class: subject.class,
    subject_id: fromHex(subject.artifact_id),
    subject_whole_file: fromHex(subject.whole_file),
  };
  return {
    artifact_class: 10,
    body: {
      ...statement,
      key_id: keyId(public_key),
      public_key,
      scheme: "ed25519",
      signature: ed25519.sign(statementDigest(statement), seed),
    },
    dependencies: [dependency("subject", subject)],
  };
}
