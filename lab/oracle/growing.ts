/**
 * Oracle over a reader rather than a case: structural work is linear (section 8). Each probe is
 * read at two sizes; only a clear excess counts, and only if it shows again.
 */
import type { Reader } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { growth, MOST_EXPONENT, processorTime } from "../watchdog/growth.ts";
import { largest, probe, PROBES } from "../watchdog/probes.ts";
import { clause } from "./clauses.ts";
import type { Finding } from "./oracle.ts";

const NAME = "growing";

/** How many times smaller the small size is; it still takes longer than the clock is coarse. */
const STEP = 10;

const microseconds = (reader: Reader) => (file: Uint8Array) =>
  processorTime(() => reader.read({ source: memorySource(file), pieces: false }));

/**
 * @param cost of reading a file; processor time where nothing better is at hand
 * @returns the first probe on which the reader's work grows faster than its input, or null
 */
export function growing(
  reader: Reader,
  cost: (file: Uint8Array) => number = microseconds(reader),
): Finding | null {
  for (const name of Object.keys(PROBES)) {
    const most = largest(name);
    const sizes = [probe(name, most / STEP), probe(name, most)] as const;
    const pair = sizes.map((input) => ({ input, size: input.length }));
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
