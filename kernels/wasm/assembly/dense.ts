/** Products with dense weights: rows in file order, each sum in lane order (`cpu/ops.ts`). */
import { BF16, F16, F32 } from "./layout";
import { load4, loadSome, mulAdd, sizeOf, sum, sums } from "./lanes";

/** y [d] = W [d, n] x [n], W dense of `kind`. */
export function denseMatvec(kind: i32, y: usize, x: usize, w: usize, n: i32, d: i32): void {
  if (kind == F32) matvecOf(F32, y, x, w, n, d);
  else if (kind == F16) matvecOf(F16, y, x, w, n, d);
  else matvecOf(BF16, y, x, w, n, d);
}

/** Rows of X that are taken together: they stay in the first cache while W passes by. */
const TOGETHER = 8;

/** Y [m, d] with `stride` bytes a row = X [m, n] W^T: each value has the bits of `denseMatvec`. */
export function denseMatmul(
  kind: i32, y: usize, stride: usize, x: usize, w: usize, n: i32, d: i32, m: i32,
): void {
  const xRow = <usize>n << 2;
  while (m > 1) {
    const count = min(TOGETHER, m & ~1);
    if (kind == F32) matmulOf(F32, y, stride, x, w, n, d, count);
    else if (kind == F16) matmulOf(F16, y, stride, x, w, n, d, count);
    else matmulOf(BF16, y, stride, x, w, n, d, count);
    y += <usize>count * stride;
    x += <usize>count * xRow;
    m -= count;
  }
  if (m) denseMatvec(kind, y, x, w, n, d);
}

/** Four rows at a time: one load of x serves four products. `kind` is a constant. */
@inline
function matvecOf(kind: i32, y: usize, x: usize, w: usize, n: i32, d: i32): void {
  const size = sizeOf(kind), row = <usize>n * size, step = size << 2;
  const rest = n & 3, end = x + (<usize>(n - rest) << 2), fours = x + (<usize>(n & ~15) << 2);
  let i = 0;
  for (; i + 4 <= d; i += 4) {
    let a = f32x4.splat(0), b = f32x4.splat(0), c = f32x4.splat(0), e = f32x4.splat(0);
    let wa = w, wb = wa + row, wc = wb + row, we = wc + row, p = x;
    for (; p < fours; p += 64) {
      let v = v128.load(p);
      a = mulAdd(a, v, load4(kind, wa));
      b = mulAdd(b, v, load4(kind, wb));
      c = mulAdd(c, v, load4(kind, wc));
      e = mulAdd(e, v, load4(kind, we));
      v = v128.load(p, 16);
      a = mulAdd(a, v, load4(kind, wa + step));
      b = mulAdd(b, v, load4(kind, wb + step));
      c = mulAdd(c, v, load4(kind, wc + step));
      e = mulAdd(e, v, load4(kind, we + step));
      v = v128.load(p, 32);
      a = mulAdd(a, v, load4(kind, wa + 2 * step));
      b = mulAdd(b, v, load4(kind, wb + 2 * step));
      c = mulAdd(c, v, load4(kind, wc + 2 * step));
      e = mulAdd(e, v, load4(kind, we + 2 * step));
      v = v128.load(p, 48);
      a = mulAdd(a, v, load4(kind, wa + 3 * step));
      b = mulAdd(b, v, load4(kind, wb + 3 * step));
      c = mulAdd(c, v, load4(kind, wc + 3 * step));
      e = mulAdd(e, v, load4(kind, we + 3 * step));
      wa += 4 * step; wb += 4 * step; wc += 4 * step; we += 4 * step;
    }
    for (; p < end; p += 16) {
      const v = v128.load(p);
      a = mulAdd(a, v, load4(kind, wa));
      b = mulAdd(b, v, load4(kind, wb));
      c = mulAdd(c, v, load4(kind, wc));
      e = mulAdd(e, v, load4(kind, we));
      wa += step; wb += step; wc += step; we += step;
    }
    if (rest) {
      const v = loadSome(F32, end, rest);
      a = mulAdd(a, v, loadSome(kind, wa, rest));
      b = mulAdd(b, v, loadSome(kind, wb, rest));
      c = mulAdd(c, v, loadSome(kind, wc, rest));
      e = mulAdd(e, v, loadSome(kind, we, rest));
    }
    v128.store(y, sums(a, b, c, e));
    y += 16;
    w += 4 * row;
  }
  for (; i < d; i++) {
    store<f32>(y, dotOf(kind, x, w, n));
    y += 4;
    w += row;
  }
}

/** x [n] times one row. `kind` is a constant. */
@inline
function dotOf(kind: i32, x: usize, w: usize, n: i32): f32 {
  const step = sizeOf(kind) << 2, rest = n & 3, end = x + (<usize>(n - rest) << 2);
  let a = f32x4.splat(0);
  for (; x < end; x += 16) {
    a = mulAdd(a, v128.load(x), load4(kind, w));
    w += step;
  }
  if (rest) a = mulAdd(a, loadSome(F32, x, rest), loadSome(kind, w, rest));
  return sum(a);
}

/** The dot product of two f32 vectors. */
export function dot(a: usize, b: usize, n: i32): f32 {
  return dotOf(F32, a, b, n);
}

/** An even count of rows of X against all of W, four rows of W at a time. `kind` is a constant. */
@inline
function matmulOf(
  kind: i32, y: usize, stride: usize, x: usize, w: usize, n: i32, d: i32, count: i32,
): void {
  const row = <usize>n * sizeOf(kind), xRow = <usize>n << 2;
  let i = 0;
  for (; i + 4 <= d; i += 4) {
    for (let k = 0; k < count; k += 2) {
      tileOf(kind, y + <usize>k * stride, stride, x + <usize>k * xRow, w, n);
    }
    y += 16;
    w += 4 * row;
  }
  for (; i < d; i++) {
    for (let k = 0; k < count; k++) {
      store<f32>(y + <usize>k * stride, dotOf(kind, x + <usize>k * xRow, w, n));
    }
    y += 4;
    w += row;
  }
}

/** Two rows of X against four of W: eight sums in registers for six loads. */
@inline
function tileOf(kind: i32, y: usize, stride: usize, x: usize, w: usize, n: i32): void {
  const size = sizeOf(kind), row = <usize>n * size, step = size << 2;
  const rest = n & 3, end = x + (<usize>(n - rest) << 2), pairs = x + (<usize>(n & ~7) << 2);
  let a0 = f32x4.splat(0), b0 = a0, c0 = a0, e0 = a0, a1 = a0, b1 = a0, c1 = a0, e1 = a0;
  let wa = w, wb = wa + row, wc = wb + row, we = wc + row, p = x, q = x + (<usize>n << 2);
  while (p < pairs) {
    let v0 = v128.load(p), v1 = v128.load(q), v = load4(kind, wa);
    a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v);
    v = load4(kind, wb);
    b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v);
    v = load4(kind, wc);
    c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v);
    v = load4(kind, we);
    e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v);
    v0 = v128.load(p, 16); v1 = v128.load(q, 16); v = load4(kind, wa + step);
    a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v);
    v = load4(kind, wb + step);
    b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v);
    v = load4(kind, wc + step);
    c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v);
    v = load4(kind, we + step);
    e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v);
    wa += 2 * step; wb += 2 * step; wc += 2 * step; we += 2 * step; p += 32; q += 32;
  }
  if (p < end) {
    const v0 = v128.load(p), v1 = v128.load(q);
    let v = load4(kind, wa);
    a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v);
    v = load4(kind, wb);
    b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v);
    v = load4(kind, wc);
    c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v);
    v = load4(kind, we);
    e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v);
    wa += step; wb += step; wc += step; we += step; p += 16; q += 16;
  }
  if (rest) {
    const v0 = loadSome(F32, p, rest), v1 = loadSome(F32, q, rest);
    let v = loadSome(kind, wa, rest);
    a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v);
    v = loadSome(kind, wb, rest);
    b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v);
    v = loadSome(kind, wc, rest);
    c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v);
    v = loadSome(kind, we, rest);
    e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v);
  }
  v128.store(y, sums(a0, b0, c0, e0));
  v128.store(y + stride, sums(a1, b1, c1, e1));
}
