/**
 * NFD, NFC and NFKC of Unicode 16.0.0 (UAX #15), whatever version the engine has. A code point
 * that 16.0.0 does not assign is a starter that neither decomposes nor composes.
 */
import { runs } from "./properties.ts";
import { COMBINING_CLASSES, COMPOSITION_EXCLUSIONS, DECOMPOSITIONS } from "./unicode_data.ts";

export type Form = "nfd" | "nfc" | "nfkc";

/** Hangul syllables decompose and compose by arithmetic (Unicode 3.12). */
const HANGUL = {
  s: 0xac00,
  l: 0x1100,
  v: 0x1161,
  t: 0x11a7,
  lCount: 19,
  vCount: 21,
  tCount: 28,
} as const;
const SYLLABLES = HANGUL.lCount * HANGUL.vCount * HANGUL.tCount;

/** Below this nothing changes in a canonical form (U+00C0); below U+00A0 in no form. */
const FIRST_CANONICAL = 0xc0;
const FIRST_COMPATIBLE = 0xa0;

const pairKey = (first: number, second: number) => first * 0x110000 + second;

/** One step of decomposition; those for compatibility only are in the second map. */
const canonical = new Map<number, readonly number[]>();
const compatible = new Map<number, readonly number[]>();
const combining = new Map<number, number>();
const compositions = new Map<number, number>();

for (const { start, length, value } of runs(COMBINING_CLASSES)) {
  for (let code = start; code < start + length; code++) combining.set(code, value);
}

let previous = 0;
for (const packed of DECOMPOSITIONS.split(" ")) {
  const numbers = packed.split(/[,<]/).map((digits) => parseInt(digits, 36));
  previous += numbers[0];
  (packed.includes("<") ? compatible : canonical).set(previous, numbers.slice(1)); // holds no room
}

const excluded = new Set<number>();
for (const { start, length } of runs(COMPOSITION_EXCLUSIONS)) {
  for (let code = start; code < start + length; code++) excluded.add(code);
}
// a primary composite: a pair that starts with a starter, and is not excluded
for (const [code, to] of canonical) {
  if (to.length === 2 && !excluded.has(code) && !combining.has(code) && !combining.has(to[0])) {
    compositions.set(pairKey(to[0], to[1]), code);
  }
}

/** The code points `text` in a normal form. */
export function normalForm(text: readonly number[], form: Form): number[] {
  const out: number[] = [];
  const least = form === "nfkc" ? FIRST_COMPATIBLE : FIRST_CANONICAL;
  for (const code of text) {
    if (code < least) out.push(code);
    else decompose(code, form === "nfkc", out);
  }
  reorder(out);
  if (form !== "nfd") compose(out);
  return out;
}

function decompose(code: number, compatibly: boolean, out: number[]): void {
  const syllable = code - HANGUL.s;
  if (syllable >= 0 && syllable < SYLLABLES) {
    const lv = Math.floor(syllable / HANGUL.tCount);
    out.push(HANGUL.l + Math.floor(lv / HANGUL.vCount), HANGUL.v + lv % HANGUL.vCount);
    if (syllable % HANGUL.tCount > 0) out.push(HANGUL.t + syllable % HANGUL.tCount);
    return;
  }
  const to = canonical.get(code) ?? (compatibly ? compatible.get(code) : undefined);
  if (to === undefined) out.push(code);
  else for (const part of to) decompose(part, compatibly, out);
}

/** Canonical ordering: each run of marks, stably by combining class. */
function reorder(text: number[]): void {
  const classOf = (code: number) => combining.get(code) ?? 0;
  for (let start = 0; start < text.length; start++) {
    let end = start;
    while (end < text.length && combining.has(text[end])) end++;
    if (end - start > 1) {
      const marks = text.slice(start, end).sort((a, b) => classOf(a) - classOf(b));
      for (let i = start; i < end; i++) text[i] = marks[i - start];
    }
    start = end;
  }
}

/** Canonical composition, in place: each mark or starter with the last starter unless blocked. */
function compose(text: number[]): void {
  let length = 0;
  let starter = -1;
  for (const code of text) {
    const mark = combining.get(code) ?? 0;
    const last = length - 1 > starter ? combining.get(text[length - 1]) ?? 0 : 0;
    const blocked = length - 1 > starter && last >= mark;
    const whole = starter < 0 || blocked ? undefined : composite(text[starter], code);
    if (whole !== undefined) {
      text[starter] = whole;
      continue;
    }
    if (mark === 0) starter = length;
    text[length++] = code;
  }
  text.length = length;
}

function composite(first: number, second: number): number | undefined {
  const l = first - HANGUL.l, v = second - HANGUL.v;
  if (l >= 0 && l < HANGUL.lCount && v >= 0 && v < HANGUL.vCount) {
    return HANGUL.s + (l * HANGUL.vCount + v) * HANGUL.tCount;
  }
  const syllable = first - HANGUL.s, t = second - HANGUL.t;
  if (syllable >= 0 && syllable < SYLLABLES && syllable % HANGUL.tCount === 0) {
    if (t > 0 && t < HANGUL.tCount) return first + t;
  }
  return compositions.get(pairKey(first, second));
}
