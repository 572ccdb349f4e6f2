/** Added tokens in text (classes.md section 4): leftmost, then longest, with their flags. */
import { type AddedToken, FLAG } from "./blobs.ts";
import { type Entries, Lookup } from "./lookup.ts";
import { isLetter, isNumber, isWhitespace } from "./unicode/properties.ts";
import { before, codePoint, width } from "./utf8.ts";

/** A part of a text: an added token, or (null) a stretch between such. */
export interface Part {
  readonly token: number | null;
  readonly start: number;
  readonly end: number;
}

/** Cuts well-formed text at the added tokens that stand in it. Empty stretches are left out. */
export type Split = (text: Uint8Array) => Part[];

interface Found {
  readonly token: number;
  readonly end: number;
}

export function splitAtAdded(vocabulary: Entries, tokens: readonly AddedToken[]): Split {
  const flags = new Map(tokens.map(({ id, flags }) => [id, flags]));
  const has = (id: number, flag: number) => ((flags.get(id) ?? 0) & flag) !== 0;
  // apart: where a single word may not stand, an equal token of a higher id may
  const lookups = [true, false].map((word) =>
    new Lookup(vocabulary, (id) => flags.has(id) && has(id, FLAG.singleWord) === word)
  );

  /** The longest token that may stand at `at`, of equal ones the lowest: whole code points, and words. */
  const tokenAt = (text: Uint8Array, at: number): Found | null => {
    let best = null as Found | null;
    for (const lookup of lookups) {
      lookup.prefixes(text, at, text.length, (token, end) => {
        if (end < text.length && (text[end] & 0xc0) === 0x80) return;
        if (has(token, FLAG.singleWord) && !standsAlone(text, at, end)) return;
        if (best !== null && (end < best.end || end === best.end && token > best.token)) return;
        best = { token, end };
      });
    }
    return best;
  };

  return (text) => {
    const parts: Part[] = [];
    const stretch = (start: number, end: number) => {
      if (start < end) parts.push({ token: null, start, end });
    };
    let done = 0;
    for (let at = 0; at < text.length;) {
      const match = lookups.some((lookup) => lookup.begins(text[at])) ? tokenAt(text, at) : null;
      if (match === null) {
        at += width(text[at]);
        continue;
      }
      let start = at, end = match.end;
      if (has(match.token, FLAG.leftStrip)) {
        while (start > done && isWhitespace(codePoint(text, before(text, start)))) {
          start = before(text, start);
        }
      }
      if (has(match.token, FLAG.rightStrip)) {
        while (end < text.length && isWhitespace(codePoint(text, end))) end += width(text[end]);
      }
      stretch(done, start);
      parts.push({ token: match.token, start, end });
      at = done = end;
    }
    stretch(done, text.length);
    return parts;
  };
}

function standsAlone(text: Uint8Array, start: number, end: number): boolean {
  const left = start > 0 && isWordPart(codePoint(text, before(text, start)));
  const right = end < text.length && isWordPart(codePoint(text, end));
  return !left && !right;
}

const isWordPart = (code: number) => code === 0x5f || isLetter(code) || isNumber(code);
