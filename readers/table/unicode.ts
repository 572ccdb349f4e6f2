/**
 * Unicode 16.0.0 as section 5 asks for it: assigned code points and NFC (UAX 15), from this
 * reader's own tables and nothing of the engine's.
 */
import { ASSIGNED, CLASSES, DECOMPOSITIONS, EXCLUSIONS } from "./unicode_data.ts";

const numbers = (text: string) => text.split(" ").map((word) => parseInt(word, 36));

/** Borders of the assigned ranges: first, end, first, end ... */
const borders = (() => {
  let at = 0;
  return Uint32Array.from(numbers(ASSIGNED), (step) => at += step);
})();

/** Whether UnicodeData 16.0.0 gives the code point a general category other than Cn. */
export function assigned(point: number): boolean {
  let low = 0;
  let high = borders.length;
  while (low < high) { // counts the borders at or below `point`
    const middle = (low + high) >> 1;
    if (borders[middle] <= point) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

/** Canonical combining classes other than 0. */
const classes = new Map<number, number>();
for (let list = numbers(CLASSES), i = 0, at = 0; i < list.length; i += 3) {
  at += list[i];
  for (const end = at + list[i + 1]; at < end; at++) classes.set(at, list[i + 2]);
}
const classOf = (point: number) => point < 0x300 ? 0 : classes.get(point) ?? 0;

/** Hangul arithmetic (Unicode 3.12). */
const S = { BASE: 0xac00, COUNT: 11_172 };
const L = { BASE: 0x1100, COUNT: 19 };
const V = { BASE: 0x1161, COUNT: 21 };
const JAMO_T = { BASE: 0x11a7, COUNT: 28 };
const isIn = (point: number, range: { BASE: number; COUNT: number }) =>
  point >= range.BASE && point < range.BASE + range.COUNT;

/** One level of canonical decomposition; Hangul aside. */
const decompositions = new Map<number, readonly number[]>();
/** Primary composites by pair, and the code points that can be second in one. */
const composites = new Map<number, number>();
const seconds = new Set<number>();
const pair = (a: number, b: number) => a * 0x110000 + b;
{
  const excluded = new Set(numbers(EXCLUSIONS));
  let point = 0;
  for (const entry of DECOMPOSITIONS.split(",")) {
    const [step, ...parts] = numbers(entry);
    point += step;
    decompositions.set(point, parts);
    const isComposite = parts.length === 2 && !excluded.has(point) && classOf(point) === 0 &&
      classOf(parts[0]) === 0;
    if (!isComposite) continue;
    composites.set(pair(parts[0], parts[1]), point);
    seconds.add(parts[1]);
  }
}

/** Quick-check answers (UAX 15, section 9). */
export const YES = 0;
export const MAYBE = 1;
const NO = 2;

/** NFC quick check of a text, one code point at a time. */
export class QuickCheck {
  #last = 0;
  answer = YES;

  take(point: number): void {
    if (point < 0x300) {
      this.#last = 0;
      return;
    }
    const ccc = classOf(point);
    if (ccc !== 0 && ccc < this.#last) this.answer = NO;
    this.#last = ccc;
    if (this.answer !== NO) this.answer = Math.max(this.answer, quick(point));
  }
}

function quick(point: number): number {
  if (isSecond(point)) return MAYBE;
  const parts = decompositions.get(point);
  if (parts === undefined) return YES;
  if (parts.length !== 2 || composites.get(pair(parts[0], parts[1])) !== point) return NO;
  let first = point; // of the full decomposition: it may compose with what stands before
  for (let next = decompositions.get(first); next !== undefined;) {
    first = next[0];
    next = decompositions.get(first);
  }
  return isSecond(first) ? MAYBE : YES;
}

function isSecond(point: number): boolean {
  return seconds.has(point) || isIn(point, V) || (point > JAMO_T.BASE && isIn(point, JAMO_T));
}

/** Normalization form C of a list of code points. */
export function nfc(points: readonly number[]): number[] {
  const out: number[] = [];
  for (const point of points) decompose(point, out);
  return compose(out);
}

/** Appends the canonical decomposition, keeping the canonical order of what stands there. */
function decompose(point: number, out: number[]): void {
  if (isIn(point, S)) {
    const index = point - S.BASE;
    out.push(L.BASE + Math.floor(index / (V.COUNT * JAMO_T.COUNT)));
    out.push(V.BASE + Math.floor(index / JAMO_T.COUNT) % V.COUNT);
    if (index % JAMO_T.COUNT !== 0) out.push(JAMO_T.BASE + index % JAMO_T.COUNT);
    return;
  }
  const parts = decompositions.get(point);
  if (parts !== undefined) {
    for (const part of parts) decompose(part, out);
    return;
  }
  const ccc = classOf(point);
  let at = out.length;
  if (ccc !== 0) { while (at > 0 && classOf(out[at - 1]) > ccc) at--; }
  if (at === out.length) out.push(point);
  else out.splice(at, 0, point);
}

/** Canonical composition of decomposed text, in place. */
function compose(points: number[]): number[] {
  let starter = -1;
  let last = 0; // class of the code point before, 0 where that is the starter itself
  let length = 0;
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    const ccc = classOf(point);
    const isNext = starter === length - 1;
    if (starter >= 0 && (isNext || (last !== 0 && last < ccc))) {
      const composite = composePair(points[starter], point);
      if (composite !== undefined) {
        points[starter] = composite;
        continue;
      }
    }
    if (ccc === 0) starter = length;
    last = ccc;
    points[length++] = point;
  }
  points.length = length;
  return points;
}

function composePair(a: number, b: number): number | undefined {
  if (isIn(a, L) && isIn(b, V)) {
    return S.BASE + ((a - L.BASE) * V.COUNT + (b - V.BASE)) * JAMO_T.COUNT;
  }
  if (isIn(a, S) && (a - S.BASE) % JAMO_T.COUNT === 0 && isIn(b, JAMO_T) && b > JAMO_T.BASE) {
    return a + (b - JAMO_T.BASE);
  }
  return composites.get(pair(a, b));
}
