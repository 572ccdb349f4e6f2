/** Signature envelopes (classes.md 8): a row a sentence. */
import { signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import type { SignatureRequest, Trust } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { base } from "./artifacts.ts";
import { edited, file, hash, judged, outcomeOf, READERS } from "./sentences.ts";

const SUBJECT = { class: 1, artifact_id: "11".repeat(32), whole_file: "22".repeat(32) };

const SEED = hash(9);

const terms = {
  subject: SUBJECT,
  statement_type: "release",
  statement_hash: hash(5),
  signed_at: 100,
  expires_at: 200,
  trust_epoch: 7,
  seed: SEED,
};

const envelope = signatureEnvelope(terms);

const hex = (key: "key_id" | "public_key") => envelope.body[key].toHex();

const KEY = {
  key_id: hex("key_id"),
  public_key: hex("public_key"),
  roles: ["other", "release"],
  valid_from: 100,
  valid_until: 101,
};

const TRUST: Trust = { epoch: 7, keys: [KEY], revoked: [] };

const signed =
  (request: Partial<SignatureRequest> = {}, bytes = file(envelope)) =>
  (reader: typeof READERS[number]) =>
    outcomeOf(
      reader.signature({ envelope: memorySource(bytes), trust: TRUST, now: 100, ...request }),
    );

const keyed = (more: Partial<typeof KEY>) =>
  signed({ trust: { ...TRUST, keys: [{ ...KEY, ...more }] } });

const LARGE = 2n ** 64n - 1n;

judged("classes.md 8, an envelope", [
  ["at its first moment", signed(), "accept"],
  ["at its last", signed({ now: 199 }), "accept"],
  ["at expires_at", signed({ now: 200 }), "28 SignatureExpired [none]"],
  ["before it was signed", signed({ now: 99 }), "28 SignatureExpired [none]"],
  [
    "its own key id",
    signed({}, edited(envelope, { "body.key_id": hash(1) })),
    "28 SignatureKeyId [none]",
  ],
  [
    "key id before subject",
    signed({ subject: { class: 2 } }, edited(envelope, { "body.key_id": hash(1) })),
    "28 SignatureKeyId [none]",
  ],
  ["class", signed({ subject: { class: 2 } }), "28 SignatureSubject [none]"],
  [
    "artifact_id",
    signed({ subject: { artifact_id: SUBJECT.whole_file } }),
    "28 SignatureSubject [none]",
  ],
  [
    "subject before statement",
    signed({ subject: { whole_file: SUBJECT.artifact_id }, statement: "00".repeat(32) }),
    "28 SignatureSubject [none]",
  ],
  [
    "statement before signature",
    signed(
      { statement: "00".repeat(32) },
      edited(envelope, { "body.signature": new Uint8Array(64) }),
    ),
    "28 SignatureStatement [none]",
  ],
  ["its statement", signed({ statement: hash(5).toHex(), subject: SUBJECT }), "accept"],
  [
    "signature before key",
    signed({ trust: { ...TRUST, keys: [] } }, edited(envelope, { "body.expires_at": 201 })),
    "28 SignatureInvalid [none]",
  ],
  ["no key", signed({ trust: { ...TRUST, keys: [] } }), "28 KeyUnknown [none]"],
  ["a key of another role", keyed({ roles: ["releas"] }), "28 KeyUnknown [none]"],
  ["a key of no role", keyed({ roles: [] }), "28 KeyUnknown [none]"],
  ["a key that begins later", keyed({ valid_from: 101 }), "28 KeyUnknown [none]"],
  ["a key that ended", keyed({ valid_until: 100 }), "28 KeyUnknown [none]"],
  ["a key id with another key", keyed({ public_key: "00".repeat(32) }), "28 KeyUnknown [none]"],
  [
    "any entry may hold",
    signed({ trust: { ...TRUST, keys: [{ ...KEY, roles: [] }, KEY] } }),
    "accept",
  ],
  [
    "not half of one and half of another",
    signed({ trust: { ...TRUST, keys: [{ ...KEY, roles: [] }, { ...KEY, valid_until: 100 }] } }),
    "28 KeyUnknown [none]",
  ],
  [
    "revoked from then",
    signed({ trust: { ...TRUST, revoked: [{ key_id: KEY.key_id, from: 100 }] } }),
    "28 KeyRevoked [none]",
  ],
  [
    "revoked later",
    signed({ trust: { ...TRUST, revoked: [{ key_id: KEY.key_id, from: 101 }] } }),
    "accept",
  ],
  [
    "another key revoked",
    signed({ trust: { ...TRUST, revoked: [{ key_id: KEY.public_key, from: 0 }] } }),
    "accept",
  ],
  [
    "unknown before revoked",
    signed({ trust: { ...TRUST, keys: [], revoked: [{ key_id: KEY.key_id, from: 0 }] } }),
    "28 KeyUnknown [none]",
  ],
  [
    "revoked before expired",
    signed({ now: 300, trust: { ...TRUST, revoked: [{ key_id: KEY.key_id, from: 0 }] } }),
    "28 KeyRevoked [none]",
  ],
  [
    "expired before epoch",
    signed({ now: 300, trust: { ...TRUST, epoch: 6 } }),
    "28 SignatureExpired [none]",
  ],
  ["a later epoch", signed({ trust: { ...TRUST, epoch: 6 } }), "28 TrustEpoch [none]"],
  ["an earlier one", signed({ trust: { ...TRUST, epoch: 8 } }), "accept"],
  [
    "times of 64 bits",
    signed(
      { trust: { ...TRUST, epoch: 2 ** 53 - 1 } },
      file(signatureEnvelope({ ...terms, expires_at: LARGE })),
    ),
    "accept",
  ],
  [
    "an epoch of 64 bits",
    signed({}, file(signatureEnvelope({ ...terms, trust_epoch: LARGE }))),
    "28 TrustEpoch [none]",
  ],
  ["times beyond 2^53 in the trust", keyed({ valid_until: 2 ** 64 }), "accept"],
  ["a rejected envelope", signed({}, file(envelope).slice(0, -1)), "11 FileSizeMismatch [header]"],
  ["no envelope", signed({}, base.bytes), "skip"],
]);
