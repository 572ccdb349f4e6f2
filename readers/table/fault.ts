/** Rejections (section 1): what a check gives when the file does not hold. */
import type { Code, Reject, Section, Stage } from "../contract.ts";

/** The outcome of a check: null where the file holds. */
export type Fault = Reject | null;

/**
 * A rejection.
 * @param offset absolute offset in the file of the first byte at fault
 * @param expected what a good file has there, for people
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

/** Stage 1, whenever it is seen. */
export const SOURCE_IO: Reject = reject(
  1,
  "SourceIo",
  "none",
  undefined,
  "a source that can be read whole and keeps its size",
);
