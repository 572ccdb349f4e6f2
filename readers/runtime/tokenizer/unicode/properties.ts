/**
 * Properties of code points under Unicode 16.0.0, whatever version the engine has. A code point
 * that 16.0.0 does not assign has none of them.
 */
import * as data from "./unicode_data.ts";

const CODE_POINTS = 0x110000;

/** A packed run (see unicode_build.ts): `length` code points from `start` on, all of `value`. */
export interface Run {
  readonly start: number;
  readonly length: number;
  readonly value: number;
}

/** Packed runs, in order. */
export function runs(packed: string): Run[] {
  let at = 0;
  return packed.split(" ").map((run) => {
    const [gap, length, value] = run.split(",");
    const start = at + parseInt(gap, 36);
    const count = length ? parseInt(length, 36) : 1;
    at = start + count;
    return { start, length: count, value: value ? parseInt(value, 36) : 0 };
  });
}

/** The membership test of a packed set: one bit a code point. */
function member(packed: string): (code: number) => boolean {
  const bits = new Uint8Array(CODE_POINTS >> 3);
  for (const { start, length } of runs(packed)) {
    for (let code = start; code < start + length; code++) bits[code >> 3] |= 1 << (code & 7);
  }
  return (code) => (bits[code >> 3] >> (code & 7) & 1) === 1;
}

/** General categories Lu, Ll, Lt, Lm, Lo. */
export const isLetter = member(data.LETTERS);
/** General categories Nd, Nl, No. */
export const isNumber = member(data.NUMBERS);
/** General categories Pc, Pd, Ps, Pe, Pi, Pf, Po. */
export const isPunctuation = member(data.PUNCTUATION);
/** General category Mn. */
export const isNonspacingMark = member(data.NONSPACING_MARKS);
/** General categories Cc and Cf. */
export const isControlOrFormat = member(data.CONTROL_OR_FORMAT);
/** The property White_Space. */
export const isWhitespace = member(data.WHITE_SPACE);
