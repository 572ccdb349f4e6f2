/** `rat` of `classes.md`: a fraction in lowest terms with a positive denominator. */
import type { Rule } from "./schema.ts";
import type { Tape } from "./tape.ts";

/** Numerator 0 only as `[0, 1]` follows from gcd(0, d) = d. */
function lowestTerms(tape: Tape, item: number): boolean {
  let a = BigInt(tape.integer(item + 1));
  let b = BigInt(tape.integer(tape.next(item + 1)));
  if (a < 0n) a = -a;
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 1n;
}

export const RAT: Rule = {
  is: "tuple",
  of: [{ is: "int" }, { is: "uint", least: 1 }],
  relation: lowestTerms,
};

/** The numerator of a checked `rat`. */
export function numerator(tape: Tape, rat: number): number | bigint {
  return tape.integer(rat + 1);
}

/** The denominator of a checked `rat`. */
export function denominator(tape: Tape, rat: number): number | bigint {
  return tape.integer(rat + 2);
}
