/** What section 5 asks of text, step 11: UTF-8, then assigned code points, then NFC. */
import type { Memory } from "./input.ts";
import { asciiEnd, MALFORMED, MORE, Utf8 } from "./utf8.ts";
import { assigned, MAYBE, nfc, QuickCheck, YES } from "./unicode.ts";

/** Two lists of numbers; what is not ASCII has at most 3 decomposed code points for 2 bytes. */
const NFC_BYTES = 16;

/** The code that the text in [from, to) gives, or null. Each rule runs over the whole text. */
export function textFault(
  bytes: Uint8Array,
  from: number,
  to: number,
  memory: Memory,
): "CborInvalidUtf8" | "CborUnassigned" | "CborNotNfc" | null {
  const start = asciiEnd(bytes, from, to);
  if (start === to) return null;
  const utf8 = new Utf8();
  const check = new QuickCheck();
  let isAssigned = true;
  for (let i = start; i < to; i++) {
    const point = utf8.take(bytes[i]);
    if (point === MALFORMED) return "CborInvalidUtf8";
    if (point === MORE) continue;
    isAssigned &&= assigned(point);
    check.take(point);
  }
  if (!utf8.whole) return "CborInvalidUtf8";
  if (!isAssigned) return "CborUnassigned";
  if (check.answer === YES) return null;
  if (check.answer === MAYBE) {
    memory.transient(NFC_BYTES * (to - start));
    if (isNormal(bytes, Math.max(from, start - 1), to)) return null;
  }
  return "CborNotNfc";
}

/** NFC in full, for the rare text that the quick check leaves open. */
function isNormal(bytes: Uint8Array, from: number, to: number): boolean {
  const utf8 = new Utf8();
  const points: number[] = [];
  for (let i = from; i < to; i++) {
    const point = utf8.take(bytes[i]);
    if (point !== MORE) points.push(point);
  }
  const normal = nfc(points);
  return normal.length === points.length && normal.every((point, i) => point === points[i]);
}
