/**
 * Admission (slm2.md section 8, stages 28 to 30): what the person who activates asks beyond
 * sound bytes. By default nothing is asked. Evidence comes as detached artifacts; one that a
 * reader rejects, or that speaks of something else, is no evidence.
 */
import type { Candidate, Reader, Reject, Source, Trust } from "../contract.ts";
import { bodyOf, dependencies, text, texts } from "./manifest.ts";
import { isReject, reject } from "./outcome.ts";

export interface AdmissionPolicy {
  /** stage 28: each envelope must be a good signature of the composition */
  readonly signatures?: {
    readonly envelopes: readonly Source[];
    readonly trust: Trust;
    /** trusted time, in the unit of the envelopes' own times */
    readonly now: number;
  };
  /**
   * stage 29: the SPDX expressions that are allowed. Every expression in the provenance of an
   * artifact that the composition depends on must be one of them.
   */
  readonly licenses?: readonly string[];
  /** stage 29: every artifact that the composition depends on needs provenance */
  readonly provenance?: boolean;
  /** stage 30: scopes (classes.md section 8) in which the composition needs a passing receipt */
  readonly receipts?: readonly string[];
  /** provenance (class 11) and receipts (class 12) at hand */
  readonly evidence?: readonly Source[];
}

const PROVENANCE = 11, RECEIPT = 12;

/**
 * Holds a composition and its dependencies against `policy`. Rejections: a code of stage 28 from
 * the reader, `LicenseNotAllowed`, `ProvenanceMissing`, `ReceiptMissing`, `ReceiptFailed`; null
 * where all is as asked.
 */
export function admit(
  reader: Reader,
  composition: Candidate,
  needed: readonly Candidate[],
  policy: AdmissionPolicy,
): Reject | null {
  const evidence = (policy.evidence ?? []).flatMap((source) =>
    reader.read({ source, pieces: false }).candidate?.() ?? []
  );
  return signed(reader, composition, policy) ?? licensed(needed, evidence, policy) ??
    evaluated(composition, evidence, policy);
}

function signed(reader: Reader, composition: Candidate, policy: AdmissionPolicy): Reject | null {
  if (!policy.signatures) return null;
  const { envelopes, trust, now } = policy.signatures;
  const { artifact_id, whole_file } = composition.identities;
  for (const envelope of envelopes) {
    const subject = { class: composition.artifact_class, artifact_id, whole_file };
    const judgement = reader.signature({ envelope, trust, now, subject });
    if (isReject(judgement)) return judgement;
    if (judgement.verdict === "skip") return reject(28, "SignatureInvalid", judgement.why);
  }
  return null;
}

function licensed(
  artifacts: readonly Candidate[],
  evidence: readonly Candidate[],
  policy: AdmissionPolicy,
): Reject | null {
  const provenance = evidence.filter(({ artifact_class }) => artifact_class === PROVENANCE);
  const of = (artifact: Candidate) => provenance.filter((record) => speaksOf(record, artifact));
  if (policy.licenses) {
    const stated = artifacts.flatMap(of).flatMap((record) => texts(bodyOf(record), "licenses"));
    const strange = stated.find((license) => !policy.licenses?.includes(license));
    if (strange !== undefined) return reject(29, "LicenseNotAllowed", "an allowed licence");
  }
  if (policy.provenance && artifacts.some((artifact) => of(artifact).length === 0)) {
    return reject(29, "ProvenanceMissing", "provenance of every dependency");
  }
  return null;
}

/** Of several receipts of one scope, each must have passed. */
function evaluated(
  composition: Candidate,
  evidence: readonly Candidate[],
  policy: AdmissionPolicy,
): Reject | null {
  const receipts = evidence.filter((record) =>
    record.artifact_class === RECEIPT && speaksOf(record, composition)
  ).map(bodyOf);
  for (const scope of policy.receipts ?? []) {
    const inScope = receipts.filter((receipt) => text(receipt, "scope") === scope);
    if (inScope.length === 0) return reject(30, "ReceiptMissing", `a receipt of scope ${scope}`);
    const passed = inScope.every((receipt) =>
      text(receipt, "status") === "pass" &&
      // as they stand: two counts above 2^53 may be one f64
      receipt.get("cases_passed") === receipt.get("cases")
    );
    if (!passed) return reject(30, "ReceiptFailed", `every case of scope ${scope} passed`);
  }
  return null;
}

/** Whether the subject of a record is this artifact, and this very file where it says so. */
function speaksOf(record: Candidate, { identities }: Candidate): boolean {
  const [subject] = dependencies(record);
  return subject.id === identities.artifact_id &&
    (subject.whole_file === null || subject.whole_file === identities.whole_file);
}
