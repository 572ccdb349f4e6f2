/**
 * Side-by-side measurement. These machines are shared and noisy, so everything that is
 * compared runs interleaved, round by round in one process, and only ratios of medians count.
 */

/** Something to measure: runs once and says how much work that was. */
export interface Contestant {
  readonly name: string;
  /** @returns units of work done (bytes, verdicts, tokens) */
  run(): number;
}

export interface Rate {
  readonly name: string;
  /** units a second: the median of the rounds */
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Something to measure that takes turns of the event loop. */
export interface LaterContestant {
  readonly name: string;
  run(): Promise<number>;
}

/** Runs all contestants `rounds` times in turn, after one round that does not count. */
export function interleave(contestants: readonly Contestant[], rounds: number): Rate[] {
  const rates = contestants.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    contestants.forEach((contestant, i) => {
      const begun = performance.now();
      const work = contestant.run();
      const seconds = (performance.now() - begun) / 1000;
      if (round >= 0) rates[i].push(work / seconds);
    });
  }
  return contestants.map(({ name }, i) => rateOf(name, rates[i]));
}

/** As `interleave`. */
export async function interleaveLater(
  contestants: readonly LaterContestant[],
  rounds: number,
): Promise<Rate[]> {
  const rates = contestants.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      const begun = performance.now();
      const work = await contestant.run();
      const seconds = (performance.now() - begun) / 1000;
      if (round >= 0) rates[i].push(work / seconds);
    }
  }
  return contestants.map(({ name }, i) => rateOf(name, rates[i]));
}

function rateOf(name: string, rates: readonly number[]): Rate {
  const sorted = rates.toSorted((a, b) => a - b);
  return {
    name,
    median: sorted[sorted.length >> 1],
    least: sorted[0],
    most: sorted[sorted.length - 1],
  };
}

/** One line of a bench: a measured value, and what it must reach. */
export interface Row {
  readonly group: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** what the value is a ratio to, where it is one */
  readonly against?: string;
  readonly least?: number;
  readonly most?: number;
  /** why there is no value here (which is then NaN): a yardstick that the machine lacks */
  readonly missing?: string;
}

/** Whether a row holds its bound; undefined where it has none, or no value. */
export function holds({ value, least, most, missing }: Row): boolean | undefined {
  if (missing !== undefined || (least === undefined && most === undefined)) return undefined;
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}
