/** Stage 28: an envelope held against trust metadata (`classes.md` section 8). */
import type { Code, Judgement, Reject, SignatureRequest } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { equalBytes, hex } from "./bytes.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { reject } from "./fault.ts";
import { domain, SlmHash } from "./slm_hash.ts";

const KEY = domain("key", 2);
const SIGNATURE_STATEMENT = domain("signature-statement", 8);
const SCHEME = new TextEncoder().encode("ed25519");

const quick = new SlmHash();

function fault(code: Code, expected: string): Reject {
  return reject(28, code, "none", undefined, expected);
}

/** The digest that is signed. */
function statementOf({ tape, body }: Artifact): Uint8Array {
  const field = (key: string) => tape.get(body, key);
  const digest = (key: string) => tape.string(field(key));
  const type = field("statement_type");
  return quick.begin(SIGNATURE_STATEMENT)
    .ident(tape.bytes, tape.body(type), tape.end(type))
    .u16(tape.uint(field("subject_class")))
    .digest(digest("subject_id")).digest(digest("subject_whole_file"))
    .digest(digest("statement_hash"))
    .u64(tape.integer(field("signed_at"))).u64(tape.integer(field("expires_at")))
    .u64(tape.integer(field("trust_epoch")))
    .end();
}

/**
 * Stage 28.
 *
 * @param envelope an accepted signature envelope
 */
export function judgeSignature(envelope: Artifact, request: SignatureRequest): Judgement {
  const { tape, body } = envelope;
  const { now, statement, subject, trust } = request;
  const bytes = (key: string) => tape.string(tape.get(body, key));
  const time = (key: string) => tape.integer(tape.get(body, key));
  const key_id = bytes("key_id");
  const public_key = bytes("public_key");
  if (!equalBytes(quick.begin(KEY).ident(SCHEME).raw(public_key).end(), key_id)) {
    return fault("SignatureKeyId", "the hash of public_key");
  }
  const subject_class = tape.uint(tape.get(body, "subject_class"));
  const other = subject !== undefined && (
    (subject.class ?? subject_class) !== subject_class ||
    (subject.artifact_id ?? hex(bytes("subject_id"))) !== hex(bytes("subject_id")) ||
    (subject.whole_file ?? hex(bytes("subject_whole_file"))) !== hex(bytes("subject_whole_file"))
  );
  if (other) return fault("SignatureSubject", "the subject of the envelope");
  if (statement !== undefined && statement !== hex(bytes("statement_hash"))) {
    return fault("SignatureStatement", "the statement of the envelope");
  }
  if (!verifyEd25519(bytes("signature"), statementOf(envelope), public_key)) {
    return fault("SignatureInvalid", "an Ed25519 signature of the statement");
  }
  const signed_at = time("signed_at");
  const role = tape.text(tape.get(body, "statement_type"));
  const isKnown = trust.keys.some((key) =>
    key.key_id === hex(key_id) && key.public_key === hex(public_key) && key.roles.includes(role) &&
    key.valid_from <= signed_at && signed_at < key.valid_until
  );
  if (!isKnown) return fault("KeyUnknown", "a trusted key of this role and time");
  if (trust.revoked.some((key) => key.key_id === hex(key_id) && key.from <= signed_at)) {
    return fault("KeyRevoked", "a key not revoked when it signed");
  }
  if (!(signed_at <= now && now < time("expires_at"))) {
    return fault("SignatureExpired", "signed_at <= now < expires_at");
  }
  if (time("trust_epoch") > trust.epoch) return fault("TrustEpoch", `at most ${trust.epoch}`);
  return { verdict: "accept" };
}
