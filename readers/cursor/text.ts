/**
 * Text of SLM-DCBOR-1 (section 5, step 11): UTF-8 by the engine's decoder, assignment by a
 * table of Unicode 16.0.0 that the reader carries, NFC by the engine's normalisation.
 */
import { ASSIGNED_STEPS } from "./assigned_data.ts";

// Section 5: a reader that relies on its engine's normalisation probes it once.
const PROBE = "\u{113C2}\u{113B8}";
if (PROBE.normalize("NFC") === PROBE) {
  throw new Error("this engine's normalisation is older than Unicode 16.0.0: no reader here");
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Shorter ASCII, as keys are, costs less letter by letter than a call of the engine. */
const SHORT = 48;

/**
 * The text in `[from, to)`, or null where it is not valid UTF-8. The engine gives U+FFFD for what is
 * not, and for U+FFFD itself; it could throw instead, but that takes longer than all else here.
 */
export function decodeUtf8(bytes: Uint8Array, from = 0, to = bytes.length): string | null {
  if (to - from <= SHORT && isAscii(bytes, from, to)) {
    let text = "";
    for (let i = from; i < to; i++) text += String.fromCharCode(bytes[i]);
    return text;
  }
  const text = decoder.decode(bytes.subarray(from, to));
  let replaced = 0;
  for (let at = -1; (at = text.indexOf("\ufffd", at + 1)) >= 0;) replaced++;
  return replaced === 0 || replaced === replacements(bytes, from, to) ? text : null;
}

/** How often U+FFFD stands in `[from, to)`: its lead byte continues nothing, so no cut hides it. */
function replacements(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i + 2 < to; i++) {
    if (bytes[i] === 0xef && bytes[i + 1] === 0xbf && bytes[i + 2] === 0xbd) count++;
  }
  return count;
}

/** The codes of step 11, in their order. */
export type TextCode = "CborInvalidUtf8" | "CborUnassigned" | "CborNotNfc";

/** Step 11 over the whole string in `[from, to)`: its code, or null where it is good. */
export function textFault(bytes: Uint8Array, from: number, to: number): TextCode | null {
  if (isAscii(bytes, from, to)) return null;
  const text = decodeUtf8(bytes, from, to);
  if (text === null) return "CborInvalidUtf8";
  if (!isAssigned(text)) return "CborUnassigned";
  return isNfc(text) ? null : "CborNotNfc";
}

/** ASCII is valid, assigned and in NFC. */
function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] >= 0x80) return false;
  return true;
}

/** Borders between unassigned and assigned code points; a range is assigned from even to odd. */
const BORDERS: Uint32Array = (() => {
  let border = 0;
  return Uint32Array.from(ASSIGNED_STEPS.trim().split(/\s+/), (s) => border += parseInt(s, 36));
})();

/** Whether every code point of `text` is assigned in Unicode 16.0.0. */
export function isAssigned(text: string): boolean {
  let first = 0; // the assigned range of the code point before, where the next mostly is
  let end = 0;
  for (const character of text) {
    const cp = character.codePointAt(0) ?? 0;
    if (cp >= first && cp < end) continue;
    let low = 0; // how many borders are <= cp
    let high = BORDERS.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (BORDERS[middle] <= cp) low = middle + 1;
      else high = middle;
    }
    if (low % 2 === 0) return false;
    first = BORDERS[low - 1];
    end = BORDERS[low];
  }
  return true;
}

/** Code units of one window of `isNfc`; each begins half a window after the one before. */
const NFC_WINDOW = 128;

/**
 * Whether `text` is in NFC.
 *
 * Engines sort a run of combining marks in quadratic time. Every part of a text in NFC is
 * in NFC (UAX #15, 9), so overlapping short windows are judged first: where they pass, each
 * mark already stands in order behind its neighbour and the whole costs linear time.
 */
export function isNfc(text: string): boolean {
  for (let i = 0; i + NFC_WINDOW < text.length; i += NFC_WINDOW / 2) {
    const part = text.slice(i, i + NFC_WINDOW);
    if (part.normalize("NFC") !== part) return false;
  }
  return text.normalize("NFC") === text;
}
