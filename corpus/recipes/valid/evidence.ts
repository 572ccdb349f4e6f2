/** Signature envelopes, receipts and announcements. */
import { signatureEnvelope } from "../../writer/build/evidence.ts";
import type { Description } from "../../writer/description.ts";
import { fromHex } from "../../writer/identity.ts";
import { digestOf } from "../bytes.ts";
import { lazy, type Recipe, valid, type ValidCase } from "../case.ts";
import {
  announcementBody,
  base,
  depend,
  model,
  plain,
  receiptBody,
  ref,
  SEED,
} from "../library.ts";
import { richAnnouncement } from "../rich.ts";

const envelope = (
  local: string,
  why: string,
  more: Partial<Parameters<typeof signatureEnvelope>[0]>,
) =>
  valid(
    `valid/envelope/${local}`,
    why,
    signatureEnvelope({
      subject: ref(model()),
      statement_type: "release/1",
      statement_hash: digestOf(10),
      signed_at: 1000,
      expires_at: 2000,
      trust_epoch: 1,
      seed: SEED,
      ...more,
    }),
  );

/** The same statement under other keys: every kind of point is met. */
export const byKeys = lazy(() =>
  Array.from(
    { length: 12 },
    (_, i) => envelope(`key-${i}`, `a signature by key ${i}`, { seed: digestOf(500 + i) }),
  )
);

/** A second key, for rotation. */
export const NEXT_SEED = fromHex(
  "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
);

export const rotated = lazy(() =>
  envelope("rotated-key", "the same statement under the next key and epoch", {
    seed: NEXT_SEED,
    signed_at: 1500,
    trust_epoch: 2,
  })
);

export const earlier = lazy(() =>
  envelope("earlier-epoch", "a statement of an earlier epoch", { trust_epoch: 0 })
);

export const later = lazy(() =>
  envelope("later-epoch", "a statement of an epoch to come", { trust_epoch: 3 })
);

export const envelopes: Recipe = {
  name: "valid/envelope",
  reason: "signatures over several classes, by two keys, in several epochs",
  spec: "classes.md 8",
  cites: ["classes-8 `key_id = SLM_HASH", "classes-8 The signed bytes are"],
  cases: () => [
    rotated(),
    earlier(),
    later(),
    ...byKeys(),
    envelope("of-base", "a signature over a base", { subject: ref(base()) }),
    envelope("of-composition", "a signature over a composition", { subject: ref(plain()) }),
    envelope("other-type", "a statement of another type", { statement_type: "evaluation/1" }),
    envelope("times-at-ends", "times are free: what they mean is stage 28's", {
      signed_at: 2n ** 64n - 1n,
      expires_at: 0,
      trust_epoch: 2n ** 64n - 1n,
    }),
  ],
};

const receipt = (
  local: string,
  why: string,
  body: Partial<ReturnType<typeof receiptBody>>,
  more: Partial<Description> = {},
) =>
  valid(`valid/evidence/receipt-${local}`, why, {
    artifact_class: 12,
    body: { ...receiptBody(), ...body },
    dependencies: [depend("subject", model())],
    ...more,
  });

const subject = (one: ValidCase, artifact_class: number) => ({
  ...depend("subject", one),
  artifact_class,
});

export const evidence: Recipe = {
  name: "valid/evidence",
  reason: "receipts and announcements in all their states",
  spec: "classes.md 8",
  cites: [
    "classes-8 receipt-body.status",
    "classes-8 announcement-body.promotion",
    "classes-1 9, 11, 12 | one",
  ],
  cases: () => [
    receipt("fail", "a failed evaluation", { status: "fail", cases_passed: 0 }),
    receipt("pending", "one that has not run", { status: "pending", cases: 0, cases_passed: 0 }),
    receipt("more-passed-than-cases", "no relation binds the two numbers", {
      cases: 1,
      cases_passed: 2n ** 64n - 1n,
    }),
    ...Array.from(
      { length: 13 },
      (_, i) =>
        receipt(
          `subject-class-${i + 1}`,
          `a receipt of an artifact that is said to be of class ${i + 1}`,
          {},
          { dependencies: [subject(model(), i + 1)] },
        ),
    ),
    ...(["candidate", "promotable", "withdrawn"] as const).map((promotion) =>
      valid(`valid/evidence/announcement-${promotion}`, `an announcement that is ${promotion}`, {
        artifact_class: 13,
        body: { ...announcementBody([model()]), promotion, display_name: "" },
        dependencies: [depend("subject", model())],
      })
    ),
    valid(
      "valid/evidence/announcement-other-name",
      "the display name alone differs from the rich announcement's",
      {
        ...richAnnouncement().description,
        body: { ...richAnnouncement().description.body, display_name: "Another model" },
      },
    ),
  ],
};
