/**
 * What a schema is made of (`classes.md` section 1): each shape checks one item, in the order
 * of that section, and whatever is inside it.
 */
import type { Code } from "../contract.ts";
import { ARRAY, BYTES, MAP, NEGATIVE, TEXT, UNSIGNED } from "./cbor.ts";
import { type Fault, reject } from "./fault.ts";
import { isIdentifier } from "./identifier.ts";
import type { Item, Manifest } from "./manifest.ts";

export type Shape = (m: Manifest, at: Item) => Fault;

/** A rejection of stage 18 at an item. */
export function fault18(code: Code, at: Item, expected: string): Fault {
  return reject(18, code, "manifest", at, expected);
}

function major(expected: string, ...types: number[]): Shape {
  return (m, at) => types.includes(m.type(at)) ? null : fault18("WrongType", at, expected);
}

/** `shape`, then a rule that gives `code` where it does not hold. */
export function where(
  shape: Shape,
  holds: (m: Manifest, at: Item) => boolean,
  expected: string,
  code: Code = "BadValue",
): Shape {
  return (m, at) => shape(m, at) ?? (holds(m, at) ? null : fault18(code, at, expected));
}

export const uint: Shape = major("an unsigned integer", UNSIGNED);
export const int: Shape = major("an integer", UNSIGNED, NEGATIVE);
export const text: Shape = major("text", TEXT);
export const byteString: Shape = major("a byte string", BYTES);
export const anyMap: Shape = major("a map", MAP);
export const array: Shape = major("an array", ARRAY);
export const bool: Shape = (m, at) =>
  m.isBool(at) ? null : fault18("WrongType", at, "true or false");

/** `bytes .size n` */
export function bytes(size: number): Shape {
  return where(byteString, (m, at) => m.count(at) === size, `${size} bytes`);
}
export const b32: Shape = bytes(32);

/** A machine identifier. */
export const id: Shape = where(
  text,
  (m, at) => isIdentifier(m.bytes, m.content(at), m.content(at) + m.count(at)),
  "an identifier",
  "BadIdentifier",
);

/** `shape / null` */
export function orNull(shape: Shape): Shape {
  return (m, at) => m.isNull(at) ? null : shape(m, at);
}

/** `bytes / { * text => any }` */
export const bytesOrMap: Shape = major("a byte string or a map", BYTES, MAP);

/** One unsigned integer. */
export function exactly(n: number): Shape {
  return where(uint, (m, at) => m.count(at) === n, String(n));
}

/** One of some texts. */
export function oneOf(...texts: string[]): Shape {
  return where(text, (m, at) => texts.some((t) => m.isText(at, t)), texts.join(" / "));
}

/** An array of `min` to `max` elements of one shape. */
export function list(element: Shape, min = 0, max = Infinity): Shape {
  const length = min === 0 ? `at most ${max} elements` : `${min} to ${max} elements`;
  const sized = where(array, (m, at) => m.count(at) >= min && m.count(at) <= max, length);
  return (m, at) => sized(m, at) ?? m.each(at, (item) => element(m, item));
}

/** An array with a shape for each element. */
export function tuple(...shapes: Shape[]): Shape {
  const sized = where(array, (m, at) => m.count(at) === shapes.length, `${shapes.length} elements`);
  return (m, at) => sized(m, at) ?? m.each(at, (item, i) => shapes[i](m, item));
}

/** `set<x>`: strictly increasing encodings. */
export function set(element: Shape): Shape {
  const elements = list(element);
  return (m, at) => {
    let previous = -1;
    return elements(m, at) ?? m.each(at, (item) => {
      const isAfter = previous < 0 || m.compare(previous, item) < 0;
      previous = item;
      return isAfter ? null : fault18("UnsortedSet", item, "elements in strictly increasing order");
    });
  };
}

/** `rat`: `[int, uint]`, denominator >= 1, lowest terms, zero only as `[0, 1]`. */
export const rat: Shape = where(tuple(int, uint), isReduced, "a fraction in lowest terms");

/** The two integers of a `rat`. */
export function fraction(m: Manifest, at: Item): [numerator: bigint, denominator: bigint] {
  const first = m.content(at);
  return [BigInt(m.integer(first)), BigInt(m.integer(m.next(first)))];
}

function isReduced(m: Manifest, at: Item): boolean {
  let [a, b] = fraction(m, at);
  if (b < 1n) return false;
  if (a < 0n) a = -a;
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 1n; // of 0 and n it is n, so that zero is [0, 1] alone
}

/** `{ * id => x }` */
export function table(value: Shape): Shape {
  return (m, at) => anyMap(m, at) ?? m.eachEntry(at, (key, item) => id(m, key) ?? value(m, item));
}

/** A closed map; every key is required. */
export function record(schema: Readonly<Record<string, Shape>>): Shape {
  // Bytewise order of the encodings of short ASCII keys: length, then letters.
  const keys = Object.keys(schema).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return (m, at) =>
    anyMap(m, at) ??
      m.eachEntry(at, (key) =>
        keys.some((name) =>
            m.isText(key, name)
          )
          ? null
          : fault18("UnknownCoreKey", key, `one of ${keys.join(", ")}`)) ??
      checkKeys(m, at);

  function checkKeys(m: Manifest, at: Item): Fault {
    let key = m.content(at);
    let left = m.count(at);
    for (const name of keys) {
      if (left === 0 || !m.isText(key, name)) return fault18("MissingCoreKey", at, `key ${name}`);
      const value = m.next(key);
      const fault = schema[name](m, value);
      if (fault !== null) return fault;
      key = m.next(value);
      left--;
    }
    return null;
  }
}
