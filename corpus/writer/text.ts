/** What section 5 asks of a text, and section 6 of a machine identifier. */
import { ASSIGNED_FLIPS } from "./unicode16_data.ts";

// U+113C2 U+113B8 compose since Unicode 16.0.0; an engine that does not know it would pass
// texts as NFC that are not (section 5).
if ("\u{113c2}\u{113b8}".normalize("NFC") === "\u{113c2}\u{113b8}") {
  throw new Error("this engine's Unicode is older than 16.0.0: its NFC cannot be used");
}

/** Whether Unicode 16.0.0 gives the code point a general category other than Cn. */
export function isAssigned(codePoint: number): boolean {
  let low = 0, high = ASSIGNED_FLIPS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ASSIGNED_FLIPS[middle] <= codePoint) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

/** What a text lacks to stand in a manifest, in a few words, or null. */
export function textFault(text: string): string | null {
  if (!text.isWellFormed()) return "text without lone surrogates";
  for (const character of text) {
    if (!isAssigned(character.codePointAt(0)!)) return "code points assigned in Unicode 16.0.0";
  }
  return text.normalize("NFC") === text ? null : "text in NFC";
}

/** Section 6: `[a-z0-9][a-z0-9._/-]{0,254}` and no empty, `.` or `..` component. */
export function isIdentifier(text: string): boolean {
  return /^[a-z0-9][a-z0-9._/-]{0,254}$/.test(text) && !/(^|\/)\.{0,2}(\/|$)/.test(text);
}
