/** Section 4: format limits, and the policy limits that a caller may set below them. */
import { type Code, type LimitName, LIMITS, type Policy } from "../contract.ts";
import { MAX } from "./bytes.ts";

export type Limits = Readonly<Record<LimitName, number>>;

/** The table of section 4, in its order. */
export const FORMAT: Limits = {
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

/** The limits in force: a policy value above the format limit counts as the format limit. */
export function limitsOf(policy: Policy | undefined): Limits {
  if (policy === undefined) return FORMAT;
  const limits = { ...FORMAT };
  for (const name of LIMITS) limits[name] = Math.min(policy[name] ?? FORMAT[name], FORMAT[name]);
  return limits;
}

/** What is expected where a limit is passed: its name, as a policy has it, and its value. */
export const atMost = (limits: Limits, name: LimitName): string =>
  `${name} of at most ${limits[name]}`;

/** The code for `value` over the limit `name`, or null where it is not. */
export function overLimit(limits: Limits, name: LimitName, value: number): Code | null {
  if (value <= limits[name]) return null;
  return value > FORMAT[name] ? "FormatLimitExceeded" : "PolicyLimitExceeded";
}
