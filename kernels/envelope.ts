/**
 * How far two honest f32 evaluations of an operation may lie apart, element by element. A
 * backend declares (`Backend.envelopes`) which multiple of these bounds it keeps from the
 * reference, or 0 for the same bits.
 *
 * u = 2^-24 is the largest relative error of one rounding; a sum of n products, in any order,
 * is off by at most about n u times the sum of their magnitudes (Higham, Accuracy and
 * Stability of Numerical Algorithms, chapter 3). The constants beside n are room for the few
 * other steps: dequantising, exp within two units in the last place, scaling.
 */
import type { AttentionShape } from "./backend.ts";

const U = 2 ** -24;
/** Below the normal numbers errors are absolute. */
const TINY = 2 ** -126;

function largest(x: Float32Array): number {
  return x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

export const BOUNDS = {
  /** One row of a dense product: (n + 8) u sum |w x|. */
  dense(row: Float32Array, x: Float32Array): number {
    let sum = 0;
    for (let j = 0; j < x.length; j++) sum += Math.abs(row[j] * x[j]);
    return (x.length + 8) * U * sum + TINY;
  },

  /**
   * One row of a quantised product: (n + 32) u max |w| sum |x|. The largest weight stands for
   * all, since a scale is shared by a block, q4-1's minimum is as large as any of its values,
   * and a fixed-point x is as exact as its block's largest.
   */
  quantised(row: Float32Array, x: Float32Array): number {
    const sum = x.reduce((total, value) => total + Math.abs(value), 0);
    return (x.length + 32) * U * largest(row) * sum + TINY;
  },

  /** One element of rmsNorm over n: (n + 8) u |y|. */
  rmsNorm: (y: number, n: number) => (n + 8) * U * Math.abs(y) + TINY,

  /** Either element of a turned pair: 4 u (|a| + |b|). */
  rope: (a: number, b: number) => 4 * U * (Math.abs(a) + Math.abs(b)) + TINY,

  /** One probability of n: (n + 32) u p. */
  softmax: (p: number, n: number) => (n + 32) * U * p + TINY,

  swiglu: (y: number) => 16 * U * Math.abs(y) + TINY,

  /**
   * Any element of attention: an error of the scores counts twice in the weights, relatively;
   * weights sum to 1, so that the largest value bounds the rest.
   */
  attention(
    q: Float32Array,
    keys: Float32Array,
    values: Float32Array,
    { headDim, positions }: AttentionShape,
  ): number {
    const score = largest(q) * largest(keys) * headDim / Math.sqrt(headDim);
    return largest(values) * U * (2 * positions + 64 + 2 * (headDim + 8) * score) + TINY;
  },

  /**
   * Logits of a whole pass: 16 u a layer of the largest. Not derived, for errors of a network
   * have no useful bound; measured distances are a tenth of it.
   */
  logits: (logits: Float32Array, layers: number) => 16 * layers * U * largest(logits),
} as const;
