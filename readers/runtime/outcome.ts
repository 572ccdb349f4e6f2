/**
 * What went wrong, as a value: the runtime answers with the codes of slm2.md section 8 that
 * belong to activation (stages 25 to 32), in the same type as a reader's rejection.
 */
import { type Code, CODES, type Reject, type Section, type Stage } from "../contract.ts";

/**
 * A rejection at `stage`. `expected` says in a few words what was wanted.
 * @throws Error where section 8 does not know that code at that stage: a bug
 */
export function reject(
  stage: Stage,
  code: Code,
  expected?: string,
  section: Section = "none",
): Reject {
  if (!(CODES[code] as readonly Stage[]).includes(stage)) {
    throw new Error(`${code} is no code of stage ${stage}`);
  }
  return { verdict: "reject", stage, code, section, ...(expected && { expected }) };
}

/** Tells a rejection from whatever else a function gives. */
export function isReject(value: unknown): value is Reject {
  return typeof value === "object" && value !== null && "verdict" in value &&
    value.verdict === "reject";
}
