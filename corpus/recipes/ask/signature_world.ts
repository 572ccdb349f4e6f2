/** Keys, trust and envelopes, and how an envelope is asked about. */
import { ed25519 } from "@noble/curves/ed25519.js";
import type { Trust } from "../../../readers/contract.ts";
import type { SignatureBody } from "../../writer/bodies.ts";
import { keyId } from "../../writer/identity.ts";
import { type Case, lazy, rejected, type Rejection, valid, type ValidCase } from "../case.ts";
import { envelope, model, SEED } from "../library.ts";
import { NEXT_SEED } from "../valid/evidence.ts";

export type Code =
  | "SignatureKeyId"
  | "SignatureSubject"
  | "SignatureStatement"
  | "SignatureInvalid"
  | "KeyUnknown"
  | "KeyRevoked"
  | "SignatureExpired"
  | "TrustEpoch";

export type Ask = Extract<Case, { op: "signature" }>["ask"];

export const key = (
  seed: Uint8Array,
  more: Partial<Trust["keys"][number]> = {},
): Trust["keys"][number] => {
  const public_key = ed25519.getPublicKey(seed);
  return {
    key_id: keyId(public_key).toHex(),
    public_key: public_key.toHex(),
    roles: ["release/1"],
    valid_from: 500,
    valid_until: 3000,
    ...more,
  };
};

export const first = key(SEED);
export const next = key(NEXT_SEED);

export const trust = (more: Partial<Trust> = {}): Trust => ({
  epoch: 1,
  keys: [first],
  revoked: [],
  ...more,
});

export const SIGNATURE = (code: Code): Rejection => [28, code, "none"];

export function check(
  id: string,
  reason: string,
  one: Case & { artifact?: { path: string; bytes: Uint8Array } },
  ask: Ask,
  rejection?: Rejection,
  cite?: string,
): Case {
  return {
    id,
    reason,
    tags: [],
    op: "signature",
    artifact: one.artifact!,
    ask,
    cites: cite ? [`classes-8 ${cite}`] : [],
    expected: rejection ? rejected(rejection) : { verdict: "accept" },
  };
}

/** The envelope's body with other members, as a file: it reads well, and what it claims may be wrong. */
export const claiming = (
  local: string,
  why: string,
  more: Partial<SignatureBody>,
  parent = envelope(),
): ValidCase =>
  valid(`valid/signature/${local}`, why, {
    ...parent.description,
    body: { ...parent.description.body as SignatureBody, ...more },
    dependencies: parent.description.dependencies!.map((entry) => ({
      ...entry,
      id: more.subject_id ?? entry.id,
      whole_file: more.subject_whole_file ?? entry.whole_file,
      artifact_class: more.subject_class ?? entry.artifact_class,
    })),
  });

export const good = lazy(() => envelope().description.body as SignatureBody);

export const subject = () => ({
  class: model().identities.class,
  artifact_id: model().identities.artifact_id,
  whole_file: model().identities.whole_file,
});
