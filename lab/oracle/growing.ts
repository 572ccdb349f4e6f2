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

/** How many times larger than its own small size a small one must be: all else is overhead. */
const LEAST_RATIO = 2;

/** What work is counted in. */
export interface Measure {
  cost(ask: Ask): number;
  /** exponent above which work is no longer linear */
  readonly most: number;
  /** smaller sizes must show it so much clearer */
  readonly margin: number;
}

/** Processor time, which sees the platform's own code too, and is noisy. */
export const timeOf = (reader: Reader): Measure => ({
  cost: (ask) => processorTime(() => void askReader(reader, ask)),
  most: MOST_EXPONENT,
  margin: 0.15,
});

/** Steps of the reader's loops, as its build counts them: exact, so that small sizes show growth. */
export const stepsOf = (reader: Reader, steps: Uint32Array): Measure => ({
  cost(ask) {
    steps[0] = 0;
    askReader(reader, ask);
    return steps[0];
  },
  most: 1.2, // sound readers stay below 1.07 at every probe's size
  margin: 0,
});

/**
 * @param asks what is probed; all that there is where it is left out
 * @param measure of a request's work
 * @param reduced whether the smallest size is looked for that shows it; else only `most` is asked
 * @returns the first probe on which the reader's work grows faster than its input, or null
 */
export function growing(
  reader: Reader,
  asks: { readonly [name: string]: GrowingAsk } = ASKS,
  measure: Measure = timeOf(reader),
  reduced = true,
): Finding | null {
  for (const [name, { most, ask }] of Object.entries(asks)) {
    let seen = excess(ask, most, measure), n = most;
    if (seen === null) continue;
    for (let less = n >> 1; reduced && less >= STEP; less >>= 1) {
      const again = excess(ask, less, measure, measure.margin);
      if (again === null || again.size < LEAST_RATIO) break;
      [seen, n] = [again, less];
    }
    const [small, large] = pairOf(ask, n).map(({ size }) => size);
    return {
      oracle: NAME,
      class: "hang",
      key: `${NAME} ${reader.name}`, // one loop shows in several probes
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

/**
 * How work grows up to `n`, where that is too much, and is again; else null. It is held against the
 * larger of the bytes' growth and the size's: of a small file most is overhead.
 */
function excess(
  ask: GrowingAsk["ask"],
  n: number,
  { cost, most }: Measure,
  margin = 0,
): Growth | null {
  const [small, large] = pairOf(ask, n);
  const least = n / Math.floor(n / STEP);
  const measured = () => growth([small, large], cost, least);
  const isMuch = ({ exponent }: Growth) => exponent > most + margin;
  measured(); // code that has not run yet is slow
  const seen = measured();
  return isMuch(seen) && isMuch(measured()) ? seen : null;
}
