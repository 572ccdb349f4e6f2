import { assert, assertEquals } from "@std/assert";
import { ed25519 } from "@noble/curves/ed25519.js";
import type { ProvenanceBody, ReceiptBody } from "../../corpus/writer/bodies.ts";
import { dependency } from "../../corpus/writer/build/composition.ts";
import { signatureEnvelope } from "../../corpus/writer/build/evidence.ts";
import type { Reference } from "../../corpus/writer/description.ts";
import { keyId } from "../../corpus/writer/identity.ts";
import type { Source, Trust } from "../contract.ts";
import { memorySource } from "../source.ts";
import { activate } from "./activation.ts";
import { isReject } from "./outcome.ts";
import type { AdmissionPolicy } from "./policy.ts";
import { request, type World, world, written } from "./testing.ts";

const it = world();
const ARTIFACTS = [it.base, it.tokenizer];
const SOME = new Uint8Array(32).fill(1);

function provenance(subject: Reference, licenses: readonly string[]): Source {
  const body: ProvenanceBody = {
    converter: { commit: "none", executable: SOME },
    licenses,
    notices: [],
    receipt: null,
    reproducible: "byte",
    sources: [],
    subject: Uint8Array.fromHex(subject.artifact_id),
    toolchain: {},
  };
  return artifact(11, body, subject);
}

function receipt(subject: Reference, more: Partial<ReceiptBody> = {}): Source {
  const body: ReceiptBody = {
    cases: 10,
    cases_passed: 10,
    dataset: SOME,
    evaluator: "lab/compare",
    scope: "logits",
    status: "pass",
    subject: Uint8Array.fromHex(subject.artifact_id),
    subject_whole_file: Uint8Array.fromHex(subject.whole_file),
    ...more,
  };
  return artifact(12, body, subject);
}

function artifact(
  artifact_class: number,
  body: ProvenanceBody | ReceiptBody,
  subject: Reference,
): Source {
  const dependencies = [dependency("subject", subject)];
  return memorySource(written({ artifact_class, body, dependencies }).bytes);
}

async function outcome(policy: AdmissionPolicy, of: World = it): Promise<string> {
  const result = await activate(request(of, { policy }));
  return isReject(result) ? `${result.stage} ${result.code} [${result.section}]` : "active";
}

Deno.test("policy: by default nothing is asked", async () => {
  assertEquals(await outcome({}), "active");
});

Deno.test("policy: licences: every stated expression must be allowed", async () => {
  const evidence = ARTIFACTS.map(({ identities }) => provenance(identities, ["CC0-1.0", "MIT"]));
  assertEquals(await outcome({ licenses: ["CC0-1.0", "MIT"], evidence }), "active");
  const refused = "29 LicenseNotAllowed [none]";
  assertEquals(await outcome({ licenses: ["MIT"], evidence }), refused);
  assertEquals(await outcome({ licenses: ["MIT"], evidence: [], provenance: false }), "active");
});

Deno.test("policy: provenance: asked of every dependency, of just that artifact", async () => {
  const all = ARTIFACTS.map(({ identities }) => provenance(identities, []));
  assertEquals(await outcome({ provenance: true, evidence: all }), "active");
  const missing = "29 ProvenanceMissing [none]";
  assertEquals(await outcome({ provenance: true }), missing);
  for (const one of all) {
    assertEquals(await outcome({ provenance: true, evidence: [one] }), missing);
  }
  const strange = provenance({ ...it.base.identities, artifact_id: "ab".repeat(32) }, ["GPL-3.0"]);
  assertEquals(await outcome({ provenance: true, evidence: [all[1], strange] }), missing);
  assertEquals(await outcome({ licenses: ["MIT"], evidence: [strange] }), "active");
});

Deno.test("policy: receipts: of each scope asked, of this very file, all passed", async () => {
  const of = it.composition.identities;
  const receipts = ["logits"];
  const tried = (...evidence: Source[]) => outcome({ receipts, evidence });
  assertEquals(await tried(receipt(of)), "active");
  const missing = "30 ReceiptMissing [none]", failed = "30 ReceiptFailed [none]";
  assertEquals(await tried(), missing);
  assertEquals(await tried(receipt(of, { scope: "safety" })), missing);
  assertEquals(await tried(receipt(it.base.identities)), missing);
  assertEquals(await tried(receipt({ ...of, whole_file: "ab".repeat(32) })), missing);
  assertEquals(await tried(receipt(of, { status: "pending" })), failed);
  assertEquals(await tried(receipt(of, { cases_passed: 9 })), failed);
  const wide = { cases: 2n ** 64n - 3n, cases_passed: 2n ** 64n - 1n };
  assertEquals(await tried(receipt(of, wide)), failed);
  assertEquals(await tried(receipt(of, { ...wide, cases_passed: wide.cases })), "active");
  assertEquals(await tried(receipt(of), receipt(of, { status: "fail" })), failed);
});

Deno.test("policy: evidence that a reader rejects is none", async () => {
  const good = receipt(it.composition.identities);
  const cut = new Uint8Array(good.size() - 1);
  good.read(0, cut);
  assertEquals(
    await outcome({ receipts: ["logits"], evidence: [memorySource(cut)] }),
    "30 ReceiptMissing [none]",
  );
});

Deno.test("policy: each envelope must be a good signature of this composition", async () => {
  const seed = new Uint8Array(32).fill(9);
  const public_key = ed25519.getPublicKey(seed);
  const trust: Trust = {
    epoch: 1,
    keys: [{
      key_id: keyId(public_key).toHex(),
      public_key: public_key.toHex(),
      roles: ["release"],
      valid_from: 0,
      valid_until: 1000,
    }],
    revoked: [],
  };
  const signed = (subject: Reference) =>
    memorySource(
      written(signatureEnvelope({
        subject,
        seed,
        statement_type: "release",
        statement_hash: SOME,
        signed_at: 10,
        expires_at: 100,
        trust_epoch: 1,
      })).bytes,
    );
  const tried = (envelope: Source, now = 50) =>
    outcome({ signatures: { envelopes: [envelope], trust, now } });
  const envelope = signed(it.composition.identities);
  assertEquals(await tried(envelope), "active");
  assertEquals(await tried(envelope, 100), "28 SignatureExpired [none]");
  assertEquals(await tried(signed(it.base.identities)), "28 SignatureSubject [none]");
  assert((await tried(memorySource(it.base.bytes))).startsWith("28 "));
});
