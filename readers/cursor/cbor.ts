/**
 * Stage 17: the manifest as SLM-DCBOR-1, in one left-to-right pass that keeps its own stack.
 * The numbers in comments are the steps of section 5.
 */
import type { Code, Reject } from "../contract.ts";
import { compareRanges } from "./bytes.ts";
import { reject } from "./fault.ts";
import { atMost, FORMAT, type Limits, overLimit } from "./limits.ts";
import { argumentSize, ARRAY, BYTES, FALSE, MAP, NINT, NULL, SIMPLE, Tape, TEXT } from "./tape.ts";
import { type TextCode, textFault } from "./text.ts";

const TAG = 6;

function fault(code: Code, offset: number, expected: string): Reject {
  return reject(17, code, "manifest", offset, expected);
}

/** What a good text is, by the code of step 11. */
const TEXT_EXPECTED: Readonly<Record<TextCode, string>> = {
  CborInvalidUtf8: "valid UTF-8",
  CborUnassigned: "code points assigned in Unicode 16.0.0",
  CborNotNfc: "text in NFC",
};

/** The least argument that needs as many bytes as additional information 24 to 27 says. */
const SHORTEST = [24, 2 ** 8, 2 ** 16, 2 ** 32];

/**
 * Decodes the manifest that stands in `[from, to)` of `bytes`.
 *
 * @param bytes the file from its first byte
 * @param tape receives the items; its capacity is `tapeCapacity` of the manifest's length
 * @returns the first fault of the bytes, or null
 */
export function decodeManifest(
  bytes: Uint8Array,
  from: number,
  to: number,
  limits: Limits,
  tape: Tape,
): Reject | null {
  // One entry a container that is open, outermost first.
  const items: number[] = []; // its item
  const left: number[] = []; // children that are still to come
  const keys: number[] = []; // its last key, or -1; not used for arrays
  let at = from;
  do {
    const depth = items.length;
    const inMap = depth > 0 && tape.major(items[depth - 1]) === MAP;
    const isKey = inMap && left[depth - 1] % 2 === 0;
    if (depth > 0) left[depth - 1]--;

    if (at === to) return fault("CborTruncated", at, "an item"); // 1
    const counted = overLimit(limits, "cbor_items", tape.count + 1); // 2
    if (counted !== null) return fault(counted, at, atMost(limits, "cbor_items"));
    const major = bytes[at] >> 5;
    const info = bytes[at] & 31;
    if (isKey && major !== TEXT) return fault("CborKeyNotText", at, "a text"); // 3
    if (major === TAG || major === SIMPLE && (bytes[at] < FALSE || bytes[at] > NULL)) { // 4
      return fault("CborForbiddenType", at, "no tag, float or other simple value");
    }
    const item = tape.open(at);
    if (major === SIMPLE) {
      at++;
    } else {
      if (info >= 28 && info <= 30) return fault("CborReservedInfo", at, "a defined length"); // 5
      if (info === 31) { // 6
        return major >= BYTES
          ? fault("CborIndefiniteLength", at, "a definite length")
          : fault("CborReservedInfo", at, "a defined length");
      }
      const body = at + 1 + argumentSize(info);
      if (body > to) return fault("CborTruncated", at, "an argument"); // 7
      let argument = info < 24 ? info : 0; // rounded above 2^53, so never down to a limit
      for (let i = at + 1; i < body; i++) argument = argument * 0x100 + bytes[i];
      if (info >= 24 && argument < SHORTEST[info - 24]) { // 8
        return fault("CborNotShortest", at, "the shortest form");
      }
      if (major === NINT && info === 27 && bytes[at + 1] >= 0x80) { // 9
        return fault("CborIntegerRange", at, "at least -2^63");
      }
      if (major === BYTES || major === TEXT) { // 10
        const name = major === TEXT ? "cbor_text" : "cbor_bytes";
        const long = overLimit(limits, name, argument);
        if (long !== null) return fault(long, at, atMost(limits, name));
        if (argument > to - body) return fault("CborTruncated", at, `${argument} bytes`);
        const wrong = major === TEXT ? textFault(bytes, body, body + argument) : null; // 11
        if (wrong !== null) return fault(wrong, at, TEXT_EXPECTED[wrong]);
        at = body + argument;
      } else if (major === ARRAY || major === MAP) { // 12
        const deep = overLimit(limits, "cbor_depth", depth + 1);
        if (deep !== null) return fault(deep, at, atMost(limits, "cbor_depth"));
        const many = overLimit(limits, "cbor_entries", argument);
        if (many !== null) return fault(many, at, atMost(limits, "cbor_entries"));
        const children = major === MAP ? 2 * argument : argument;
        if (children > to - body) return fault("CborTruncated", at, `${children} items`);
        items.push(item);
        left.push(children);
        keys.push(-1);
        at = body;
      } else {
        at = body;
      }
    }

    if (isKey) { // 13
      const previous = keys[depth - 1];
      if (previous >= 0) {
        const start = tape.start(previous);
        const order = compareRanges(bytes, start, tape.end(previous), tape.start(item), at);
        if (order === 0) return fault("CborDuplicateKey", tape.start(item), "another key");
        if (order > 0) return fault("CborKeyOrder", tape.start(item), "a greater key");
      }
      keys[depth - 1] = item;
    }
    while (left.length > 0 && left[left.length - 1] === 0) {
      tape.close(items[items.length - 1]);
      items.pop();
      left.pop();
      keys.pop();
    }
  } while (items.length > 0);
  tape.finish(at);
  return at < to ? fault("CborTrailingBytes", at, "the end of the manifest") : null;
}

/** The most items that a manifest of `length` bytes can have under the format's limits. */
export function tapeCapacity(length: number): number {
  return Math.min(length, FORMAT.cbor_items);
}
