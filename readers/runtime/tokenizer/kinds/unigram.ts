/** `unigram/1`: the best-scoring segmentation, by Viterbi (section 4). */
import type { Lookup } from "../lookup.ts";
import { width } from "../utf8.ts";
import type { CoverUnit, EncodePiece } from "./kind.ts";

/** Section 4: an uncovered code point scores this much less than the least of all scores. */
const UNCOVERED_PENALTY = 10;

const UNREACHED = -1;
const NO_TOKEN = -1;

/** An encoder over the tokens that a lookup yields, and the score of each token. */
export function unigram(lookup: Lookup, scores: Float32Array, cover: CoverUnit): EncodePiece {
  const least = scores.reduce((a, b) => Math.min(a, b), Infinity);
  const uncovered = Math.fround(least - UNCOVERED_PENALTY);

  return (piece, ids) => {
    const size = piece.length;
    /** per position: the best sum that leads there, and the last token of that way */
    const sum = new Float32Array(size + 1);
    const from = new Int32Array(size + 1).fill(UNREACHED);
    const token = new Int32Array(size + 1);
    from[0] = 0;

    let codePointEnd = 0;
    for (let at = 0; at < size; at++) {
      const begins = at === codePointEnd;
      if (begins) codePointEnd += width(piece[at]);
      if (from[at] === UNREACHED) continue;
      // Float32Array rounds each sum; ways come longest last token first, so ties keep that one
      const edge = (end: number, score: number, id: number) => {
        const total = Math.fround(sum[at] + score);
        if (from[end] !== UNREACHED && total <= sum[end]) return;
        sum[end] = total;
        from[end] = at;
        token[end] = id;
      };
      let hasOwnToken = false;
      lookup.prefixes(piece, at, size, (id, end) => {
        if (end === codePointEnd) hasOwnToken = true;
        edge(end, scores[id], id);
      });
      if (begins && !hasOwnToken) edge(codePointEnd, uncovered, NO_TOKEN);
    }

    const ends: number[] = [];
    for (let end = size; end > 0; end = from[end]) ends.push(end);
    for (const end of ends.reverse()) {
      if (token[end] !== NO_TOKEN) ids.push(token[end]);
      else if (!cover(piece, from[end], end, ids)) return false;
    }
    return true;
  };
}
