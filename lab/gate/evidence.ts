/** The report's "Evidence required before the first real repack", each with its checks. */
import type { Bound, Check, Requirement } from "./check.ts";

const none = (figure: string): Bound => ({ figure, most: 0 });
const some = (figure: string, least = 1): Bound => ({ figure, least });

/** A part of the nightly that runs tests: all pass, none is left out for want of data. */
const tests = (record: string): Check => ({
  record,
  bounds: [some("passed"), none("failed"), none("ignored")],
});

/** Records that several requirements rely on. */
export const CHECKS = {
  corpus: {
    record: "corpus",
    bounds: [some("cases"), none("faults"), none("uncovered"), none("stale")],
  },
  conform: {
    record: "conform",
    bounds: [some("testees", 2), some("cases"), none("failing"), none("contradictions")],
  },
  browser: {
    record: "browser",
    bounds: [some("testees", 4), some("cases"), none("failing"), none("contradictions")],
  },
  fuzz: {
    record: "fuzz",
    bounds: [some("executions", 100_000), some("seconds", 30), some("edges"), none("findings")],
  },
  compare: { record: "compare", bounds: [some("held"), none("breaches")] },
  resources: tests("resources"),
  quant: tests("quant"),
  tokenizers: tests("tokenizers"),
  atomic: tests("atomic"),
  pieces: tests("pieces"),
  activation: tests("activation"),
  adapters: tests("adapters"),
} as const satisfies Record<string, Check>;

export const EVIDENCE: readonly Requirement[] = [
  {
    id: "E1",
    sentence: "Ratified SLM2 2.0 specification and constants.",
    checks: [{ live: "ratified" }, { live: "clauses" }, CHECKS.corpus],
  },
  {
    id: "E2",
    sentence: "Full source pins for all imported algorithms and Unicode data.",
    checks: [{ live: "pins" }],
  },
  {
    id: "E3",
    sentence: "Independent reader agreement on the conformance corpus.",
    checks: [{ live: "agreement" }, { live: "independence" }, CHECKS.conform],
  },
  {
    id: "E4",
    sentence: "Zero-panic fuzz campaign with recorded duration and corpus.",
    checks: [{ live: "findings" }, CHECKS.fuzz],
  },
  {
    id: "E5",
    sentence: "Bounded-memory tests at maximum policy counts.",
    checks: [CHECKS.resources],
  },
  {
    id: "E6",
    sentence: "Native/Wasm hash and identity parity.",
    checks: [CHECKS.conform, CHECKS.browser],
  },
  {
    id: "E7",
    sentence: "Every enabled quant profile’s encode/decode vectors.",
    checks: [CHECKS.quant],
  },
  {
    id: "E8",
    sentence: "Source tokenizer and template equivalence tests.",
    checks: [CHECKS.tokenizers],
  },
  {
    id: "E9",
    sentence: "Representative model logits and generation comparison.",
    checks: [CHECKS.compare],
  },
  { id: "E10", sentence: "Fail-atomic crash tests.", checks: [CHECKS.atomic] },
  {
    id: "E11",
    sentence: "P2P corruption, interruption, and multi-peer tests.",
    checks: [CHECKS.pieces, {
      receipt: "E11",
      asks: "interruption and several peers were tested with the transport that ships",
    }],
  },
  {
    id: "E12",
    sentence: "Provenance and license review workflow.",
    checks: [{ receipt: "E12", asks: "provenance and licenses were reviewed" }],
  },
  {
    id: "E13",
    sentence: "Evaluation-receipt admission policy.",
    checks: [{ receipt: "E13", asks: "the policy for evaluation receipts was approved" }],
  },
  {
    id: "E14",
    sentence: "Catalog proof that model bytes are neither hosted nor proxied.",
    checks: [{ receipt: "E14", asks: "the catalog neither hosts nor proxies model bytes" }],
  },
  {
    id: "E15",
    sentence: "Signed review approving deletion of the unpublished format.",
    checks: [{ receipt: "E15", asks: "the unpublished format may be deleted" }],
  },
];
