/** Piece sets (class 9), envelopes (10), provenance (11), receipts (12), announcements (13). */
import fc from "fast-check";
import type { AnnouncementBody, ProvenanceBody, ReceiptBody } from "../../corpus/writer/bodies.ts";
import { utf8 } from "../../corpus/writer/bytes.ts";
import { dependency } from "../../corpus/writer/build/composition.ts";
import { pieceSet, signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import type { BlobDescription, Description } from "../../corpus/writer/description.ts";
import { fromHex } from "../../corpus/writer/identity.ts";
import {
  alignment,
  anyClass,
  bytes,
  digest,
  dressed,
  identifier,
  reference,
  text,
  uint,
} from "./parts.ts";

/** Piece sets of small files: one piece. */
export const anyPieceSet: fc.Arbitrary<Description> = dressed(
  fc.tuple(reference(anyClass), fc.uint8Array({ minLength: 1, maxLength: 300 }))
    .map(([subject, file]) => pieceSet(subject, file).description),
);

/** Signed envelopes whose signatures verify. */
export const anySignatureEnvelope: fc.Arbitrary<Description> = dressed(
  fc.record({
    subject: reference(anyClass),
    statement_type: identifier,
    statement_hash: digest,
    signed_at: uint,
    expires_at: uint,
    trust_epoch: uint,
    seed: bytes(32),
  }).map(signatureEnvelope),
);

/** UTF-8 blobs of a kind, by distinct names. */
const texts = (kind: number): fc.Arbitrary<BlobDescription[]> =>
  fc.uniqueArray(
    fc.record({
      kind: fc.constant(kind),
      name: identifier,
      media_type: identifier,
      payload: text.filter((one) => one !== "").map(utf8),
      alignment,
    }),
    { maxLength: 3, selector: ({ name }) => name },
  );

const digestSet = fc.uniqueArray(digest, { maxLength: 3, selector: String });
const textSet = fc.uniqueArray(text, { maxLength: 3 });

/** License and provenance records with notices. */
export const anyProvenance: fc.Arbitrary<Description> = dressed(
  fc.record({
    subject: reference(anyClass),
    blobs: texts(48),
    body: fc.record({
      converter: fc.record({ commit: text, executable: digest }),
      licenses: textSet,
      notices: digestSet,
      receipt: fc.option(digest),
      reproducible: fc.constantFrom("byte" as const, "semantic" as const, "no" as const),
      sources: fc.array(
        fc.record({
          commit: text,
          files: fc.uniqueArray(fc.tuple(text, digest), { maxLength: 2, selector: String }),
          repository: text,
        }),
        { maxLength: 2 },
      ),
      toolchain: fc.dictionary(identifier, text, { maxKeys: 2 }),
    }),
  }).map(({ subject, blobs, body }) => ({
    artifact_class: 11,
    body: { ...body, subject: fromHex(subject.artifact_id) } satisfies ProvenanceBody,
    dependencies: [dependency("subject", subject)],
    blobs,
  })),
);

/** Evaluation receipts with reports. */
export const anyReceipt: fc.Arbitrary<Description> = dressed(
  fc.record({
    subject: reference(anyClass),
    blobs: texts(80),
    body: fc.record({
      cases: uint,
      cases_passed: uint,
      dataset: digest,
      evaluator: identifier,
      scope: identifier,
      status: fc.constantFrom("pass" as const, "fail" as const, "pending" as const),
    }),
  }).map(({ subject, blobs, body }) => ({
    artifact_class: 12,
    body: {
      ...body,
      subject: fromHex(subject.artifact_id),
      subject_whole_file: fromHex(subject.whole_file),
    } satisfies ReceiptBody,
    dependencies: [dependency("subject", subject)],
    blobs,
  })),
);

/** Catalog announcements of one to three subjects. */
export const anyAnnouncement: fc.Arbitrary<Description> = dressed(
  fc.record({
    subjects: fc.array(fc.record({ of: reference(anyClass), piece_set: digest }), {
      minLength: 1,
      maxLength: 3,
    }),
    body: fc.record({
      display_name: text,
      licenses: textSet,
      promotion: fc.constantFrom(
        "candidate" as const,
        "promotable" as const,
        "withdrawn" as const,
      ),
      receipts: digestSet,
      sizes: fc.record({ incremental: uint, logical: uint }),
    }),
  }).map(({ subjects, body }) => ({
    artifact_class: 13,
    body: {
      ...body,
      subjects: subjects.map(({ of, piece_set }) => ({
        id: fromHex(of.artifact_id),
        piece_set,
        whole_file: fromHex(of.whole_file),
      })),
    } satisfies AnnouncementBody,
    dependencies: subjects.map(({ of }) => dependency("subject", of)),
  })),
);
