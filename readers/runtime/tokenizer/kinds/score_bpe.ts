/** `score-bpe/1`: code points, then the adjacent pair of the highest score (section 4). */
import type { Lookup } from "../lookup.ts";
import { width } from "../utf8.ts";
import type { CoverUnit, EncodePiece } from "./kind.ts";
import { collect, merge, type Rules, symbolPool } from "./merge.ts";

/** An encoder over the tokens that a lookup yields, and the score of each token. */
export function scoreBpe(lookup: Lookup, scores: Float32Array, cover: CoverUnit): EncodePiece {
  const rules: Rules = {
    rule: (_left, _right, piece, start, end) => lookup.exact(piece, start, end),
    key: (token) => -scores[token],
    result: (token) => token,
    everywhere: false,
  };
  const pool = symbolPool();
  return (piece, ids) => {
    const symbols = pool(piece.length);
    for (let at = 0; at < piece.length;) {
      const end = at + width(piece[at]);
      symbols.add(lookup.exact(piece, at, end), at, end);
      at = end;
    }
    merge(symbols, piece, rules);
    return collect(symbols, piece, cover, ids);
  };
}
