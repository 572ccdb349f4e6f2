/** Stage 28: envelopes held against trust metadata (classes.md section 8). */
import { ed25519 } from "@noble/curves/ed25519.js";
import type { SignatureBody } from "../../writer/bodies.ts";
import { keyId } from "../../writer/identity.ts";
import { digestOf } from "../bytes.ts";
import { corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { base, envelope } from "../library.ts";
import { withBytes } from "../parts.ts";
import { invalid } from "./signature_invalid.ts";
import {
  type Ask,
  check,
  claiming,
  type Code,
  first,
  good,
  next,
  SIGNATURE,
  subject,
  trust,
} from "./signature_world.ts";
import { earlier } from "../valid/evidence.ts";
import { later } from "../valid/evidence.ts";
import { NEXT_SEED } from "../valid/evidence.ts";
import { rotated } from "../valid/evidence.ts";
import { byKeys } from "../valid/evidence.ts";
import { key } from "./signature_world.ts";

const holds: Recipe = {
  name: "signature/holds",
  reason: "envelopes that hold, at every edge of time",
  spec: "classes.md 8",
  cites: [
    "classes-8 The signed bytes are",
    "classes-8 Trust metadata",
    "classes-8 Ed25519 is RFC 8032",
  ],
  cases: () => {
    const one = (local: string, why: string, ask: Partial<Ask> = {}, of: ValidCase = envelope()) =>
      check(`signature/holds/${local}`, why, of, { trust: trust(), now: 1500, ...ask });
    return [
      one("plain", "a good signature by a known key"),
      ...byKeys().map((of, i) =>
        one(`key-${i}`, `a good signature by key ${i}`, {
          trust: trust({ keys: [key(digestOf(500 + i))] }),
        }, of)
      ),
      one("subject", "with its subject", { subject: subject() }),
      one("statement", "with its statement", { statement: digestOf(10).toHex() }),
      one("all", "with both", { subject: subject(), statement: digestOf(10).toHex() }),
      ...(["class", "artifact_id", "whole_file"] as const).map((name) =>
        one(`subject-${name.replace("_", "-")}`, `of the subject only ${name}`, {
          subject: { [name]: subject()[name] },
        })
      ),
      one("now-is-signed-at", "just at signed_at", { now: 1000 }),
      one("now-before-expiry", "one before expires_at", { now: 1999 }),
      one("key-from-signed-at", "the key is valid from just then", {
        trust: trust({ keys: [{ ...first, valid_from: 1000 }] }),
      }),
      one("key-until-just-after", "and until just after", {
        trust: trust({ keys: [{ ...first, valid_until: 1001 }] }),
      }),
      one("key-expired-now", "a key that is no longer valid now, and was when it signed", {
        trust: trust({ keys: [{ ...first, valid_until: 1200 }] }),
      }),
      one("roles", "one role of several", {
        trust: trust({ keys: [{ ...first, roles: ["evaluation/1", "release/1"] }] }),
      }),
      one("keys", "one key of several", { trust: trust({ keys: [next, first] }) }),
      one("key-twice", "one key twice, the first entry for another time", {
        trust: trust({ keys: [{ ...first, valid_until: 900 }, first] }),
      }),
      one("key-twice-roles", "one key twice, the first entry for another role", {
        trust: trust({ keys: [{ ...first, roles: ["evaluation/1"] }, first] }),
      }),
      one("revoked-later", "a key that is revoked from just after it signed", {
        trust: trust({ revoked: [{ key_id: first.key_id, from: 1001 }] }),
      }),
      one("revoked-other", "another key is revoked", {
        trust: trust({ revoked: [{ key_id: next.key_id, from: 0 }] }),
      }),
      one("later-trust", "a statement of an earlier epoch stays good", {
        trust: trust({ epoch: 9 }),
      }),
      one("epoch-0", "a statement of epoch 0", {}, earlier()),
      one("rotated", "the next key in the next epoch", {
        trust: trust({
          epoch: 2,
          keys: [{ ...first, valid_until: 1400 }, { ...next, valid_from: 1400 }],
        }),
        now: 1600,
      }, rotated()),
      one("before-rotation", "the old key's statement after the rotation", {
        trust: trust({
          epoch: 2,
          keys: [{ ...first, valid_until: 1400 }, { ...next, valid_from: 1400 }],
        }),
        now: 1600,
      }),
    ];
  },
};

const rejects: Recipe = {
  name: "signature/rejects",
  reason: "envelopes that do not hold, each for one reason",
  spec: "classes.md 8",
  cites: ["slm2-8.28 all [none]"],
  cases: () => {
    const one = (
      local: string,
      why: string,
      code: Code,
      ask: Partial<Ask>,
      cite: string,
      of: ValidCase = envelope(),
    ) =>
      check(
        `signature/rejects/${local}`,
        why,
        of,
        { trust: trust(), now: 1500, ...ask },
        SIGNATURE(code),
        cite,
      );
    const KEY_ID = "key_id is not the hash",
      SUBJECT = "a given subject's class",
      STATEMENT = "a given statement hash",
      UNKNOWN = "no entry of `keys`",
      REVOKED = "`revoked` has it",
      TIME = "not signed_at <=",
      EPOCH = "trust_epoch > epoch";
    const s = subject();
    const anyKey = (of: ValidCase): Partial<Ask> => {
      const { key_id, public_key, statement_type } = of.description.body as SignatureBody;
      return {
        trust: trust({
          epoch: 9,
          keys: [{
            ...first,
            key_id: key_id.toHex(),
            public_key: public_key.toHex(),
            roles: [statement_type],
            valid_until: 9000,
            valid_from: 0,
          }],
        }),
      };
    };
    return [
      one(
        "key-id",
        "a key_id that is another key's",
        "SignatureKeyId",
        {},
        KEY_ID,
        claiming("key-id", "a key_id that is another key's", {
          key_id: keyId(ed25519.getPublicKey(NEXT_SEED)),
        }),
      ),
      one(
        "key-id-raw",
        "a key_id that is the key itself",
        "SignatureKeyId",
        {},
        KEY_ID,
        claiming("key-id-raw", "a key_id that is the key itself", { key_id: good().public_key }),
      ),
      one("subject-class", "a subject of another class", "SignatureSubject", {
        subject: { ...s, class: 2 },
      }, SUBJECT),
      one("subject-id", "another subject", "SignatureSubject", {
        subject: { ...s, artifact_id: base().identities.artifact_id },
      }, SUBJECT),
      one("subject-whole-file", "another file of the subject", "SignatureSubject", {
        subject: { whole_file: base().identities.whole_file },
      }, SUBJECT),
      one("statement", "another statement", "SignatureStatement", {
        statement: digestOf(71).toHex(),
      }, STATEMENT),
      ...invalid().map(([of, cite]) =>
        one(
          `invalid-${of.id.split("/").at(-1)}`,
          of.reason,
          "SignatureInvalid",
          anyKey(of),
          cite,
          of,
        )
      ),
      one("no-keys", "no key is trusted", "KeyUnknown", { trust: trust({ keys: [] }) }, UNKNOWN),
      one(
        "other-key",
        "another key is trusted",
        "KeyUnknown",
        { trust: trust({ keys: [next] }) },
        UNKNOWN,
      ),
      one("other-key-id", "the key under another id", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, key_id: next.key_id }] }),
      }, UNKNOWN),
      one("other-public-key", "the id with another key", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, public_key: next.public_key }] }),
      }, UNKNOWN),
      one("no-role", "a key without roles", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, roles: [] }] }),
      }, UNKNOWN),
      one("other-role", "a key for another statement type", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, roles: ["release/2", "release", "release/11"] }] }),
      }, UNKNOWN),
      one("key-too-early", "a key that is valid from just after", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, valid_from: 1001 }] }),
      }, UNKNOWN),
      one("key-too-late", "a key that was valid until just then", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, valid_until: 1000 }] }),
      }, UNKNOWN),
      one("key-split", "two entries, each wrong in another way", "KeyUnknown", {
        trust: trust({ keys: [{ ...first, roles: [] }, { ...first, valid_until: 1000 }] }),
      }, UNKNOWN),
      one("revoked-then", "a key that is revoked from just then", "KeyRevoked", {
        trust: trust({ revoked: [{ key_id: first.key_id, from: 1000 }] }),
      }, REVOKED),
      one("revoked-ever", "a key that is revoked from the beginning", "KeyRevoked", {
        trust: trust({
          revoked: [{ key_id: next.key_id, from: 0 }, { key_id: first.key_id, from: 0 }],
        }),
      }, REVOKED),
      one("revoked-twice", "revoked twice, the first time for later", "KeyRevoked", {
        trust: trust({
          revoked: [{ key_id: first.key_id, from: 5000 }, { key_id: first.key_id, from: 999 }],
        }),
      }, REVOKED),
      one("too-early", "one before signed_at", "SignatureExpired", { now: 999 }, TIME),
      one("expired", "just at expires_at", "SignatureExpired", { now: 2000 }, TIME),
      one("long-expired", "long after", "SignatureExpired", { now: Number.MAX_SAFE_INTEGER }, TIME),
      one(
        "epoch-ahead",
        "an epoch that is not yet",
        "TrustEpoch",
        { trust: trust({ epoch: 2 }) },
        EPOCH,
        later(),
      ),
      one("epoch-0", "trust of epoch 0 under a statement of epoch 1", "TrustEpoch", {
        trust: trust({ epoch: 0 }),
      }, EPOCH),
    ];
  },
};

export const order: Recipe = {
  name: "signature/order",
  reason: "two faults at once: the first of the list is the answer",
  spec: "classes.md 8",
  cites: ["classes-8 Checking an envelope (stage 28)"],
  cases: () => {
    const bad = claiming("bit-0", "a bit of byte 0 of the signature differs", {
      signature: good().signature.with(0, good().signature[0] ^ 1),
    });
    const renamed = claiming("key-id", "a key_id that is another key's", {
      key_id: keyId(ed25519.getPublicKey(NEXT_SEED)),
    });
    const one = (local: string, why: string, of: ValidCase, ask: Partial<Ask>, code: Code) => ({
      ...check(
        `signature/order/${local}`,
        why,
        of,
        { trust: trust(), now: 1500, ...ask },
        SIGNATURE(code),
      ),
      tags: ["two-faults"],
    });
    const elsewhere = { subject: { class: 2 } },
      unsaid = { statement: digestOf(71).toHex() },
      nobody = { trust: trust({ keys: [] }) };
    const revoked = trust({ revoked: [{ key_id: first.key_id, from: 0 }] });
    return [
      one("key-id-subject", "key id, then subject", renamed, elsewhere, "SignatureKeyId"),
      one("key-id-keys", "key id, then no keys", renamed, nobody, "SignatureKeyId"),
      one(
        "subject-statement",
        "subject, then statement",
        envelope(),
        { ...elsewhere, ...unsaid },
        "SignatureSubject",
      ),
      one("statement-signature", "statement, then signature", bad, unsaid, "SignatureStatement"),
      one("signature-keys", "signature, then no keys", bad, nobody, "SignatureInvalid"),
      one(
        "keys-revoked",
        "no keys, and revoked",
        envelope(),
        { trust: { ...revoked, keys: [] } },
        "KeyUnknown",
      ),
      one(
        "revoked-expired",
        "revoked, then expired",
        envelope(),
        { trust: revoked, now: 2000 },
        "KeyRevoked",
      ),
      one("expired-epoch", "expired, then an epoch ahead", envelope(), {
        trust: trust({ epoch: 0 }),
        now: 2000,
      }, "SignatureExpired"),
    ];
  },
};

const envelopes: Recipe = {
  name: "signature/envelope",
  reason: "an envelope that is itself rejected: its rejection is the answer",
  spec: "classes.md 8",
  cites: ["classes-8 Checking an envelope (stage 28)"],
  cases: () => {
    const { bytes } = envelope().artifact;
    const faults: [string, string, Uint8Array, Rejection][] = [
      ["magic", "no envelope at all", withBytes(bytes, 0, new Uint8Array([0])), [
        4,
        "BadMagic",
        "header",
      ]],
      ["cut", "an envelope cut short", bytes.slice(0, -1), [11, "FileSizeMismatch", "header"]],
      [
        "class",
        "an envelope that says it is a receipt",
        withBytes(bytes, 36, new Uint8Array([12])),
        [18, "UnknownCoreKey", "manifest"],
      ],
    ];
    return faults.flatMap(([local, why, file, rejection]) => {
      const read = corrupt(envelope(), `signature/envelope/${local}-read`, why, file, rejection);
      return [
        read,
        check(
          `signature/envelope/${local}`,
          `${why}: its rejection comes before every other fault`,
          read,
          { trust: trust({ keys: [] }), now: 0 },
          rejection,
        ),
      ];
    });
  },
};

const subjects: Recipe = {
  name: "valid/signature",
  reason: "envelopes that read well, whatever they claim",
  spec: "classes.md 8",
  cites: ["classes-8 `key_id = SLM_HASH"],
  cases: () => [
    claiming("key-id", "a key_id that is another key's", {
      key_id: keyId(ed25519.getPublicKey(NEXT_SEED)),
    }),
    claiming("key-id-raw", "a key_id that is the key itself", { key_id: good().public_key }),
    ...invalid().map(([one]) => one),
  ],
};

export const signatures: readonly Recipe[] = [subjects, holds, rejects, order, envelopes];
