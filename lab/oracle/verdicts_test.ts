import { assertEquals } from "@std/assert";
import type { Identities } from "../../readers/contract.ts";
import type { Outcome, StageRange } from "../testee/testee.ts";
import { compare, type Comparison, type Field, type Incomparable } from "./verdicts.ts";

const HASH = "00".repeat(32);
const OTHER = "11".repeat(32);
const IDENTITIES: Identities = {
  class: 1,
  whole_file: HASH,
  manifest: HASH,
  semantic_manifest: HASH,
  tensor_layout: HASH,
  artifact_id: HASH,
  profiles: [],
  tensors: [HASH, HASH],
  blobs: [],
  piece_count: 1,
  piece_root: HASH,
};

const accept = (change: Partial<Identities> = {}): Outcome => ({
  verdict: "accept",
  identities: { ...IDENTITIES, ...change },
});
const reject = (stage: number, offset?: number): Outcome => ({
  verdict: "reject",
  stage,
  code: "NonZeroPadding",
  section: "payload",
  offset,
});
const skip: Outcome = { verdict: "skip", why: "" };
const fault = (verdict: "crash" | "hang" | "memory" | "protocol"): Outcome => ({
  verdict,
  why: "",
  stderr: "",
});

const agree: Comparison = { result: "agree" };
const differ = (...fields: Field[]): Comparison => ({ result: "disagree", fields });
const cannot = (why: Incomparable): Comparison => ({ result: "incomparable", why });

const FULL: StageRange = [1, 28];
const TO_26: StageRange = [1, 26];
const TO_16: StageRange = [1, 16];

const CASES: readonly [
  name: string,
  left: Outcome,
  right: Outcome,
  wanted: Comparison,
  leftStages?: StageRange,
][] = [
  ["equal accepts", accept(), accept(), agree],
  ["equal rejects", reject(16), reject(16), agree],
  ["the offset is advice", reject(16, 3), reject(16, 9), agree],
  ["accept against reject", accept(), reject(16), differ("verdict")],
  ["another stage", reject(16), reject(24), differ("stage")],
  ["another code and section", reject(16), {
    ...reject(16),
    code: "SourceIo",
    section: "none",
  } as Outcome, differ("code", "section")],
  ["another identity", accept(), accept({ artifact_id: OTHER }), differ("artifact_id")],
  ["one hash of a list", accept(), accept({ tensors: [HASH, OTHER] }), differ("tensors")],
  ["a shorter list", accept(), accept({ tensors: [HASH] }), differ("tensors")],
  [
    "pieces on one side only",
    accept(),
    accept({ piece_count: undefined, piece_root: undefined }),
    differ("piece_count", "piece_root"),
  ],
  ["judgements have no identities", { verdict: "accept" }, { verdict: "accept" }, agree],
  ["a skip", skip, accept(), cannot("skip"), FULL],
  ["a hang is a bound, not a verdict", fault("hang"), accept(), cannot("resource")],
  ["so is memory", fault("memory"), reject(16), cannot("resource")],
  ["a bound before a fault", fault("memory"), fault("crash"), cannot("resource")],
  ["a crash", fault("crash"), accept(), cannot("fault")],
  ["a broken protocol", fault("protocol"), fault("protocol"), cannot("fault")],
  ["partial, passes what fails later", skip, reject(24), cannot("stages"), TO_16],
  ["partial, passes what is good", skip, accept(), cannot("stages"), TO_16],
  ["partial, passes what should fail", skip, reject(12), differ("verdict"), TO_16],
  ["partial, rejects what fails later", reject(12), reject(24), differ("verdict"), TO_16],
  ["partial, rejects what is good", reject(12), accept(), differ("verdict"), TO_16],
  ["partial, rejects beyond its stages", reject(18), reject(18), cannot("stages"), TO_16],
  ["partial, rejects alike", reject(16), reject(16), agree, TO_16],
  ["partial, accepts what fails later", accept(), reject(24), differ("verdict"), TO_16],
  ["partial, accepts rightly", accept(), accept(), agree, TO_16],
  ["expectations beyond its stages", accept(), reject(27), cannot("stages"), TO_26],
  ["expectations within its stages", accept(), reject(27), differ("verdict"), FULL],
  ["begins later than the failure", accept(), reject(5), cannot("stages"), [17, 26]],
];

for (const [name, left, right, wanted, stages] of CASES) {
  Deno.test(`two outcomes: ${name}`, () => {
    assertEquals(compare({ outcome: left, stages }, { outcome: right }), wanted);
    assertEquals(compare({ outcome: right }, { outcome: left, stages }), wanted, "turned round");
  });
}

Deno.test("two partial testees that pass say nothing about each other", () => {
  const side = { outcome: skip, stages: TO_16 };
  assertEquals(compare(side, side), cannot("stages"));
});
