/** How a rejection is made (sections 1 and 8). */
import type { Code, Reject, Section, Stage } from "../contract.ts";

/**
 * A rejection.
 *
 * @param offset absolute offset of the first byte of the field or item at fault
 * @param expected what a good file has there, in a few words
 */
export function reject(
  stage: Stage,
  code: Code,
  section: Section,
  offset?: number,
  expected?: string,
): Reject {
  return { verdict: "reject", stage, code, section, offset, expected };
}
