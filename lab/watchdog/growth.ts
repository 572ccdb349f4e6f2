/**
 * Work that grows faster than its input: the same kind of artifact at two sizes, and the ratio of
 * what they cost. A bound on a ratio needs no fast machine, and processor time no quiet one.
 */

import process from "node:process";

/** What `cost` of an input is counted in does not matter; time and executed edges both do. */
export interface Growth {
  /** how many times larger the larger input is, and how many times more it cost */
  readonly size: number;
  readonly cost: number;
  /** log(cost) / log(size): 1 is linear, 2 is quadratic */
  readonly exponent: number;
}

/** Linear work with a logarithm and a cold cache stays below, quadratic work is far above. */
export const MOST_EXPONENT = 1.5;

/** The clock of a thread may be as coarse as 10 ms; calls are repeated until it has seen this. */
const ENOUGH_MICROSECONDS = 60_000;

/** Microseconds of processor time that a call takes this thread: no other thread or process counts. */
export function processorTime(call: () => void): number {
  const begin = process.threadCpuUsage();
  for (let calls = 1;; calls++) {
    call();
    const { user, system } = process.threadCpuUsage(begin);
    if (user + system >= ENOUGH_MICROSECONDS) return (user + system) / calls;
  }
}

/**
 * How cost grows from a small input to a larger one of the same kind.
 * @param least the larger one counts as so many times larger at least
 */
export function growth<T>(
  [small, large]: readonly [{ input: T; size: number }, { input: T; size: number }],
  cost: (input: T) => number,
  least = 1,
): Growth {
  const size = large.size / small.size;
  const ratio = cost(large.input) / Math.max(cost(small.input), Number.MIN_VALUE);
  return { size, cost: ratio, exponent: Math.log(ratio) / Math.log(Math.max(size, least)) };
}
