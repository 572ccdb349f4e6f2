/**
 * SLM-DCBOR-1 (section 5) as a single left-to-right pass without recursion: open containers
 * stand in arrays of fixed length. Nothing is built; `manifest.ts` reads what passed here.
 */
import type { Code } from "../contract.ts";
import { compareRanges } from "./fields.ts";
import { type Fault, reject } from "./fault.ts";
import type { Memory } from "./input.ts";
import { FORMAT, type Limits, overLimit, within } from "./limits.ts";
import { textFault } from "./text.ts";

export const UNSIGNED = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
const TAG = 6;
export const SIMPLE = 7;
/** Additional information of major type 7. */
export const FALSE = 20;
export const TRUE = 21;
export const NULL = 22;

const NAMES = ["integer", "integer", "byte string", "text", "array", "map"];
/** Bytes of the argument after additional information 24 to 27. */
const ARGUMENT_BYTES = [1, 2, 4, 8];

/** Stage 17 over the item that must fill [start, end) of `bytes`. */
export function checkCbor(
  bytes: Uint8Array,
  start: number,
  end: number,
  limits: Limits,
  memory: Memory,
): Fault {
  const fail = (code: Code, at: number, expected: string) =>
    reject(17, code, "manifest", at, expected);
  // Of each open container: items still to come (a map counts keys and values), whether it is
  // a map, and its previous key.
  const left = new Array<number>(FORMAT.cbor_depth + 1).fill(0);
  const isMap = new Array<boolean>(FORMAT.cbor_depth + 1).fill(false);
  const keyAt = new Array<number>(FORMAT.cbor_depth + 1).fill(0);
  const keyEnd = new Array<number>(FORMAT.cbor_depth + 1).fill(0);
  let depth = 0;
  let items = 0;
  let at = start;

  do {
    const isKey = isMap[depth] && left[depth] % 2 === 0;
    const item = at;
    if (at >= end) return fail("CborTruncated", item, "an item"); // 1
    const tooMany = overLimit(limits, "cbor_items", ++items); // 2
    if (tooMany !== null) return fail(tooMany, item, within(limits, "cbor_items"));
    const major = bytes[at] >> 5;
    const info = bytes[at] & 31;
    at++;
    if (isKey && major !== TEXT) return fail("CborKeyNotText", item, "text as a map key"); // 3
    if (major === TAG || (major === SIMPLE && info !== FALSE && info !== TRUE && info !== NULL)) {
      return fail("CborForbiddenType", item, "no tag, float or other simple value"); // 4
    }
    let argument = info; // above 2^53 rounded, but then over every limit
    if (major !== SIMPLE && info >= 24) {
      if (info >= 28 && (info < 31 || major <= NEGATIVE)) { // 5, 6
        return fail("CborReservedInfo", item, "additional information below 28");
      }
      if (info === 31) return fail("CborIndefiniteLength", item, "a definite length"); // 6
      const size = ARGUMENT_BYTES[info - 24];
      if (end - at < size) return fail("CborTruncated", item, `${size} argument bytes`); // 7
      argument = 0;
      for (let i = 0; i < size; i++) argument = argument * 256 + bytes[at + i];
      at += size;
      const shortest = size === 1 ? argument >= 24 : argument >= 2 ** (4 * size); // 8
      if (!shortest) return fail("CborNotShortest", item, "the shortest form");
    }
    if (major === NEGATIVE && info === 27 && bytes[at - 8] >= 0x80) { // 9
      return fail("CborIntegerRange", item, "an integer of at least -2^63");
    }
    if (major === BYTES || major === TEXT) { // 10
      const limit = major === TEXT ? "cbor_text" : "cbor_bytes";
      const tooLong = overLimit(limits, limit, argument);
      if (tooLong !== null) return fail(tooLong, item, within(limits, limit));
      if (argument > end - at) {
        return fail("CborTruncated", item, `a ${NAMES[major]} that ends in the manifest`);
      }
      at += argument;
    }
    if (major === TEXT) { // 11
      const code = textFault(bytes, at - argument, at, memory);
      if (code !== null) return fail(code, item, "assigned UTF-8 text in NFC (Unicode 16.0.0)");
    }
    if (major === ARRAY || major === MAP) { // 12
      const tooDeep = overLimit(limits, "cbor_depth", depth + 1);
      if (tooDeep !== null) return fail(tooDeep, item, within(limits, "cbor_depth"));
      const tooWide = overLimit(limits, "cbor_entries", argument);
      if (tooWide !== null) return fail(tooWide, item, within(limits, "cbor_entries"));
      const inside = major === MAP ? 2 * argument : argument;
      if (inside > end - at) {
        return fail("CborTruncated", item, `a ${NAMES[major]} that ends in the manifest`);
      }
      depth++;
      left[depth] = inside + 1; // and one for the container itself, which ends with its last
      isMap[depth] = major === MAP;
      keyAt[depth] = keyEnd[depth] = 0;
    }
    if (isKey) { // 13
      const d = compareRanges(bytes, item, at, keyAt[depth], keyEnd[depth]);
      if (keyEnd[depth] > 0 && d === 0) return fail("CborDuplicateKey", item, "a new key");
      if (keyEnd[depth] > 0 && d < 0) return fail("CborKeyOrder", item, "a greater key");
      keyAt[depth] = item;
      keyEnd[depth] = at;
    }
    while (depth > 0 && --left[depth] === 0) depth--;
  } while (depth > 0);

  return at < end ? fail("CborTrailingBytes", at, "the end of the manifest") : null;
}
