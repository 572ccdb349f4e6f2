/**
 * Sorting that calls its comparator equally often at every call. V8 sorts a short array by another
 * algorithm once the code around it is optimised, which happens when the compiler's threads have
 * time: counters in comparators would then tell of the machine, and a seed would not fix its inputs.
 */

type Order<T> = (a: T, b: T) => number;

const { sort, toSorted } = Array.prototype;

/** Up to this length insertion is the fastest. */
const SHORT = 12;

/** Puts it in the place of the platform's `sort` and `toSorted` of arrays; without an order nothing is called. */
export function installSteadySort(): void {
  Array.prototype.sort = function <T>(this: T[], order?: Order<T>) {
    return order === undefined ? sort.call(this) : steadySort(this, order);
  };
  Array.prototype.toSorted = function <T>(this: T[], order?: Order<T>) {
    return order === undefined ? toSorted.call(this) : steadySort(this.slice(), order);
  };
}

/** Sorts `list` in place, stably. */
export function steadySort<T>(list: T[], order: Order<T>): T[] {
  const { length } = list;
  if (length < 2) return list;
  if (list.includes(undefined as T)) return sort.call(list, order) as T[]; // no comparator is given one
  if (length <= SHORT) insert(list, order);
  else merge(list, order);
  return list;
}

function insert<T>(list: T[], order: Order<T>): void {
  for (let i = 1; i < list.length; i++) {
    const one = list[i];
    let at = i;
    for (; at > 0 && order(list[at - 1], one) > 0; at--) list[at] = list[at - 1];
    list[at] = one;
  }
}

function merge<T>(list: T[], order: Order<T>): void {
  const { length } = list;
  let from = list, into: T[] = new Array(length);
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
  if (from !== list) { for (let i = 0; i < length; i++) list[i] = from[i]; }
}
