/** The registered pretokenizer ops (classes.md section 4), each a way to cut a piece. */
import type { Op } from "./body.ts";
import { isLetter, isNumber, isPunctuation, isWhitespace } from "./unicode/properties.ts";
import { codePoint, width } from "./utf8.ts";

/** Cuts `text[start .. end)`: tells `piece` the bounds of each piece, from the left. */
export type Cut = (
  text: Uint8Array,
  start: number,
  end: number,
  piece: (start: number, end: number) => void,
) => void;

/** Makes a cut from the operands of an op. */
type Make = (...operands: (string | number)[]) => Cut;

const CUTS = new Map<string, Make>([
  ["gpt2-split", () => gpt2Split],
  ["whitespace-split", () => whitespaceSplit],
  ["punctuation-split", () => punctuationSplit],
  ["digits-split", (most) => digitsSplit(Number(most))],
  ["none", () => none],
]);

/** The cut of an op, or null where it is not registered. */
export function pretokenizerCut([id, ...operands]: Op): Cut | null {
  return CUTS.get(id)?.(...operands) ?? null;
}

const none: Cut = (_text, start, end, piece) => piece(start, end);

/** Where the run of code points that `belongs` holds for, from `at` on, ends. */
function runEnd(
  text: Uint8Array,
  at: number,
  end: number,
  belongs: (code: number) => boolean,
): number {
  while (at < end && belongs(codePoint(text, at))) at += width(text[at]);
  return at;
}

const utf8 = new TextEncoder();
const CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"].map((c) => utf8.encode(c));
const APOSTROPHE = 0x27;
const SPACE = 0x20;

const isOther = (code: number) => !isWhitespace(code) && !isLetter(code) && !isNumber(code);
/** The three sorts of run that may have a space before them; each code point is of one or white. */
const SORTS = [isLetter, isNumber, isOther];

const gpt2Split: Cut = (text, start, end, piece) => {
  for (let at = start; at < end;) {
    const next = contractionEnd(text, at, end) ?? sortedEnd(text, at, end) ??
      whitespaceEnd(text, at, end);
    piece(at, next);
    at = next;
  }
};

function contractionEnd(text: Uint8Array, at: number, end: number): number | null {
  if (text[at] !== APOSTROPHE) return null;
  const found = CONTRACTIONS.find((c) =>
    at + c.length <= end && c.every((byte, i) => text[at + i] === byte)
  );
  return found === undefined ? null : at + found.length;
}

function sortedEnd(text: Uint8Array, at: number, end: number): number | null {
  const run = text[at] === SPACE ? at + 1 : at;
  if (run === end) return null;
  const code = codePoint(text, run);
  const sort = SORTS.find((belongs) => belongs(code));
  return sort === undefined ? null : runEnd(text, run, end, sort);
}

function whitespaceEnd(text: Uint8Array, at: number, end: number): number {
  let last = at;
  let next = at;
  while (next < end && isWhitespace(codePoint(text, next))) {
    last = next;
    next += width(text[next]);
  }
  return next < end && last > at ? last : next;
}

const whitespaceSplit: Cut = (text, start, end, piece) => {
  for (let at = start; at < end;) {
    const word = runEnd(text, at, end, isWhitespace);
    at = runEnd(text, word, end, (code) => !isWhitespace(code));
    if (word < at) piece(word, at);
  }
};

/** P*, and what ASCII has besides, symbols that no one takes for part of a word. */
const isMark = (code: number) =>
  isPunctuation(code) || (code >= 0x21 && code <= 0x2f) || (code >= 0x3a && code <= 0x40) ||
  (code >= 0x5b && code <= 0x60) || (code >= 0x7b && code <= 0x7e);

const punctuationSplit: Cut = (text, start, end, piece) => {
  for (let at = start; at < end;) {
    const next = isMark(codePoint(text, at))
      ? at + width(text[at])
      : runEnd(text, at, end, (code) => !isMark(code));
    piece(at, next);
    at = next;
  }
};

function digitsSplit(most: number): Cut {
  return (text, start, end, piece) => {
    for (let at = start; at < end;) {
      const rest = runEnd(text, at, end, (code) => !isNumber(code));
      if (at < rest) piece(at, rest);
      at = rest;
      let count = 0;
      let run = at;
      while (run < end && count < most && isNumber(codePoint(text, run))) {
        run += width(text[run]);
        count++;
      }
      if (at < run) piece(at, run);
      at = run;
    }
  };
}
