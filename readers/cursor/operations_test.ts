/** The `piece` and `signature` operations, and the primitives that only they use. */
import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { pieceSet, signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import type { SignatureBody } from "../../corpus/writer/bodies.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { dataTest } from "../../lab/data.ts";
import type { PieceRequest, SignatureRequest } from "../contract.ts";
import { memorySource } from "../source.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { cursor } from "./reader.ts";
import { sha512 } from "./sha512.ts";
import { brief, PACK, poked } from "./testing.ts";

const SUBJECT = assemble(PACK);
const PIECE = 4_194_304;

const data = new Uint8Array(7 * PIECE + 5);
for (let i = 0; i < data.length; i += 4093) data[i] = i;
const made = pieceSet(SUBJECT.identities, data);
const set = memorySource(assemble(made.description).bytes);
const piece = (more: Partial<PieceRequest>) =>
  brief(cursor.piece({ set, index: 0, data: data.subarray(0, PIECE), ...more }));
const part = (index: number) => data.subarray(PIECE * index, PIECE * (index + 1));

Deno.test("piece: each piece with its proof", () => {
  for (let index = 0; index < 8; index++) {
    assertEquals(piece({ index, data: part(index), proof: made.proof(index) }), "accept");
  }
  assertEquals(piece({}), "accept", "without proof");
});

Deno.test("piece: subject, index, length, hash, root, in this order", () => {
  const { artifact_id, whole_file } = SUBJECT.identities;
  const good = { artifact_id, whole_file, bytes: data.length };
  const other = "00".repeat(32);
  assertEquals(piece({ subject: good }), "accept");
  assertEquals(piece({ subject: {} }), "accept");
  for (const wrong of [{ artifact_id: other }, { whole_file: other }, { bytes: 1 }]) {
    assertEquals(piece({ subject: { ...good, ...wrong }, index: 99 }), "27 PieceSubject none");
  }
  for (const index of [8, -1, 0.5, 2 ** 53]) {
    assertEquals(piece({ index, data: new Uint8Array(0) }), "27 PieceIndex none");
  }
  assertEquals(piece({ data: part(0).subarray(1) }), "27 PieceLength none");
  assertEquals(piece({ index: 7 }), "27 PieceLength none");
  assertEquals(piece({ data: part(1), proof: [] }), "27 PieceHash none");
  const proof = made.proof(0);
  for (
    const wrong of [[], proof.slice(1), [...proof, proof[0]], proof.toReversed(), made.proof(1)]
  ) assertEquals(piece({ proof: wrong }), "27 PieceRoot none");
});

Deno.test("piece: a set of one, a set that is rejected, and a file that is none", () => {
  const one = pieceSet(SUBJECT.identities, SUBJECT.bytes);
  const file = assemble(one.description).bytes;
  const of = (bytes: Uint8Array) =>
    brief(cursor.piece({ set: memorySource(bytes), index: 0, data: SUBJECT.bytes, proof: [] }));
  assertEquals(of(file), "accept");
  assertEquals(of(poked(file, file.length - 1, 1)), "26 PayloadHashMismatch payload");
  assertEquals(of(SUBJECT.bytes), "skip");
});

const seed = new Uint8Array(32).fill(3);
const terms = {
  subject: SUBJECT.identities,
  statement_type: "receipt",
  statement_hash: new Uint8Array(32).fill(4),
  signed_at: 100,
  expires_at: 200,
  trust_epoch: 5,
  seed,
};
const envelope = signatureEnvelope(terms);
const { key_id, public_key } = envelope.body;
const KEY = {
  key_id: key_id.toHex(),
  public_key: public_key.toHex(),
  roles: ["other", "receipt"],
  valid_from: 100,
  valid_until: 101,
};
const TRUST = { epoch: 5, keys: [KEY], revoked: [] };

/** The judgement on the envelope, its body changed and the request too. */
function signed(
  body: Partial<SignatureBody> = {},
  more: Partial<SignatureRequest> = {},
): string {
  const { bytes } = assemble({ ...envelope, body: { ...envelope.body, ...body } });
  return brief(
    cursor.signature({ envelope: memorySource(bytes), trust: TRUST, now: 150, ...more }),
  );
}

Deno.test("signature: each check, in its order", () => {
  const { artifact_id, whole_file } = SUBJECT.identities;
  const good = { class: 1, artifact_id, whole_file };
  const other = "00".repeat(32);
  const statement = terms.statement_hash.toHex();
  const bad = envelope.body.signature.with(0, envelope.body.signature[0] ^ 1);
  const trusting = (more: Partial<SignatureRequest["trust"]>) => ({ trust: { ...TRUST, ...more } });
  const key = (more: Partial<typeof KEY>) => trusting({ keys: [{ ...KEY, ...more }] });
  assertEquals(signed({}, { subject: good, statement }), "accept");
  assertEquals(signed({}, { subject: {} }), "accept");
  const none = { subject: { class: 2 }, statement: other, ...trusting({ keys: [] }) };
  assertEquals(signed({ key_id: new Uint8Array(32) }, none), "28 SignatureKeyId none");
  for (const wrong of [{ class: 2 }, { artifact_id: other }, { whole_file: other }]) {
    const subject = { ...good, ...wrong };
    assertEquals(signed({ signature: bad }, { ...none, subject }), "28 SignatureSubject none");
  }
  assertEquals(signed({ signature: bad }, { statement: other }), "28 SignatureStatement none");
  assertEquals(
    signed({ signature: bad }, { ...none, subject: {}, statement }),
    "28 SignatureInvalid none",
  );
  const changes: Partial<SignatureBody>[] = [
    { signed_at: 101 },
    { expires_at: 2n ** 64n - 1n },
    { trust_epoch: 0 },
    { statement_hash: new Uint8Array(32) },
  ];
  for (const changed of changes) assertEquals(signed(changed), "28 SignatureInvalid none");
  for (
    const wrong of [
      { key_id: other },
      { public_key: other },
      { roles: [] },
      { valid_from: 101 },
      { valid_until: 100 },
    ]
  ) assertEquals(signed({}, { ...key(wrong), now: 1 }), "28 KeyUnknown none");
  assertEquals(signed({}, trusting({ keys: [{ ...KEY, roles: [] }, KEY] })), "accept");
  const revoked = (from: number, key_id = KEY.key_id) => trusting({ revoked: [{ key_id, from }] });
  assertEquals(signed({}, { ...revoked(100), now: 1 }), "28 KeyRevoked none");
  assertEquals(signed({}, revoked(101)), "accept");
  assertEquals(signed({}, revoked(0, other)), "accept");
  assertEquals(signed({}, { ...trusting({ epoch: 4 }), now: 99 }), "28 SignatureExpired none");
  assertEquals(signed({}, { now: 100 }), "accept");
  assertEquals(signed({}, { now: 200 }), "28 SignatureExpired none");
  assertEquals(signed({}, trusting({ epoch: 4 })), "28 TrustEpoch none");
  assertEquals(signed({}, trusting({ epoch: 6 })), "accept");
});

Deno.test("signature: an envelope that is rejected, and a file that is none", () => {
  const { bytes } = assemble(envelope);
  const of = (file: Uint8Array) =>
    brief(cursor.signature({ envelope: memorySource(file), trust: TRUST, now: 150 }));
  assertEquals(of(poked(bytes, 0, 0)), "4 BadMagic header");
  assertEquals(of(SUBJECT.bytes), "skip");
});

const L = 2n ** 252n + 27742317777372353535851937790883648493n;

Deno.test("signature: S + L is another encoding of S", () => {
  const signature = envelope.body.signature.slice();
  const s = signature.subarray(32).reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n) + L;
  for (let i = 0; i < 32; i++) signature[32 + i] = Number(s >> BigInt(8 * i) & 255n);
  assertEquals(signed({ signature }), "28 SignatureInvalid none");
});

Deno.test("Ed25519: small orders, and points encoded otherwise", () => {
  const message = new Uint8Array(32);
  const identity = new Uint8Array(32).with(0, 1);
  const zeroS = (r: Uint8Array) => Uint8Array.of(...r, ...new Uint8Array(32));
  assert(!verifyEd25519(zeroS(identity), message, identity), "A of order 1");
  const order8 = Uint8Array.fromHex(
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  );
  assert(!verifyEd25519(zeroS(identity), message, order8), "A of order 8");
  const minusZero = identity.with(31, 0x80);
  assert(!verifyEd25519(zeroS(identity), message, minusZero), "x = 0 with a sign");
  const p = Uint8Array.fromHex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
  assert(!verifyEd25519(zeroS(identity), message, p), "y = p");
  const notAPoint = new Uint8Array(32).with(0, 2);
  assert(!verifyEd25519(zeroS(identity), message, notAPoint));
  // R = identity is good where S B = k A: S = k a for a key that we hold
  const secret = ed25519.utils.getExtendedPublicKey(seed);
  const k = sha512(Uint8Array.of(...identity, ...secret.pointBytes, ...message))
    .reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n) % L;
  const s = k * secret.scalar % L;
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => Number(s >> BigInt(8 * i) & 255n));
  const signature = Uint8Array.of(...identity, ...bytes);
  assert(verifyEd25519(signature, message, secret.pointBytes), "R may be of small order");
  const otherR = Uint8Array.of(...minusZero, ...bytes);
  assert(!verifyEd25519(otherR, message, secret.pointBytes));
});

dataTest("Ed25519: Wycheproof", async (folder) => {
  const { testGroups } = JSON.parse(
    await Deno.readTextFile(new URL("vectors/ed25519_wycheproof.json", folder)),
  );
  let seen = 0;
  for (const { publicKey, tests } of testGroups) {
    for (const { tcId, msg, sig, result } of tests) {
      seen++;
      const [m, s, pk] = [msg, sig, publicKey.pk].map((hex) => Uint8Array.fromHex(hex));
      assertEquals(verifyEd25519(s, m, pk), result === "valid", `${tcId}`);
    }
  }
  assertEquals(seen, 151);
});

Deno.test("SHA-512: every length across the padding's borders", () => {
  for (let length = 0; length < 300; length++) {
    const message = Uint8Array.from({ length }, (_, i) => 7 * i + length);
    assertEquals(sha512(message).toHex(), createHash("sha512").update(message).digest("hex"));
  }
});
