/** `byte-level-bpe/1`: bytes, then the merges by rank (section 4). */
import type { Merges } from "../blobs.ts";
import type { Lookup } from "../lookup.ts";
import type { CoverUnit, EncodePiece } from "./kind.ts";
import { collect, merge, type Rules, symbolPool } from "./merge.ts";

/**
 * An encoder over one-byte tokens and merges; `bars` says which tokens a merge may not name,
 * because text never yields them.
 */
export function byteLevelBpe(
  lookup: Lookup,
  merges: Merges,
  bars: (token: number) => boolean,
  cover: CoverUnit,
): EncodePiece {
  const rules: Rules = {
    rule: ranks(merges, bars),
    key: (rank) => rank,
    result: (rank) => merges.result[rank],
    everywhere: true,
  };
  const byteToken = Int32Array.from(
    { length: 256 },
    (_, byte) => lookup.exact(Uint8Array.of(byte), 0, 1),
  );
  const pool = symbolPool();
  return (piece, ids) => {
    const symbols = pool(piece.length);
    for (let at = 0; at < piece.length; at++) symbols.add(byteToken[piece[at]], at, at + 1);
    merge(symbols, piece, rules);
    return collect(symbols, piece, cover, ids);
  };
}

/** The rank of a pair, or -1: merges sorted by (left, right), searched by halves. */
function ranks(
  { left, right, result }: Merges,
  bars: (token: number) => boolean,
): (left: number, right: number) => number {
  const usable = (rank: number) => !bars(left[rank]) && !bars(right[rank]) && !bars(result[rank]);
  const order = Uint32Array.from(left.keys()).filter(usable)
    .sort((a, b) => left[a] - left[b] || right[a] - right[b]);
  const compare = (rank: number, l: number, r: number) => left[rank] - l || right[rank] - r;
  return (l, r) => {
    let low = 0, high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const sign = compare(order[middle], l, r);
      if (sign === 0) return order[middle];
      if (sign < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  };
}
