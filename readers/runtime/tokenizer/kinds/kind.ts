/**
 * What the five kinds of tokenizer share (classes.md section 4, "How a kind encodes"): each is
 * a function from one piece of normalised text to token ids.
 */

/** Ids in the making. */
export type Ids = number[];

/**
 * Appends the ids of a piece. False where the piece has a unit that the kind does not cover
 * and the policy is `reject`; the ids are void then.
 */
export type EncodePiece = (piece: Uint8Array, ids: Ids) => boolean;

/**
 * Appends what stands for a unit that the kind does not cover, `piece[start .. end)`; false
 * where the policy is `reject`.
 */
export type CoverUnit = (piece: Uint8Array, start: number, end: number, ids: Ids) => boolean;

/** The unknown policies of section 4. */
export type Policy = "reject" | "token" | "bytes";

/**
 * The cover of uncovered units under a policy: an error, `unknown` once a unit, or the unit's
 * bytes through the 256 ids of `fallback`.
 */
export function coverBy(
  policy: Policy,
  unknown: number | null,
  fallback: Uint32Array | null,
): CoverUnit {
  if (policy === "bytes" && fallback !== null) {
    return (piece, start, end, ids) => {
      for (let i = start; i < end; i++) ids.push(fallback[piece[i]]);
      return true;
    };
  }
  if (policy === "token" && unknown !== null) {
    return (_piece, _start, _end, ids) => {
      ids.push(unknown);
      return true;
    };
  }
  return () => false;
}
