/**
 * The report's stop rules: "No real model is repacked or publicly announced while any of the
 * following remains". One is `held` where what it names does not remain.
 */
import { CHECKS } from "./evidence.ts";
import type { Requirement } from "./check.ts";

export const STOP_RULES: readonly Requirement[] = [
  {
    id: "S1",
    sentence: "The current private tensor semantics are not mapped and reviewed.",
    checks: [{ receipt: "S1", asks: "the private tensor semantics were mapped and reviewed" }],
  },
  {
    id: "S2",
    sentence: "An SLM2 field has two plausible interpretations.",
    checks: [{ live: "disagreements" }, { live: "clauses" }, CHECKS.corpus],
  },
  {
    id: "S3",
    sentence: "Native and Wasm readers disagree.",
    checks: [{ live: "agreement" }, { live: "disagreements" }, CHECKS.conform, CHECKS.browser],
  },
  { id: "S4", sentence: "Writer output is not byte-reproducible.", checks: [CHECKS.corpus] },
  {
    id: "S5",
    sentence: "Any malformed input panics or allocates beyond policy.",
    checks: [{ live: "findings" }, CHECKS.fuzz, CHECKS.resources],
  },
  {
    id: "S6",
    sentence: "Hash verification occurs after activation.",
    checks: [CHECKS.activation],
  },
  {
    id: "S7",
    sentence: "Unknown critical fields are accepted.",
    checks: [{ live: "agreement" }, CHECKS.conform],
  },
  {
    id: "S8",
    sentence: "A quant profile lacks exact test vectors or backend capability proof.",
    checks: [CHECKS.quant, CHECKS.compare],
  },
  {
    id: "S9",
    sentence: "Adapter ordering or base binding is ambiguous.",
    checks: [CHECKS.adapters, CHECKS.compare],
  },
  {
    id: "S10",
    sentence: "Tokenizer or template behavior differs from the source model.",
    checks: [CHECKS.tokenizers],
  },
  {
    id: "S11",
    sentence: "Browser peak memory exceeds the supported device policy.",
    checks: [CHECKS.browser, {
      receipt: "S11",
      asks: "the browser's peak memory is within the policy of the supported devices",
    }],
  },
  {
    id: "S12",
    sentence: "License or provenance review is incomplete.",
    checks: [{ receipt: "S12", asks: "the review of licenses and provenance is complete" }],
  },
  {
    id: "S13",
    sentence: "Quality receipt requirements are absent.",
    checks: [{ receipt: "S13", asks: "the requirements for quality receipts are laid down" }],
  },
  {
    id: "S14",
    sentence: "Conversion logits exceed an approved tolerance.",
    checks: [CHECKS.compare, { receipt: "S14", asks: "the tolerances of compare are approved" }],
  },
  {
    id: "S15",
    sentence: "The old implementation cannot yet be deleted cleanly.",
    checks: [{ receipt: "S15", asks: "the old implementation can be deleted cleanly" }],
  },
];
