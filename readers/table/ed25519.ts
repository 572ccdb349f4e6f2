/**
 * Ed25519 as `classes.md` section 8 wants it: RFC 8032 with canonical encodings only and the
 * equation without cofactor. The package's own `verify` multiplies by the cofactor, so only its
 * point arithmetic is used.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { sameBytes } from "./fields.ts";

const { Point } = ed25519;
/** Order of the base point (RFC 8032 section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

function littleEndian(bytes: Uint8Array): bigint {
  let n = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) n = n << 8n | BigInt(bytes[i]);
  return n;
}

/** The point of a canonical encoding, or null. */
function pointOf(bytes: Uint8Array): InstanceType<typeof Point> | null {
  try {
    return Point.fromBytes(bytes); // strict: y < p, and no x = 0 with the sign bit
  } catch {
    return null;
  }
}

/**
 * Whether `signature` (R, S) of 64 bytes signs `message`: S < L, A a canonical point that is
 * not of small order, and R the canonical encoding of [S]B - [k]A.
 */
export function verify(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= L) return false;
  const a = pointOf(publicKey);
  if (a === null || a.isSmallOrder()) return false;
  const k = littleEndian(
    sha512.create().update(r).update(publicKey).update(message).digest(),
  ) % L;
  const expected = Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k));
  return sameBytes(expected.toBytes(), r);
}
