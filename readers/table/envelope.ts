/** Checking a signature envelope (`classes.md` section 8, stage 28). */
import type { Code, Judgement, Reject, SignatureRequest } from "../contract.ts";
import type { Accepted } from "./artifact.ts";
import { verify } from "./ed25519.ts";
import { reject } from "./fault.ts";
import { hex, sameBytes } from "./fields.ts";
import { ascii, once } from "./hash.ts";
import { decodeText } from "./manifest.ts";
import { isAsked } from "./piece_check.ts";

/** @param envelope the reading of the envelope by stages 1-26 */
export function checkSignature(envelope: Accepted | Reject, request: SignatureRequest): Judgement {
  if (!("artifact" in envelope)) return envelope;
  const { artifact } = envelope;
  const { manifest: m } = artifact;
  if (artifact.artifactClass !== 10) {
    return { verdict: "skip", why: "the envelope is no signature envelope" };
  }
  const { trust, now, subject, statement } = request;
  const fail = (code: Code, expected: string) => reject(28, code, "none", undefined, expected);
  const bytes = (key: string) => m.string(artifact.get(key));
  const n = (key: string) => m.integer(artifact.get(key));

  const keyId = once.begin("key", 2).ident(ascii("ed25519")).raw(bytes("public_key")).end();
  if (!sameBytes(keyId, bytes("key_id"))) return fail("SignatureKeyId", "the hash of public_key");
  const isSubject = isAsked<number | bigint>(subject?.class, n("subject_class")) &&
    isAsked(subject?.artifact_id, hex(bytes("subject_id"))) &&
    isAsked(subject?.whole_file, hex(bytes("subject_whole_file")));
  if (!isSubject) return fail("SignatureSubject", "the subject of the envelope");
  if (!isAsked(statement, hex(bytes("statement_hash")))) {
    return fail("SignatureStatement", "the statement of the envelope");
  }
  const signed = once.begin("signature-statement", 8).ident(bytes("statement_type"))
    .u16(Number(n("subject_class"))).digest(bytes("subject_id"))
    .digest(bytes("subject_whole_file")).digest(bytes("statement_hash")).u64(n("signed_at"))
    .u64(n("expires_at")).u64(n("trust_epoch")).end();
  if (!verify(bytes("public_key"), signed, bytes("signature"))) {
    return fail("SignatureInvalid", "a signature by public_key");
  }

  const signedAt = n("signed_at");
  const [id, key] = [hex(keyId), hex(bytes("public_key"))];
  const role = decodeText(bytes("statement_type"));
  const isKnown = trust.keys.some((entry) =>
    entry.key_id === id && entry.public_key === key && entry.roles.includes(role) &&
    entry.valid_from <= signedAt && signedAt < entry.valid_until
  );
  if (!isKnown) return fail("KeyUnknown", "a key of the trust metadata for this role and time");
  if (trust.revoked.some((entry) => entry.key_id === id && entry.from <= signedAt)) {
    return fail("KeyRevoked", "a key that was not revoked by then");
  }
  if (!(signedAt <= now && now < n("expires_at"))) {
    return fail("SignatureExpired", "signed_at <= now < expires_at");
  }
  return n("trust_epoch") > trust.epoch
    ? fail("TrustEpoch", `an epoch of at most ${trust.epoch}`)
    : { verdict: "accept" };
}
