/**
 * UTF-8, in which all text of the tokenizer stands (RFC 3629). Ill-formed text is refused at
 * the door, so everything behind it steps over well-formed code points without checking.
 */

/** Where text from a host is no Unicode text: offset in UTF-16 units or in bytes. */
export interface IllFormed {
  readonly error: "LoneSurrogate" | "BadUtf8";
  readonly offset: number;
}

const encoder = new TextEncoder();

/** Shorter ASCII costs less letter by letter than a call of the engine. */
const SHORT = 64;

/** The UTF-8 of a host's text, or its first fault. Bytes are checked and returned as they are. */
export function utf8Of(text: string | Uint8Array): Uint8Array | IllFormed {
  if (typeof text === "string") {
    if (text.length <= SHORT) {
      const ascii = asciiOf(text);
      if (ascii !== null) return ascii;
    }
    if (text.isWellFormed()) return encoder.encode(text);
    return { error: "LoneSurrogate", offset: loneSurrogate(text) };
  }
  const offset = illFormedAt(text);
  return offset < 0 ? text : { error: "BadUtf8", offset };
}

function asciiOf(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return null;
    bytes[i] = unit;
  }
  return bytes;
}

function loneSurrogate(text: string): number {
  let at = 0;
  for (const char of text) {
    if (!char.isWellFormed()) return at;
    at += char.length;
  }
  return at;
}

/** Least second byte after a lead byte that narrows it (Unicode, table 3-7); 0x80 elsewhere. */
const SECOND_MIN: { readonly [lead: number]: number } = { 0xe0: 0xa0, 0xf0: 0x90 };
/** Greatest second byte likewise; 0xbf elsewhere. */
const SECOND_MAX: { readonly [lead: number]: number } = { 0xed: 0x9f, 0xf4: 0x8f };

/** The offset of the first byte that begins no well-formed sequence, or -1. */
export function illFormedAt(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at];
    if (lead < 0x80) {
      at++;
      continue;
    }
    if (lead < 0xc2 || lead > 0xf4) return at;
    const end = at + width(lead);
    if (end > bytes.length) return at;
    const second = bytes[at + 1];
    if (second < (SECOND_MIN[lead] ?? 0x80) || second > (SECOND_MAX[lead] ?? 0xbf)) return at;
    for (let i = at + 2; i < end; i++) if ((bytes[i] & 0xc0) !== 0x80) return at;
    at = end;
  }
  return -1;
}

/** Bytes of the code point whose first byte is `lead`. */
export function width(lead: number): number {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The code point that begins at `at` in well-formed text. */
export function codePoint(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  if (lead < 0x80) return lead;
  const tail = bytes[at + 1] & 0x3f;
  if (lead < 0xe0) return (lead & 0x1f) << 6 | tail;
  const third = tail << 6 | (bytes[at + 2] & 0x3f);
  if (lead < 0xf0) return (lead & 0x0f) << 12 | third;
  return (lead & 0x07) << 18 | third << 6 | (bytes[at + 3] & 0x3f);
}

/** The first byte of the code point that ends before `end` in well-formed text. */
export function before(bytes: Uint8Array, end: number): number {
  let at = end - 1;
  while ((bytes[at] & 0xc0) === 0x80) at--;
  return at;
}

/** Texts, one after the other. */
export function joined(texts: readonly Uint8Array[]): Uint8Array {
  if (texts.length === 1) return texts[0];
  const whole = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  for (const text of texts) {
    whole.set(text, at);
    at += text.length;
  }
  return whole;
}
