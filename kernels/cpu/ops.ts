/**
 * The operations in plain TypeScript: the reference that other backends are held against.
 *
 * Every step is one f32 operation (`fround` of an f64 operation on two f32 values is exactly
 * that; a store into a Float32Array rounds as well). **Lane order**: a sum over j runs in four
 * partial sums, j mod 4, each in rising j from +0, then (s0 + s1) + (s2 + s3). It is what a
 * 128-bit unit does, so that Wasm can promise the same bits. exp is the host's f64 `Math.exp`
 * rounded to f32.
 */
import type { AttentionShape, LlamaShape } from "../backend.ts";
import type { Turn } from "../rope.ts";

const { exp, fround, sqrt } = Math;

/** Sum of a[j] * b[j] over the length of `b`, from `at` in `a`; lane order. */
export function dot(a: Float32Array, b: Float32Array, at = 0): number {
  const n = b.length, whole = n - n % 4;
  let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (let j = 0; j < whole; j += 4) {
    s0 = fround(s0 + fround(a[at + j] * b[j]));
    s1 = fround(s1 + fround(a[at + j + 1] * b[j + 1]));
    s2 = fround(s2 + fround(a[at + j + 2] * b[j + 2]));
    s3 = fround(s3 + fround(a[at + j + 3] * b[j + 3]));
  }
  if (whole < n) s0 = fround(s0 + fround(a[at + whole] * b[whole]));
  if (whole + 1 < n) s1 = fround(s1 + fround(a[at + whole + 1] * b[whole + 1]));
  if (whole + 2 < n) s2 = fround(s2 + fround(a[at + whole + 2] * b[whole + 2]));
  return fround(fround(s0 + s1) + fround(s2 + s3));
}

/** Sum of all of `x`; lane order. */
function sum(x: Float32Array): number {
  const lanes = [0, 0, 0, 0];
  for (let j = 0; j < x.length; j++) lanes[j % 4] = fround(lanes[j % 4] + x[j]);
  return fround(fround(lanes[0] + lanes[1]) + fround(lanes[2] + lanes[3]));
}

/** x * w / sqrt(mean(x^2) + eps) into `out`; the mean's sum in lane order. */
export function rmsNorm(out: Float32Array, x: Float32Array, w: Float32Array, eps: number): void {
  const mean = fround(dot(x, x) / x.length);
  const root = fround(sqrt(fround(mean + fround(eps))));
  for (let j = 0; j < x.length; j++) out[j] = fround(x[j] * w[j]) / root;
}

/** Turns each head of `x` in place. Style 0 pairs (2i, 2i + 1), 1 pairs (i, i + headDim / 2). */
export function rope(x: Float32Array, headDim: number, style: LlamaShape["ropeStyle"], turn: Turn) {
  const half = headDim / 2, step = style === 0 ? 2 : 1, gap = style === 0 ? 1 : half;
  for (let head = 0; head < x.length; head += headDim) {
    for (let i = 0; i < half; i++) {
      const first = head + i * step, second = first + gap;
      const a = x[first], b = x[second], c = turn.cos[i], s = turn.sin[i];
      x[first] = fround(a * c) - fround(b * s);
      x[second] = fround(a * s) + fround(b * c);
    }
  }
}

/** exp(x - max) / sum in place; the sum in lane order. */
export function softmax(x: Float32Array): void {
  let most = -Infinity;
  for (const value of x) most = Math.max(most, value);
  for (let j = 0; j < x.length; j++) x[j] = exp(fround(x[j] - most));
  const total = sum(x);
  for (let j = 0; j < x.length; j++) x[j] /= total;
}

/**
 * One query position over `positions` cached ones, into `out` [heads x headDim]. `keys` and
 * `values` are [kvHeads, capacity, headDim]; query heads g, g + 1, ... share key head
 * floor(head / (heads / kvHeads)). Values are summed in rising position.
 */
export function attention(
  out: Float32Array,
  q: Float32Array,
  keys: Float32Array,
  values: Float32Array,
  { heads, kvHeads, headDim, positions }: AttentionShape,
  capacity = positions,
): void {
  const scale = fround(1 / sqrt(headDim)), weights = new Float32Array(positions);
  out.fill(0);
  for (let head = 0; head < heads; head++) {
    const query = q.subarray(head * headDim, (head + 1) * headDim);
    const base = Math.floor(head / (heads / kvHeads)) * capacity * headDim;
    for (let t = 0; t < positions; t++) weights[t] = dot(keys, query, base + t * headDim) * scale;
    softmax(weights);
    for (let t = 0; t < positions; t++) {
      const weight = weights[t], from = base + t * headDim, to = head * headDim;
      for (let i = 0; i < headDim; i++) out[to + i] += fround(weight * values[from + i]);
    }
  }
}

/** silu(gate) * up into `out`: gate / (1 + exp(-gate)) * up. */
export function swiglu(out: Float32Array, gate: Float32Array, up: Float32Array): void {
  for (let j = 0; j < gate.length; j++) {
    const g = gate[j];
    out[j] = fround(g / fround(1 + fround(exp(-g)))) * up[j];
  }
}

/** a + b into `a`. */
export function add(a: Float32Array, b: Float32Array): void {
  for (let j = 0; j < a.length; j++) a[j] += b[j];
}
