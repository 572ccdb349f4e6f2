/** `table/1`: longest match from the left (section 4). */
import type { Lookup } from "../lookup.ts";
import type { CoverUnit, EncodePiece } from "./kind.ts";

export function table(lookup: Lookup, cover: CoverUnit): EncodePiece {
  return (piece, ids) => {
    for (let at = 0; at < piece.length;) {
      const match = lookup.longest(piece, at, piece.length);
      if (match !== null) ids.push(match.index);
      else if (!cover(piece, at, at + 1, ids)) return false;
      at = match?.end ?? at + 1;
    }
    return true;
  };
}
