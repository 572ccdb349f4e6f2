/** A verdict in the words of a bucket key. */
import type { Outcome } from "../testee/testee.ts";

/** `accept`, or stage, code and section of a rejection; never an offset or a free text. */
export function tupleOf(outcome: Outcome): string {
  return outcome.verdict === "reject"
    ? `${outcome.stage} ${outcome.code} [${outcome.section}]`
    : outcome.verdict;
}
