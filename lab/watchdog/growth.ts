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

/** The least of `times` measurements, which is the one that was disturbed least. */
export function least(times: number, measure: () => number): number {
  let best = Infinity;
  for (let i = 0; i < times; i++) best = Math.min(best, measure());
  return best;
}

/** Microseconds of processor time of this process during a call: other processes do not count. */
export function processorTime(call: () => void): number {
  const begin = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(begin);
  return user + system;
}

/** How cost grows from a small input to a larger one of the same kind. */
export function growth<T>(
  [small, large]: readonly [{ input: T; size: number }, { input: T; size: number }],
  cost: (input: T) => number,
): Growth {
  const size = large.size / small.size;
  const ratio = cost(large.input) / Math.max(cost(small.input), Number.MIN_VALUE);
  return { size, cost: ratio, exponent: Math.log(ratio) / Math.log(size) };
}
