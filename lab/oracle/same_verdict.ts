/** Oracle: readers give one verdict, whole: stage, code and section, or acceptance. */
import type { Reject } from "../../readers/contract.ts";
import { clause, clauseOf, earlier } from "./clauses.ts";
import { type Answer, type Answers, type Finding, tuples } from "./oracle.ts";

const NAME = "same-verdict";

/**
 * The key names the earliest check on which two readers part, and who says that it fails: the
 * other one skips it, so whatever it says later depends on the rest of the file.
 */
export function sameVerdict(answers: Answers): Finding | null {
  const [first, ...others] = answers.seen;
  for (const other of others) {
    const a = first.outcome, b = other.outcome;
    if (a.verdict === "throw" || b.verdict === "throw") continue; // another oracle's
    if (a.verdict === b.verdict && a.verdict !== "reject") continue;
    if (a.verdict === "reject" && b.verdict === "reject" && equal(a, b)) continue;
    const finding = { oracle: NAME, class: "disagreement", detail: tuples(answers) } as const;
    const strict = strictOf(first, other, answers.bytes);
    if (strict === null) {
      const who = a.verdict === "skip" ? first : other;
      return { ...finding, key: `${NAME} skip ${who.reader.name}`, clause: clause("slm2-1-8") };
    }
    const [rejection, who] = strict;
    const { stage, code } = rejection;
    return {
      ...finding,
      key: `${NAME} ${stage} ${code} ${
        placeOf(rejection, who === other.reader.name ? a : b)
      } ${who}`,
      clause: clauseOf(rejection),
    };
  }
  return null;
}

/** Stages whose text has one check for every present section: which one shows it first is chance. */
const EVERY_SECTION: readonly number[] = [13, 14, 15, 16];

/** What of the section belongs to the cause. @param said what the other one says */
function placeOf({ stage, code, section }: Reject, said: Answer["outcome"]): string {
  if (!EVERY_SECTION.includes(stage)) return section;
  const misnamed = said.verdict === "reject" && said.stage === stage && said.code === code;
  return misnamed ? "misnamed" : "any";
}

const equal = (a: Reject, b: Reject): boolean =>
  a.stage === b.stage && a.code === b.code && a.section === b.section;

/** The rejection of the earlier check, and who gave it; null where nobody rejects. */
function strictOf(one: Answer, other: Answer, file: Uint8Array): [Reject, string] | null {
  const a = one.outcome, b = other.outcome;
  if (a.verdict !== "reject") return b.verdict === "reject" ? [b, other.reader.name] : null;
  const first = b.verdict !== "reject" || earlier(a, b, file) <= 0;
  return first ? [a, one.reader.name] : [b, other.reader.name];
}
