/** What can be wrong with a description, and the limits that it can exceed. */

/** The closed list of what can be wrong with a description. */
export type WriteCode =
  | "UnknownClass"
  | "TableNotPermitted"
  | "BadText"
  | "BadInteger"
  | "LimitExceeded"
  | "RepeatedMember"
  | "RepeatedExtension"
  | "BadIdentifier"
  | "BadDigest"
  | "DuplicateName"
  | "UnknownType"
  | "UnusedProfile"
  | "BadPosition"
  | "BadShape"
  | "TailRule"
  | "PayloadLength"
  | "PayloadShort"
  | "BadAlignment"
  | "BadKind"
  | "UnknownTensor"
  | "BadAuxiliary";

/** A fault: what, where in the description, and what would be right. */
export interface WriteError {
  readonly code: WriteCode;
  /** a path as `tensors[2].shape`, counted as written down */
  readonly where: string;
  readonly expected: string;
}

/** Whether a result of the writer is a fault. */
export const isWriteError = (result: object): result is WriteError =>
  "code" in result && "where" in result && "expected" in result;

export const fault = (code: WriteCode, where: string, expected: string): WriteError => ({
  code,
  where,
  expected,
});

/** Section 1. */
export const MAX = Number.MAX_SAFE_INTEGER;

/** Section 4, and classes.md section 1: the format limits that a description can exceed. */
export const LIMITS = {
  manifest_length: 4 << 20,
  string_table_length: 16 << 20,
  profiles: 1024,
  tensors: 65536,
  blobs: 4096,
  dependencies: 256,
  extensions: 64,
  auxiliaries: 262144,
  cbor_depth: 16,
  cbor_items: 65536,
  cbor_text: 65536,
  cbor_bytes: 1 << 20,
  cbor_entries: 16384,
  rank: 8,
  judged_blob: 64 << 20,
} as const;

/** Section 6, in a few words. */
export const IDENTIFIER = "[a-z0-9][a-z0-9._/-]{0,254} without empty, . or .. components";
