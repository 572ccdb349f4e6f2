/** What a testee is: who it says it is, what it is asked, what comes back (testee.md). */
import type {
  Hex,
  Identities,
  Judgement,
  PieceRequest,
  Policy,
  SignatureRequest,
  Skip,
  Verdict,
} from "../../readers/contract.ts";

export const OPS = ["read", "piece", "signature"] as const;
export type Op = typeof OPS[number];

/** First and last validation stage that a testee implements, both inclusive. */
export type StageRange = readonly [first: number, last: number];

/** Stage at which a reader ends without expectations (slm2.md section 8). */
export const LAST_READER_STAGE = 26;

/** How a testee introduces itself (testee.md 1). Foreign text: escape before showing it. */
export interface TesteeInfo {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  readonly stages: StageRange;
  readonly ops: readonly Op[];
}

/**
 * Bytes by value, or by a path that the testee opens itself. An id that a store claims for the bytes
 * is for readers of the house alone: testee.md has no word for it.
 */
export type Artifact =
  | { readonly path: string }
  | { readonly bytes: Uint8Array; readonly claimed_id?: Hex };

export interface ReadAsk {
  readonly op: "read";
  readonly artifact: Artifact;
  readonly policy?: Policy;
  readonly expect?: { readonly whole_file?: Hex; readonly artifact_id?: Hex };
  readonly pieces?: boolean;
  readonly resolve?: readonly Artifact[];
  readonly runtime_memory?: number;
}
export interface PieceAsk {
  readonly op: "piece";
  readonly set: Artifact;
  readonly index: number;
  readonly data: Uint8Array;
  readonly proof?: readonly Hex[];
  readonly subject?: PieceRequest["subject"];
}
export interface SignatureAsk
  extends Pick<SignatureRequest, "trust" | "now" | "subject" | "statement"> {
  readonly op: "signature";
  readonly envelope: Artifact;
}
/** One request. */
export type Ask = ReadAsk | PieceAsk | SignatureAsk;

/** The keys that identities have (slm2.md section 9), in the spec's order. */
export const IDENTITY_NAMES = [
  "class",
  "whole_file",
  "manifest",
  "semantic_manifest",
  "tensor_layout",
  "artifact_id",
  "profiles",
  "tensors",
  "blobs",
  "piece_count",
  "piece_root",
] as const satisfies readonly (keyof Identities)[];

/** What the lab says where a testee gave no answer. */
export const FAULTS = ["crash", "hang", "memory", "protocol"] as const;
export interface Fault {
  readonly verdict: typeof FAULTS[number];
  /** what happened, in a few words; may quote the testee */
  readonly why: string;
  /** the last of what the testee wrote to standard error, at most `STDERR_TAIL` bytes of it */
  readonly stderr: string;
}

/** The seven results of one request. */
export type Outcome = Verdict | Judgement | Skip | Fault;

export function isFault(outcome: Outcome): outcome is Fault {
  return (FAULTS as readonly string[]).includes(outcome.verdict);
}

/** Bytes of standard error that are kept of a program. */
export const STDERR_TAIL = 64 * 1024;

/** Something that answers requests, one at a time. */
export interface Testee {
  readonly info: TesteeInfo;
  /** what the lab could not watch, such as memory on a system that does not show it */
  readonly notes: readonly string[];
  /** Never throws for what a testee does: that is an outcome. */
  ask(ask: Ask): Promise<Outcome>;
  /** Ends it. @returns what was wrong with its end, or null */
  close(): Promise<string | null>;
}
