/**
 * Oracle over provenance and receipts: activation holds what they say against what is asked of it,
 * no more and no less (slm2.md section 8, stages 29 and 30; classes.md section 8 and Decision 18).
 */
import type { Candidate, Value } from "../../readers/contract.ts";
import { type AdmissionPolicy, admit } from "../../readers/runtime/policy.ts";
import { memorySource } from "../../readers/source.ts";
import { clause } from "./clauses.ts";
import type { Observation, Oracle } from "./oracle.ts";
import { onAccepted, type RuntimeFlaw } from "./runtime.ts";
import { throwPlace } from "./total.ts";

const PROVENANCE = 11, RECEIPT = 12;
const STRANGE = "ff".repeat(32);

/** What is asked of the artifact that the evidence is about, or of `another`, and the code that is right. */
interface Question {
  readonly ask: AdmissionPolicy;
  readonly another?: boolean;
  readonly right: string | null;
}

export function evidence(hold: typeof admit = admit): Oracle {
  return (observation) =>
    onAccepted("evidence", [PROVENANCE, RECEIPT], throwPlace, ({ candidate }) => {
      for (const question of questionsOf(candidate)) {
        const said = answer(hold, observation, candidate, question);
        if (said !== question.right) return flaw(question, said);
      }
      return null;
    })(observation);
}

function questionsOf({ artifact_class, manifest }: Candidate): Question[] {
  const body = manifest.get("body") as ReadonlyMap<string, Value>;
  if (artifact_class === RECEIPT) {
    const scope = body.get("scope") as string;
    const passed = body.get("status") === "pass" && body.get("cases") === body.get("cases_passed");
    const missing = "ReceiptMissing";
    return [
      { ask: { receipts: [scope] }, right: passed ? null : "ReceiptFailed" },
      { ask: { receipts: [`${scope}x`] }, right: missing },
      { ask: { receipts: [scope] }, another: true, right: missing },
    ];
  }
  const licenses = body.get("licenses") as readonly string[];
  return [
    { ask: { provenance: true, licenses }, right: null },
    { ask: { provenance: true }, another: true, right: "ProvenanceMissing" },
    { ask: { licenses: [] }, another: true, right: null },
    ...licenses.map((one) => ({
      ask: { licenses: licenses.filter((other) => other !== one) },
      right: "LicenseNotAllowed",
    })),
  ];
}

/** The code that activation gives; null where it has nothing against the artifact. */
function answer(
  hold: typeof admit,
  { bytes, seen }: Observation,
  candidate: Candidate,
  { ask, another = false }: Question,
): string | null {
  const { reader } = seen.find(({ outcome }) => outcome.verdict === "accept")!;
  const [row] = candidate.manifest.get("dependencies") as readonly ReadonlyMap<string, Value>[];
  const hex = (key: string) => (row.get(key) as Uint8Array | null)?.toHex();
  const subject: Candidate = {
    ...candidate,
    identities: {
      ...candidate.identities,
      artifact_id: another ? STRANGE : hex("id")!,
      whole_file: hex("whole_file") ?? candidate.identities.whole_file,
    },
  };
  const policy = { ...ask, evidence: [memorySource(bytes)] };
  return hold(reader, subject, [subject], policy)?.code ?? null;
}

function flaw({ ask, another, right }: Question, said: string | null): RuntimeFlaw {
  const stage = ask.receipts ? 30 : 29;
  return {
    what: `${right ?? "accept"}${another ? " of another" : ""}`,
    class: "disagreement",
    detail: `asked ${JSON.stringify(ask)}: ${said ?? "accepted"}, right is ${right ?? "accepted"}`,
    clause: clause(`slm2-8.${stage}-1`),
  };
}
