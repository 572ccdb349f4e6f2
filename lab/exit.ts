/** Exit codes, the same for every command (the house's command line). */
export const EXIT = {
  /** what was asked holds */
  holds: 0,
  /** it does not hold: rejected, mismatch, finding */
  broken: 1,
  /** usage or I/O error: the question could not be put */
  usage: 2,
  /** two implementations disagree: the release stop */
  disagree: 3,
} as const;
export type ExitCode = typeof EXIT[keyof typeof EXIT];

/**
 * A mistake of the person or the machine, not of the lab: `main.ts` prints the message
 * without a stack and exits with 2.
 */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Sets the code with which the process will exit. A later, graver code wins over an
 * earlier one; the process runs to its natural end, so that output is written fully.
 */
export function setExit(code: ExitCode): void {
  if (code > (Deno.exitCode ?? 0)) Deno.exitCode = code;
}
