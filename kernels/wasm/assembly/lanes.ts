/** Four f32 at a time: loads that widen, sums in lane order, exp. */
import { F32, F16 } from "./layout";

// Constants stand in memory, four times each: a literal would be built anew at each use, in
// three instructions.
const HALF = memory.data<u32>([
  0x7fff, 0x7fff, 0x7fff, 0x7fff, // magnitude
  0x77800000, 0x77800000, 0x77800000, 0x77800000, // 2^112 as f32
  0x7bff, 0x7bff, 0x7bff, 0x7bff, // the largest finite
  0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000, // infinity's exponent in f32
  0x8000, 0x8000, 0x8000, 0x8000, // sign
], 16);

/** The four f32 that four binary16 in the low halves of `h`'s lanes stand for; exact. */
@inline
export function fromHalf4(h: v128): v128 {
  const magnitude = v128.and(h, v128.load(HALF));
  // The exponent field moves into place, off by 112; the product makes subnormals right too.
  const finite = f32x4.mul(i32x4.shl(magnitude, 13), v128.load(HALF, 16));
  const strange = v128.and(i32x4.gt_s(magnitude, v128.load(HALF, 32)), v128.load(HALF, 48));
  return v128.or(v128.or(finite, strange), i32x4.shl(v128.and(h, v128.load(HALF, 64)), 16));
}

/** Bytes of an element of a dense kind. */
@inline
export function sizeOf(kind: i32): usize {
  return kind == F32 ? 4 : 2;
}

/** Four elements at `p` as f32. */
@inline
export function load4(kind: i32, p: usize): v128 {
  if (kind == F32) return v128.load(p);
  const words = i32x4.extend_low_i16x8_u(v128.load64_zero(p));
  return kind == F16 ? fromHalf4(words) : i32x4.shl(words, 16);
}

/** The first `count` (1 to 3) elements at `p` as f32, zeros after them; reads no others. */
export function loadSome(kind: i32, p: usize, count: i32): v128 {
  let v = i32x4.splat(0);
  if (kind == F32) {
    v = v128.load32_zero(p);
    if (count > 1) v = v128.load32_lane(p, v, 1, 4);
    if (count > 2) v = v128.load32_lane(p, v, 2, 8);
    return v;
  }
  v = i32x4.replace_lane(v, 0, load<u16>(p));
  if (count > 1) v = i32x4.replace_lane(v, 1, load<u16>(p, 2));
  if (count > 2) v = i32x4.replace_lane(v, 2, load<u16>(p, 4));
  return kind == F16 ? fromHalf4(v) : i32x4.shl(v, 16);
}

/** sum + a * b, product and sum each rounded. */
@inline
export function mulAdd(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** The sums of four vectors, each (s0 + s1) + (s2 + s3). */
@inline
export function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
}

/** The sum of one vector, in the same order. */
@inline
export function sum(a: v128): f32 {
  return (f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1)) +
    (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3));
}

const EXP = memory.data<f32>([
  -104, -104, -104, -104, // e^-104 rounds to 0
  89, 89, 89, 89, // e^89 to infinity
  1.44269504088896341, 1.44269504088896341, 1.44269504088896341, 1.44269504088896341, // 1 / ln 2
  // ln 2 in two parts, so that a whole number times the first is exact
  0.693359375, 0.693359375, 0.693359375, 0.693359375,
  -2.12194440e-4, -2.12194440e-4, -2.12194440e-4, -2.12194440e-4,
  // coefficients of Cephes' expf
  1.9875691500e-4, 1.9875691500e-4, 1.9875691500e-4, 1.9875691500e-4,
  1.3981999507e-3, 1.3981999507e-3, 1.3981999507e-3, 1.3981999507e-3,
  8.3334519073e-3, 8.3334519073e-3, 8.3334519073e-3, 8.3334519073e-3,
  4.1665795894e-2, 4.1665795894e-2, 4.1665795894e-2, 4.1665795894e-2,
  1.6666665459e-1, 1.6666665459e-1, 1.6666665459e-1, 1.6666665459e-1,
  5.0000001201e-1, 5.0000001201e-1, 5.0000001201e-1, 5.0000001201e-1,
  1, 1, 1, 1,
  // 1.5 * 2^23: its sum with a small number rounds to whole, which stands in the low bits
  12582912, 12582912, 12582912, 12582912,
], 16);
const BIAS = memory.data<i32>([127, 127, 127, 127], 16);

/**
 * exp within 2 units in the last place: 2^n times a polynomial of the rest r, |r| <= ln 2 / 2.
 * Overflow gives infinity, NaN stays (pmin and pmax keep their first operand then).
 */
@inline
export function exp4(x: v128): v128 {
  const t = f32x4.pmin(f32x4.pmax(x, v128.load(EXP)), v128.load(EXP, 16));
  const shifter = v128.load(EXP, 192), shifted = mulAdd(shifter, t, v128.load(EXP, 32));
  const n = f32x4.sub(shifted, shifter);
  const r = f32x4.sub(f32x4.sub(t, f32x4.mul(n, v128.load(EXP, 48))), f32x4.mul(n, v128.load(EXP, 64)));
  let p = mulAdd(v128.load(EXP, 96), r, v128.load(EXP, 80));
  p = mulAdd(v128.load(EXP, 112), r, p);
  p = mulAdd(v128.load(EXP, 128), r, p);
  p = mulAdd(v128.load(EXP, 144), r, p);
  p = mulAdd(v128.load(EXP, 160), r, p);
  p = f32x4.add(mulAdd(r, f32x4.mul(r, r), p), v128.load(EXP, 176));
  // 2^n in two factors: n may lie outside the exponents of a normal number
  const whole = i32x4.sub(shifted, shifter), half = i32x4.shr_s(whole, 1), bias = v128.load(BIAS);
  const first = i32x4.shl(i32x4.add(half, bias), 23);
  const second = i32x4.shl(i32x4.add(i32x4.sub(whole, half), bias), 23);
  return f32x4.mul(f32x4.mul(p, first), second);
}
