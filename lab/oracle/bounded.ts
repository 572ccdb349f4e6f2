/** Oracle: work and memory stay inside the formulas of section 8. */
import { BOUNDS, breachOf } from "../watchdog/bounds.ts";
import { clause } from "./clauses.ts";
import { type Finding, type Observation, tuple } from "./oracle.ts";

const NAME = "bounded";

export function bounded({ bytes, seen }: Observation): Finding | null {
  for (const one of seen) {
    if (one.outcome.verdict === "throw") continue;
    const breach = breachOf(one, bytes, one.outcome);
    if (breach === null) continue;
    const { bound, counted, most } = breach;
    return {
      oracle: NAME,
      class: "memory",
      key: `${NAME} ${one.reader.name} ${bound}`,
      detail: `${one.reader.name}: ${bound} ${counted}, at most ${most}; ${tuple(one.outcome)}`,
      clause: clause(BOUNDS[bound]),
    };
  }
  return null;
}
