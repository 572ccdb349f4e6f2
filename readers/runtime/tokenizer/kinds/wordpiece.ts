/** `wordpiece/1`: each word by longest matches, or as a whole not at all (section 4). */
import type { Lookup } from "../lookup.ts";
import { width } from "../utf8.ts";
import type { CoverUnit, EncodePiece } from "./kind.ts";

/** Section 4: a word of more code points is uncovered. */
const LONGEST_WORD = 100;

/** An encoder that puts `marker` before each word, and then matches from the left. */
export function wordpiece(lookup: Lookup, marker: Uint8Array, cover: CoverUnit): EncodePiece {
  return (piece, ids) => {
    const word = new Uint8Array(marker.length + piece.length);
    word.set(marker);
    word.set(piece, marker.length);
    const found = codePoints(piece) > LONGEST_WORD ? null : segment(lookup, word);
    if (found === null) return cover(piece, 0, piece.length, ids);
    ids.push(...found);
    return true;
  };
}

function codePoints(text: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < text.length; at += width(text[at])) count++;
  return count;
}

function segment(lookup: Lookup, word: Uint8Array): number[] | null {
  const ids: number[] = [];
  for (let at = 0; at < word.length;) {
    const match = lookup.longest(word, at, word.length);
    if (match === null) return null;
    ids.push(match.index);
    at = match.end;
  }
  return ids;
}
