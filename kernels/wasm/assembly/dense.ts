/** Products with dense weights: rows in file order, each sum in lane order (`cpu/ops.ts`). */
import { BF16, F16, F32 } from "./layout";
import { load4, loadSome, mulAdd, sizeOf, sum, sums } from "./lanes";

/** y [d] = W [d, n] x [n], W dense of `kind`. */
export function denseMatvec(kind: i32, y: usize, x: usize, w: usize, n: i32, d: i32): void {
  if (kind == F32) matvecOf(F32, y, x, w, n, d);
  else if (kind == F16) matvecOf(F16, y, x, w, n, d);
  else matvecOf(BF16, y, x, w, n, d);
}

/** Y [m, d] with `stride` bytes a row = X [m, n] W^T: each value has the bits of `denseMatvec`. */
export function denseMatmul(
  kind: i32, y: usize, stride: usize, x: usize, w: usize, n: i32, d: i32, m: i32,
): void {
  const xBytes = <usize>n << 2;
  let i = 0;
  for (; i + 3 <= m; i += 3) {
    if (kind == F32) tileOf(F32, y, stride, x, w, n, d);
    else if (kind == F16) tileOf(F16, y, stride, x, w, n, d);
    else tileOf(BF16, y, stride, x, w, n, d);
    y += 3 * stride;
    x += 3 * xBytes;
  }
  for (; i < m; i++) {
    denseMatvec(kind, y, x, w, n, d);
    y += stride;
    x += xBytes;
  }
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

/** Three rows of X against all of W: twelve sums in registers for seven loads. */
@inline
function tileOf(kind: i32, y: usize, stride: usize, x: usize, w: usize, n: i32, d: i32): void {
  const size = sizeOf(kind), row = <usize>n * size, step = size << 2, xRow = <usize>n << 2;
  const rest = n & 3, end = x + (<usize>(n - rest) << 2);
  const y1 = y + stride, y2 = y1 + stride;
  let i = 0, at: usize = 0;
  for (; i + 4 <= d; i += 4) {
    let a0 = f32x4.splat(0), b0 = a0, c0 = a0, e0 = a0;
    let a1 = a0, b1 = a0, c1 = a0, e1 = a0, a2 = a0, b2 = a0, c2 = a0, e2 = a0;
    let wa = w, wb = wa + row, wc = wb + row, we = wc + row;
    let p = x, p1 = p + xRow, p2 = p1 + xRow;
    for (; p < end; p += 16) {
      const v0 = v128.load(p), v1 = v128.load(p1), v2 = v128.load(p2);
      let v = load4(kind, wa);
      a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v); a2 = mulAdd(a2, v2, v);
      v = load4(kind, wb);
      b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v); b2 = mulAdd(b2, v2, v);
      v = load4(kind, wc);
      c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v); c2 = mulAdd(c2, v2, v);
      v = load4(kind, we);
      e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v); e2 = mulAdd(e2, v2, v);
      wa += step; wb += step; wc += step; we += step; p1 += 16; p2 += 16;
    }
    if (rest) {
      const v0 = loadSome(F32, p, rest), v1 = loadSome(F32, p1, rest), v2 = loadSome(F32, p2, rest);
      let v = loadSome(kind, wa, rest);
      a0 = mulAdd(a0, v0, v); a1 = mulAdd(a1, v1, v); a2 = mulAdd(a2, v2, v);
      v = loadSome(kind, wb, rest);
      b0 = mulAdd(b0, v0, v); b1 = mulAdd(b1, v1, v); b2 = mulAdd(b2, v2, v);
      v = loadSome(kind, wc, rest);
      c0 = mulAdd(c0, v0, v); c1 = mulAdd(c1, v1, v); c2 = mulAdd(c2, v2, v);
      v = loadSome(kind, we, rest);
      e0 = mulAdd(e0, v0, v); e1 = mulAdd(e1, v1, v); e2 = mulAdd(e2, v2, v);
    }
    v128.store(y + at, sums(a0, b0, c0, e0));
    v128.store(y1 + at, sums(a1, b1, c1, e1));
    v128.store(y2 + at, sums(a2, b2, c2, e2));
    at += 16;
    w += 4 * row;
  }
  for (; i < d; i++) {
    store<f32>(y + at, dotOf(kind, x, w, n));
    store<f32>(y1 + at, dotOf(kind, x + xRow, w, n));
    store<f32>(y2 + at, dotOf(kind, x + 2 * xRow, w, n));
    at += 4;
    w += row;
  }
}
