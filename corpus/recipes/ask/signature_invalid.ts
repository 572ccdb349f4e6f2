/** Envelopes whose signature is none, or does not cover what they say. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { concat } from "../../writer/bytes.ts";
import { fromHex, keyId } from "../../writer/identity.ts";
import { digestOf } from "../bytes.ts";
import type { ValidCase } from "../case.ts";
import { base } from "../library.ts";
import { claiming, good } from "./signature_world.ts";
import { NEXT_SEED } from "../valid/evidence.ts";

/** The group order (RFC 8032 section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const littleEndian = (n: bigint) =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((n >> BigInt(8 * i)) & 255n));

const asNumber = (bytes: Uint8Array) =>
  bytes.reduceRight((n, byte) => (n << 8n) | BigInt(byte), 0n);

/** Envelopes whose signature does not cover what they say, or is no signature. */
export const invalid = (): [ValidCase, string][] => {
  const body = good();
  const R = body.signature.slice(0, 32), S = body.signature.slice(32);
  const signed = "`SignatureInvalid`", ed = "Ed25519 is RFC 8032";
  const keyed = (
    local: string,
    why: string,
    public_key: Uint8Array,
    signature = body.signature,
  ): [ValidCase, string] => [
    claiming(local, why, { public_key, key_id: keyId(public_key), signature }),
    ed,
  ];
  const flip = (bytes: Uint8Array, at: number, mask = 1) => bytes.with(at, bytes[at] ^ mask);
  const identity = littleEndian(1n);
  const ofBase = base().identities;
  return [
    ...[0, 31, 32, 62].map((
      at,
    ): [ValidCase, string] => [
      claiming(`bit-${at}`, `a bit of byte ${at} of the signature differs`, {
        signature: flip(body.signature, at),
      }),
      signed,
    ]),
    [claiming("zero", "a signature of zeros", { signature: new Uint8Array(64) }), signed],
    [
      claiming("s-plus-l", "S + L for S: the other encoding of the same scalar", {
        signature: concat(R, littleEndian(asNumber(S) + L)),
      }),
      ed,
    ],
    [
      claiming("s-plus-2l", "S + 2 L", {
        signature: concat(R, littleEndian(asNumber(S) + 2n * L)),
      }),
      ed,
    ],
    [claiming("s-is-l", "S = L", { signature: concat(R, littleEndian(L)) }), ed],
    [
      claiming("s-negated", "L - S", { signature: concat(R, littleEndian(L - asNumber(S))) }),
      signed,
    ],
    [
      claiming("r-sign", "R with its sign bit turned", { signature: concat(flip(R, 31, 0x80), S) }),
      signed,
    ],
    [
      claiming("r-not-canonical", "R's y is p + 1", {
        signature: concat(littleEndian(2n ** 255n - 19n + 1n), S),
      }),
      ed,
    ],
    [claiming("r-no-point", "R is no point", { signature: concat(littleEndian(2n), S) }), ed],
    keyed(
      "key-small-order",
      "the neutral element as the key, for which R = [S]B is enough",
      identity,
      concat(smallOrderR(), littleEndian(1n)),
    ),
    keyed(
      "key-small-order-zero",
      "the neutral element as the key, R neutral and S zero",
      identity,
      concat(identity, new Uint8Array(32)),
    ),
    keyed(
      "key-order-2",
      "a key of order two",
      littleEndian(2n ** 255n - 20n),
      concat(identity, new Uint8Array(32)),
    ),
    keyed(
      "key-not-canonical",
      "the neutral element in another encoding",
      littleEndian(2n ** 255n - 19n + 1n),
      concat(identity, new Uint8Array(32)),
    ),
    keyed("key-no-point", "a key that is no point", littleEndian(2n)),
    keyed("key-other", "another key, its id with it", ed25519.getPublicKey(NEXT_SEED)),
    keyed(
      "key-sign",
      "the key with its sign bit turned, its id with it",
      flip(body.public_key, 31, 0x80),
    ),
    [
      claiming("statement-type", "another statement type than was signed", {
        statement_type: "release/2",
      }),
      signed,
    ],
    [
      claiming("statement-hash", "another statement than was signed", {
        statement_hash: digestOf(70),
      }),
      signed,
    ],
    [claiming("signed-at", "another signed_at than was signed", { signed_at: 1001 }), signed],
    [claiming("expires-at", "another expires_at than was signed", { expires_at: 2001 }), signed],
    [claiming("trust-epoch", "another epoch than was signed", { trust_epoch: 0 }), signed],
    [claiming("subject-class", "another class than was signed", { subject_class: 2 }), signed],
    [
      claiming("subject-id", "another subject than was signed", {
        subject_id: fromHex(ofBase.artifact_id),
      }),
      signed,
    ],
    [
      claiming("subject-whole-file", "another file than was signed", {
        subject_whole_file: fromHex(ofBase.whole_file),
      }),
      signed,
    ],
    [
      claiming("moved-times", "signed_at and expires_at in each other's place", {
        signed_at: 2000,
        expires_at: 1000,
      }),
      signed,
    ],
  ];
};

/** [1]B, the R that fits S = 1 under a key of small order. */
const smallOrderR = () => ed25519.Point.BASE.toBytes();
