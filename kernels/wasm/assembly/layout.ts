/**
 * Records that the host writes and the kernels read (`../layout.ts` holds the same order),
 * and what stands in a weight's data.
 *
 * Dense weights stand as in the file: row-major. Quantised ones are put into *panels* while
 * they are loaded, and the file's bytes are not kept: a panel is one block column of four rows.
 * Panels of one block column follow one another, then come those of the next, so that a
 * product reads its weights once from front to back, holds a block of x in registers, and
 * adds four rows at a time. Scales become f32 (their values are those of the f16): a panel
 * takes 8 bytes more than its four blocks in the file, q4-1's 16. Rows beyond the last are
 * zero, as are the codes' lanes beyond the last column (code of zero, or 0 times zero).
 */

export const F32 = 0, F16 = 1, BF16 = 2, Q8 = 3, Q4_0 = 4, Q4_1 = 5, Q5_0 = 6, NF4 = 7;
/** Rows that begin inside a block (tail rule `pad` or `exact`): the file's bytes, row by row. */
export const STRADDLING = 8;

/** Bytes of a panel: four scales, four minima for q4-1, then the codes of four rows. */
export const Q8_PANEL: usize = 16 + 4 * 32;
export const Q4_0_PANEL: usize = 16 + 4 * 16;
export const Q4_1_PANEL: usize = 32 + 4 * 16;
/** The four fifth-bit planes stand after the scales. */
export const Q5_0_PANEL: usize = 32 + 4 * 16;
/** Of 64 columns. */
export const NF4_PANEL: usize = 16 + 4 * 32;

@unmanaged
export class Weight {
  kind: i32;
  rows: i32;
  columns: i32;
  data: usize;
}

@unmanaged
export class Layer {
  attentionNorm: usize; // f32 [dim], as the other norms
  ffnNorm: usize;
  attentionQ: Weight;
  attentionK: Weight;
  attentionV: Weight;
  attentionOutput: Weight;
  ffnGate: Weight;
  ffnUp: Weight;
  ffnDown: Weight;
  keys: usize; // [kvHeads, positions, headDim] in the cache's element
  values: usize;
}

@unmanaged
export class Plan {
  dim: i32;
  headDim: i32;
  hiddenDim: i32;
  layers: i32;
  kvHeads: i32;
  heads: i32;
  ropeStyle: i32;
  normEps: f32;
  positions: i32;
  cacheKind: i32; // F32, F16 or BF16
  quantised: i32; // 1 unless all weights are dense
  layer: usize; // the first of `layers` Layer records
  finalNorm: usize;
  output: Weight;
  // Activations, each with room for a whole number of vectors
  x: usize; // [dim]: holds the token's embedding when `forward` is called
  normed: usize; // [dim]
  delta: usize; // [dim]
  q: usize; // [heads, headDim]
  k: usize; // [kvHeads, headDim]
  v: usize; // [kvHeads, headDim]
  attended: usize; // [heads, headDim]
  gate: usize; // [hiddenDim]
  up: usize; // [hiddenDim]
  scores: usize; // [positions]
  cos: usize; // [headDim / 2] of the position
  sin: usize;
  logits: usize; // [vocab]
}
