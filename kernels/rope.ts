/** The angles of the rotary embedding, the same bits for every backend on one host. */
import type { LlamaShape } from "./backend.ts";

/** Cosines and sines of one position, [headDim / 2] each. */
export interface Turn {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/**
 * Gives each position's turn (classes.md section 2): angle = pos * theta^(-2i/headDim), the
 * power formed in f64 and rounded to f32, the product one f32 operation, cosine and sine of
 * that f32 formed in f64 and rounded to f32. The same arrays are written anew at each call.
 */
export function ropeTurns(
  { headDim, ropeTheta }: Pick<LlamaShape, "headDim" | "ropeTheta">,
): (position: number) => Turn {
  const half = headDim / 2, theta = Math.fround(ropeTheta);
  const frequency = Float32Array.from({ length: half }, (_, i) => theta ** (-2 * i / headDim));
  const cos = new Float32Array(half), sin = new Float32Array(half);
  return (position) => {
    for (let i = 0; i < half; i++) {
      const angle = Math.fround(position * frequency[i]);
      cos[i] = Math.cos(angle);
      sin[i] = Math.sin(angle);
    }
    return { cos, sin };
  };
}
