/**
 * Full lower case of Unicode 16.0.0, without conditions: a capital sigma becomes U+03C3 at the
 * end of a word too (classes.md section 4).
 */
import { runs } from "./properties.ts";
import { LOWER_CASE, LOWER_CASE_FULL } from "./unicode_data.ts";

const mappings = new Map<number, readonly number[]>();
for (const { start, length, value } of runs(LOWER_CASE)) {
  for (let code = start; code < start + length; code++) mappings.set(code, [code + value]);
}
for (const packed of LOWER_CASE_FULL.split(" ")) {
  const [code, ...lower] = packed.split(",").map((digits) => parseInt(digits, 36));
  mappings.set(code, lower);
}

/** The code points that a code point becomes, or undefined where it stays. */
export function lowerCase(code: number): readonly number[] | undefined {
  return mappings.get(code);
}
