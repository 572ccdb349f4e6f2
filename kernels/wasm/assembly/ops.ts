/**
 * The operations between the products. Vectors have room for a whole number of four lanes
 * where they are written lane by lane (`add`, `swiglu`, `softmax`); what lies beyond is noise.
 */
import { denseMatvec, dot } from "./dense";
import { exp4, load4, loadSome, mulAdd, sizeOf, sum } from "./lanes";
import { BF16, F16, F32 } from "./layout";

/** out [n] = x * w / sqrt(mean(x^2) + eps); the sum in lane order, the bits those of `cpu/ops.ts`. */
export function rmsNorm(out: usize, x: usize, w: usize, n: i32, eps: f32): void {
  const root = sqrt<f32>(dot(x, x, n) / <f32>n + eps), whole = n & ~3;
  let j = 0;
  for (; j < whole; j += 4) {
    const at = <usize>j << 2;
    v128.store(out + at, f32x4.div(f32x4.mul(v128.load(x + at), v128.load(w + at)), f32x4.splat(root)));
  }
  for (; j < n; j++) {
    const at = <usize>j << 2;
    store<f32>(out + at, load<f32>(x + at) * load<f32>(w + at) / root);
  }
}

/** Turns `heads` heads of x in place; style 0 adjacent pairs, 1 half split. */
export function rope(x: usize, heads: i32, headDim: i32, style: i32, cos: usize, sin: usize): void {
  const half = headDim >> 1;
  const step: usize = style == 0 ? 8 : 4, gap: usize = style == 0 ? 4 : <usize>half << 2;
  for (let head = 0; head < heads; head++) {
    let p = x + <usize>head * (<usize>headDim << 2);
    for (let i = 0; i < half; i++) {
      const a = load<f32>(p), b = load<f32>(p + gap);
      const c = load<f32>(cos + (<usize>i << 2)), s = load<f32>(sin + (<usize>i << 2));
      store<f32>(p, a * c - b * s);
      store<f32>(p + gap, a * s + b * c);
      p += step;
    }
  }
}

/** a [n] += b. */
export function add(a: usize, b: usize, n: i32): void {
  for (const end = a + (<usize>n << 2); a < end; a += 16) {
    v128.store(a, f32x4.add(v128.load(a), v128.load(b)));
    b += 16;
  }
}

/** gate [n] = gate / (1 + exp(-gate)) * up. */
export function swiglu(gate: usize, up: usize, n: i32): void {
  for (const end = gate + (<usize>n << 2); gate < end; gate += 16) {
    const g = v128.load(gate), below = f32x4.add(f32x4.splat(1), exp4(f32x4.neg(g)));
    v128.store(gate, f32x4.mul(f32x4.div(g, below), v128.load(up)));
    up += 16;
  }
}

/** exp(x - max) / sum in place; the sum in lane order. A NaN that the maximum missed makes the sum NaN. */
export function softmax(x: usize, n: i32): void {
  // Lanes beyond n take no part: exp of them is 0.
  for (let j = n; j & 3; j++) store<f32>(x + (<usize>j << 2), -Infinity);
  const end = x + (<usize>n << 2);
  let most = v128.load(x);
  for (let p = x + 16; p < end; p += 16) most = f32x4.pmax(most, v128.load(p));
  most = f32x4.pmax(most, v128.shuffle<f32>(most, most, 2, 3, 0, 1));
  most = f32x4.pmax(most, v128.shuffle<f32>(most, most, 1, 0, 3, 2));
  let total = f32x4.splat(0);
  for (let p = x; p < end; p += 16) {
    const e = exp4(f32x4.sub(v128.load(p), most));
    v128.store(p, e);
    total = f32x4.add(total, e);
  }
  const by = f32x4.splat(sum(total));
  for (let p = x; p < end; p += 16) v128.store(p, f32x4.div(v128.load(p), by));
}

/**
 * One query position: out and q [heads, headDim], keys and values [kvHeads, capacity, headDim]
 * of a dense `kind`, of which the first `positions` count; `scores` has room for them.
 */
export function attention(
  kind: i32, out: usize, q: usize, keys: usize, values: usize, scores: usize,
  heads: i32, kvHeads: i32, headDim: i32, positions: i32, capacity: i32,
): void {
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(<f64>headDim)));
  const headBytes = <usize>headDim << 2, cacheBytes = <usize>capacity * <usize>headDim * sizeOf(kind);
  const shared = heads / kvHeads;
  for (let head = 0; head < heads; head++) {
    const base = <usize>(head / shared) * cacheBytes;
    denseMatvec(kind, scores, q, keys + base, headDim, positions);
    for (let p = scores, end = scores + (<usize>positions << 2); p < end; p += 16) {
      v128.store(p, f32x4.mul(v128.load(p), scale));
    }
    softmax(scores, positions);
    if (kind == F32) weigh(F32, out, scores, values + base, headDim, positions);
    else if (kind == F16) weigh(F16, out, scores, values + base, headDim, positions);
    else weigh(BF16, out, scores, values + base, headDim, positions);
    q += headBytes;
    out += headBytes;
  }
}

/** out [headDim] = sum of weight times value, in rising position. `kind` is a constant. */
@inline
function weigh(kind: i32, out: usize, weights: usize, values: usize, headDim: i32, positions: i32): void {
  const row = <usize>headDim * sizeOf(kind), end = weights + (<usize>positions << 2);
  let i = 0;
  for (; i + 16 <= headDim; i += 16) {
    let a = f32x4.splat(0), b = a, c = a, d = a, v = values;
    for (let p = weights; p < end; p += 4) {
      const weight = v128.load32_splat(p), step = sizeOf(kind) << 2;
      a = mulAdd(a, weight, load4(kind, v));
      b = mulAdd(b, weight, load4(kind, v + step));
      c = mulAdd(c, weight, load4(kind, v + 2 * step));
      d = mulAdd(d, weight, load4(kind, v + 3 * step));
      v += row;
    }
    v128.store(out, a);
    v128.store(out, b, 16);
    v128.store(out, c, 32);
    v128.store(out, d, 48);
    out += 64;
    values += 16 * sizeOf(kind);
  }
  for (; i + 4 <= headDim; i += 4) {
    let a = f32x4.splat(0), v = values;
    for (let p = weights; p < end; p += 4) {
      a = mulAdd(a, v128.load32_splat(p), load4(kind, v));
      v += row;
    }
    v128.store(out, a);
    out += 16;
    values += 4 * sizeOf(kind);
  }
  for (; i < headDim; i++) {
    let a: f32 = 0, v = values;
    for (let p = weights; p < end; p += 4) {
      a += load<f32>(p) * one(kind, v);
      v += row;
    }
    store<f32>(out, a);
    out += 4;
    values += sizeOf(kind);
  }
}

/** One element of a dense kind. */
@inline
function one(kind: i32, p: usize): f32 {
  return kind == F32 ? load<f32>(p) : f32x4.extract_lane(loadSome(kind, p, 1), 0);
}

