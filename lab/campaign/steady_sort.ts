/**
 * Sorting that calls its comparator equally often at every call. V8 sorts a short array by another
 * algorithm once the code around it is optimised, which happens when the compiler's threads have
 * time: counters in comparators would then tell of the machine, and a seed would not fix its inputs.
 */

type Order<T> = (a: T, b: T) => number;

const { sort, toSorted } = Array.prototype;

/** Puts it in the place of the platform's `sort` and `toSorted` of arrays; without an order nothing is called. */
export function installSteadySort(): void {
  Array.prototype.sort = function <T>(this: T[], order?: Order<T>) {
    if (order === undefined) return sort.call(this);
    const sorted = steadySort(this, order);
    for (let i = 0; i < sorted.length; i++) this[i] = sorted[i];
    return this;
  };
  Array.prototype.toSorted = function <T>(this: T[], order?: Order<T>) {
    return order === undefined ? toSorted.call(this) : steadySort(this, order);
  };
}

/** A stable merge sort, from runs of one element on; `undefined` goes last, as the language has it. */
export function steadySort<T>(list: readonly T[], order: Order<T>): T[] {
  let from: T[] = list.filter((one) => one !== undefined);
  const { length } = from;
  let into = new Array<T>(length);
  for (let run = 1; run < length; run *= 2) {
    for (let begin = 0; begin < length; begin += 2 * run) {
      const middle = Math.min(begin + run, length), end = Math.min(begin + 2 * run, length);
      let left = begin, right = middle;
      for (let at = begin; at < end; at++) {
        const first = right >= end || left < middle && order(from[left], from[right]) <= 0;
        into[at] = from[first ? left++ : right++];
      }
    }
    [from, into] = [into, from];
  }
  return from.concat(new Array(list.length - length).fill(undefined));
}
