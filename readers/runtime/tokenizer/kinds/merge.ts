/**
 * Merging of adjacent symbols, for the two BPE kinds: a linked list of symbols and a queue of
 * the pairs that some rule merges. n log n in the length of a piece.
 */
import { PairHeap } from "./heap.ts";
import type { CoverUnit, Ids } from "./kind.ts";

/** Which pairs merge, in which order. A rule is a number of the kind's own. */
export interface Rules {
  /** The rule that merges two symbols, `piece[start .. end)` together, or -1. */
  rule(left: number, right: number, piece: Uint8Array, start: number, end: number): number;
  /** Rules of the least key go first. */
  key(rule: number): number;
  /** The token that the rule makes. */
  result(rule: number): number;
  /**
   * Whether all pairs of the least key are merged before any pair so formed is looked at
   * (byte-level-bpe/1), or one pair at a time, the leftmost (score-bpe/1).
   */
  readonly everywhere: boolean;
}

const NONE = -1;

/** The symbols of one piece, in a list linked both ways, and the queue of its pairs. */
export class Symbols {
  length = 0;
  readonly heap = new PairHeap();
  /** token of a symbol; NONE where it has none, and then it merges with nothing */
  readonly id: Int32Array;
  /** its bytes in the piece; a symbol that was merged into its left neighbour ends at NONE */
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;

  constructor(most: number) {
    this.id = new Int32Array(most);
    this.start = new Int32Array(most);
    this.end = new Int32Array(most);
    this.next = new Int32Array(most);
    this.previous = new Int32Array(most);
  }

  /** Appends a symbol; -1 for one without a token. */
  add(id: number, start: number, end: number): void {
    const k = this.length++;
    this.id[k] = id;
    this.start[k] = start;
    this.end[k] = end;
    this.previous[k] = k - 1;
    this.next[k] = NONE;
    if (k > 0) this.next[k - 1] = k;
  }
}

/** Short pieces, which are nearly all, share one set of arrays. */
const SHORT = 256;

/** Gives empty symbols with room for a piece of `length` bytes; the last ones given are void. */
export function symbolPool(): (length: number) => Symbols {
  const shared = new Symbols(SHORT);
  return (length) => {
    if (length > SHORT) return new Symbols(length);
    shared.length = 0;
    return shared;
  };
}

/** Merges until no rule applies; what is left is reached from symbol 0 by `next`. */
export function merge(symbols: Symbols, piece: Uint8Array, rules: Rules): void {
  const { heap, id, start, end, next, previous } = symbols;

  const offer = (left: number) => {
    const right = left < 0 ? NONE : next[left];
    if (right < 0 || id[left] < 0 || id[right] < 0) return;
    const rule = rules.rule(id[left], id[right], piece, start[left], end[right]);
    if (rule >= 0) heap.push(rules.key(rule), left, end[right], rule);
  };

  /**
   * A pair in the queue is stale once either side took part in another merge. Borders only
   * vanish, so it still stands exactly if its left symbol lives and the next ends where the
   * right one did.
   */
  const apply = (left: number, pairEnd: number, rule: number): boolean => {
    const right = next[left];
    if (end[left] < 0 || right < 0 || end[right] !== pairEnd) return false;
    id[left] = rules.result(rule);
    end[left] = pairEnd;
    end[right] = NONE;
    next[left] = next[right];
    if (next[right] >= 0) previous[next[right]] = left;
    return true;
  };

  for (let k = 0; k + 1 < symbols.length; k++) offer(k);
  const merged: number[] = [];
  while (heap.size > 0) {
    const key = heap.key;
    do {
      if (apply(heap.left, heap.end, heap.rule)) merged.push(heap.left);
      heap.pop();
    } while (rules.everywhere && heap.size > 0 && heap.key === key);
    for (const left of merged) {
      offer(previous[left]);
      offer(left);
    }
    merged.length = 0;
  }
}

/** The ids of merged symbols, the uncovered ones by `cover`; false where that says so. */
export function collect(
  symbols: Symbols,
  piece: Uint8Array,
  cover: CoverUnit,
  ids: Ids,
): boolean {
  const { id, start, end, next } = symbols;
  for (let k = symbols.length > 0 ? 0 : NONE; k >= 0; k = next[k]) {
    if (id[k] >= 0) ids.push(id[k]);
    else if (!cover(piece, start[k], end[k], ids)) return false;
  }
  return true;
}
