/**
 * Oracle over a reader rather than a case: structural work is linear (section 8). Each probe is
 * read at two sizes; only a clear excess counts, and only if it shows again. What shows it is then
 * made small, since a person will look at it.
 */
import type { Reader } from "../../readers/contract.ts";
import { askReader } from "../testee/open.ts";
import type { Ask } from "../testee/testee.ts";
import { ASKS, type GrowingAsk, sizeOf } from "../watchdog/asks.ts";
import { type Growth, growth, MOST_EXPONENT, processorTime } from "../watchdog/growth.ts";
import { clause } from "./clauses.ts";
import type { Finding } from "./oracle.ts";

const NAME = "growing";

/** How many times smaller the small size is; it still takes longer than the clock is coarse. */
const STEP = 10;

/** What is smaller must show it so much clearer, and so much larger than its own small size it must be. */
const MARGIN = 0.15;
const LEAST_RATIO = 2;

const microseconds = (reader: Reader) => (ask: Ask) =>
  processorTime(() => void askReader(reader, ask));

/**
 * @param asks what is probed; all that there is where it is left out
 * @param cost of a request; processor time where nothing better is at hand
 * @param reduced whether the smallest size is looked for that shows it; else only `most` is asked
 * @returns the first probe on which the reader's work grows faster than its input, or null
 */
export function growing(
  reader: Reader,
  asks: { readonly [name: string]: GrowingAsk } = ASKS,
  cost: (ask: Ask) => number = microseconds(reader),
  reduced = true,
): Finding | null {
  for (const [name, { most, ask }] of Object.entries(asks)) {
    let seen = excess(ask, most, cost), n = most;
    if (seen === null) continue;
    for (let less = n >> 1; reduced && less >= STEP; less >>= 1) {
      const again = excess(ask, less, cost, MARGIN);
      if (again === null || again.size < LEAST_RATIO) break;
      [seen, n] = [again, less];
    }
    const [small, large] = pairOf(ask, n).map(({ size }) => size);
    return {
      oracle: NAME,
      class: "hang",
      key: `${NAME} ${reader.name} ${name}`,
      detail:
        `${reader.name}: ${name}, from ${Math.floor(n / STEP)} to ${n}: ${small} to ${large} ` +
        `bytes of a request, ${seen.size.toFixed(1)} times larger, cost ` +
        `${seen.cost.toFixed(1)} times as much (exponent ${seen.exponent.toFixed(2)})`,
      clause: clause("slm2-8-8"),
      probe: `${name} ${n}`,
    };
  }
  return null;
}

/** The same kind of request at two sizes. */
const pairOf = (ask: GrowingAsk["ask"], n: number) =>
  [ask(Math.floor(n / STEP)), ask(n)].map((input) => ({ input, size: sizeOf(input) }));

/** How cost grows up to `n`, where that is too much, and is again; else null. */
function excess(
  ask: GrowingAsk["ask"],
  n: number,
  cost: (ask: Ask) => number,
  margin = 0,
): Growth | null {
  const [small, large] = pairOf(ask, n);
  const measure = () => growth([small, large], cost);
  const isMuch = ({ exponent }: Growth) => exponent > MOST_EXPONENT + margin;
  measure(); // code that has not run yet is slow
  const seen = measure();
  return isMuch(seen) && isMuch(measure()) ? seen : null;
}
