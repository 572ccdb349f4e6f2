/**
 * Oracle over a reader rather than a case: structural work is linear (section 8). Each probe is
 * read at two sizes; only a clear excess counts, and only if it shows again.
 */
import type { Reader } from "../../readers/contract.ts";
import { askReader } from "../testee/open.ts";
import type { Ask } from "../testee/testee.ts";
import { ASKS, type GrowingAsk, sizeOf } from "../watchdog/asks.ts";
import { growth, MOST_EXPONENT, processorTime } from "../watchdog/growth.ts";
import { clause } from "./clauses.ts";
import type { Finding } from "./oracle.ts";

const NAME = "growing";

/** How many times smaller the small size is; it still takes longer than the clock is coarse. */
const STEP = 10;

const microseconds = (reader: Reader) => (ask: Ask) =>
  processorTime(() => void askReader(reader, ask));

/**
 * @param asks what is probed; all that there is where it is left out
 * @param cost of a request; processor time where nothing better is at hand
 * @returns the first probe on which the reader's work grows faster than its input, or null
 */
export function growing(
  reader: Reader,
  asks: { readonly [name: string]: GrowingAsk } = ASKS,
  cost: (ask: Ask) => number = microseconds(reader),
): Finding | null {
  for (const [name, { most, ask }] of Object.entries(asks)) {
    const pair = [ask(most / STEP), ask(most)].map((input) => ({ input, size: sizeOf(input) }));
    const measure = () => growth([pair[0], pair[1]], cost);
    measure(); // code that has not run yet is slow
    const seen = measure();
    if (seen.exponent <= MOST_EXPONENT || measure().exponent <= MOST_EXPONENT) continue;
    return {
      oracle: NAME,
      class: "hang",
      key: `${NAME} ${reader.name} ${name}`,
      detail: `${reader.name}: ${name} ${seen.size.toFixed(1)} times larger costs ` +
        `${seen.cost.toFixed(1)} times as much (exponent ${seen.exponent.toFixed(2)})`,
      clause: clause("slm2-8-8"),
    };
  }
  return null;
}
