/** Limits of section 4: the format's, and the policy's below them. */
import { type Code, type LimitName, LIMITS, type Policy } from "../contract.ts";

/** Section 1: no position, length, count product or element count passes this. */
export const MAX = Number.MAX_SAFE_INTEGER;

/** Section 4, the table. */
export const FORMAT: Readonly<Record<LimitName, number>> = {
  file_size: MAX,
  manifest_length: 4 * 2 ** 20,
  string_table_length: 16 * 2 ** 20,
  quant_count: 1024,
  tensor_count: 65_536,
  blob_count: 4096,
  auxiliary_count: 262_144,
  cbor_depth: 16,
  cbor_items: 65_536,
  cbor_text: 65_536,
  cbor_bytes: 1_048_576,
  cbor_entries: 16_384,
  rank: 8,
};

/** Section 4, last row: blobs that a reader holds whole. */
export const HELD_BLOB_LENGTH = 64 * 2 ** 20;

export type Limits = Readonly<Record<LimitName, number>>;

/** The limits under a policy: a policy value above the format limit counts as the format limit. */
export function limitsOf(policy: Policy | undefined): Limits {
  if (policy === undefined) return FORMAT;
  const limits = { ...FORMAT };
  for (const name of LIMITS) limits[name] = Math.min(policy[name] ?? FORMAT[name], FORMAT[name]);
  return limits;
}

/** A limit in words: what its policy calls it, and what it allows. */
export function within(limits: Limits, name: LimitName): string {
  return `${name} of at most ${limits[name]}`;
}

/** The code for a value over its limit, or null. */
export function overLimit(limits: Limits, name: LimitName, value: number): Code | null {
  if (value > FORMAT[name]) return "FormatLimitExceeded";
  return value > limits[name] ? "PolicyLimitExceeded" : null;
}
