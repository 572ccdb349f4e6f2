/** Oracle: readers give one verdict, whole: stage, code and section, or acceptance. */
import type { Reject } from "../../readers/contract.ts";
import { checkOf, earlier } from "./clauses.ts";
import { type Finding, type Observation, type Seen, tuples } from "./oracle.ts";

const NAME = "same-verdict";

/**
 * The key names the earliest check on which two readers part, and who says that it fails: the
 * other one skips it, so whatever it says later depends on the rest of the file.
 */
export function sameVerdict(observation: Observation): Finding | null {
  const [first, ...others] = observation.seen;
  for (const other of others) {
    const a = first.outcome, b = other.outcome;
    if (a.verdict === "throw" || b.verdict === "throw") continue; // another oracle's
    if (a.verdict === "accept" && b.verdict === "accept") continue;
    if (a.verdict === "reject" && b.verdict === "reject" && equal(a, b)) continue;
    const [verdict, who] = strict(first, other);
    const { stage, code, section } = verdict;
    return {
      oracle: NAME,
      class: "disagreement",
      key: `${NAME} ${stage} ${code} ${section} ${who}`,
      detail: tuples(observation),
      clause: checkOf(stage, code)?.clause ?? null,
    };
  }
  return null;
}

const equal = (a: Reject, b: Reject): boolean =>
  a.stage === b.stage && a.code === b.code && a.section === b.section;

/** The rejection of the earlier check, and the reader that gave it. */
function strict(one: Seen, other: Seen): [Reject, string] {
  const a = one.outcome as Reject, b = other.outcome as Reject;
  const first = b.verdict !== "reject" || a.verdict === "reject" && earlier(a, b) <= 0;
  return first ? [a, one.reader.name] : [b, other.reader.name];
}
