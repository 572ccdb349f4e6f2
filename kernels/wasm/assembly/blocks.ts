/**
 * Products with panels of blocks of 32: integer sums of code times fixed-point activation,
 * exact, then one f32 step a block and row:
 *
 *   y += (high * 2^15 + low) * (d * scale)
 *
 * in rising block column. The sums over a block's 32 lanes have no order to speak of.
 */
import { FIXED_BLOCK, LOW, SCALE, SUM_HIGH, SUM_LOW } from "./fixed";
import { mulAdd } from "./lanes";
import { Q4_0, Q4_0_PANEL, Q4_1, Q4_1_PANEL, Q5_0, Q5_0_PANEL, Q8_PANEL } from "./layout";

// Constants that stay in registers: the engine would build a literal anew in each turn of a loop.
const MASK = memory.data<u16>([15, 15, 15, 15, 15, 15, 15, 15], 16);
const BIT = memory.data<u16>([16, 16, 16, 16, 16, 16, 16, 16], 16);
/** Move the fifth bits of words 0 .. 7 to the top of their lanes. */
const PLACES = memory.data<u16>([4096, 4096, 256, 256, 16, 16, 1, 1], 16);

/** [a, b] summed by halves: lanes (a0 + a2, b0 + b2, a1 + a3, b1 + b3). */
@inline
function fold(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
}

/** The sums of four vectors, two and two folded before. */
@inline
function unite(ab: v128, cd: v128): v128 {
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
}

/** Sum of 32 products: four vectors of codes, four of one plane of x. */
@inline
function products(
  a: v128, b: v128, c: v128, d: v128, x0: v128, x1: v128, x2: v128, x3: v128,
): v128 {
  return i32x4.add(
    i32x4.add(i32x4.dot_i16x8_s(a, x0), i32x4.dot_i16x8_s(b, x1)),
    i32x4.add(i32x4.dot_i16x8_s(c, x2), i32x4.dot_i16x8_s(d, x3)),
  );
}

/** high * 2^15 + low in f32. */
@inline
function united(high: v128, low: v128): v128 {
  const place = f32x4.splat(32768);
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(high), place), f32x4.convert_i32x4_s(low));
}

/** Adds four rows' block to y. */
@inline
function settle(y: usize, high: v128, low: v128, scale: v128): void {
  v128.store(y, mulAdd(v128.load(y), united(high, low), scale));
}

/** y [rows, a multiple of 4], zero before, = W x of q8-0: x = d * q. */
export function q8(y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  const top = y + (<usize>rows << 2);
  for (let block = 0; block < blocks; block++) {
    const h0 = v128.load(x), h1 = v128.load(x, 16), h2 = v128.load(x, 32), h3 = v128.load(x, 48);
    const l0 = v128.load(x, LOW), l1 = v128.load(x, LOW + 16);
    const l2 = v128.load(x, LOW + 32), l3 = v128.load(x, LOW + 48);
    const scale = v128.load32_splat(x, SCALE);
    for (let at = y; at < top; at += 16) {
      let first = v128.load(w, 16), second = v128.load(w, 32);
      let a = i16x8.extend_low_i8x16_s(first), b = i16x8.extend_high_i8x16_s(first);
      let c = i16x8.extend_low_i8x16_s(second), d = i16x8.extend_high_i8x16_s(second);
      const high0 = products(a, b, c, d, h0, h1, h2, h3);
      const low0 = products(a, b, c, d, l0, l1, l2, l3);
      first = v128.load(w, 48); second = v128.load(w, 64);
      a = i16x8.extend_low_i8x16_s(first); b = i16x8.extend_high_i8x16_s(first);
      c = i16x8.extend_low_i8x16_s(second); d = i16x8.extend_high_i8x16_s(second);
      const high01 = fold(high0, products(a, b, c, d, h0, h1, h2, h3));
      const low01 = fold(low0, products(a, b, c, d, l0, l1, l2, l3));
      first = v128.load(w, 80); second = v128.load(w, 96);
      a = i16x8.extend_low_i8x16_s(first); b = i16x8.extend_high_i8x16_s(first);
      c = i16x8.extend_low_i8x16_s(second); d = i16x8.extend_high_i8x16_s(second);
      const high2 = products(a, b, c, d, h0, h1, h2, h3);
      const low2 = products(a, b, c, d, l0, l1, l2, l3);
      first = v128.load(w, 112); second = v128.load(w, 128);
      a = i16x8.extend_low_i8x16_s(first); b = i16x8.extend_high_i8x16_s(first);
      c = i16x8.extend_low_i8x16_s(second); d = i16x8.extend_high_i8x16_s(second);
      const high23 = fold(high2, products(a, b, c, d, h0, h1, h2, h3));
      const low23 = fold(low2, products(a, b, c, d, l0, l1, l2, l3));
      settle(at, unite(high01, high23), unite(low01, low23), f32x4.mul(v128.load(w), scale));
      w += Q8_PANEL;
    }
    x += FIXED_BLOCK;
  }
}

/**
 * Part k of a row's nibble codes: word w of the eight holds those of columns w, 8 + w, 16 + w,
 * 24 + w from its low end, so that shifts alone give four vectors in the order of x. q5-0 adds
 * the fifth bits, which `fifths` has moved to bits 12 + k of the words.
 */
@inline
function part(kind: i32, k: i32, v: v128, fifths: v128, mask: v128, bit: v128): v128 {
  const nibble = k == 0
    ? v128.and(v, mask)
    : k == 3
    ? i16x8.shr_u(v, 12)
    : v128.and(i16x8.shr_u(v, 4 * k), mask);
  return kind == Q5_0 ? v128.or(nibble, v128.and(i16x8.shr_u(fifths, 8 + k), bit)) : nibble;
}

/** The fifth bits of a row: those of word w stand at bits 16 (w & 1) + 4 (w >> 1) of a u32. */
@inline
function fifthBits(kind: i32, p: usize, places: v128): v128 {
  return kind == Q5_0 ? i16x8.mul(v128.load32_splat(p), places) : places;
}

/**
 * The kernels of q4-0, q4-1 and q5-0 differ in how a code is put together and in what is added
 * for all 32: -8 or -16 times the sum of x, inside the integers, or the minimum times that
 * sum. `kind` is a constant.
 */
@inline
function nibblePanels(kind: i32, y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  const top = y + (<usize>rows << 2), panel = kind == Q4_0 ? Q4_0_PANEL : kind == Q4_1 ? Q4_1_PANEL : Q5_0_PANEL;
  const mask = v128.load(MASK), bit = v128.load(BIT), places = v128.load(PLACES);
  const from: usize = kind == Q4_0 ? 16 : 32;
  for (let block = 0; block < blocks; block++) {
    const h0 = v128.load(x), h1 = v128.load(x, 16), h2 = v128.load(x, 32), h3 = v128.load(x, 48);
    const l0 = v128.load(x, LOW), l1 = v128.load(x, LOW + 16);
    const l2 = v128.load(x, LOW + 32), l3 = v128.load(x, LOW + 48);
    const scale = v128.load32_splat(x, SCALE);
    const sumHigh = v128.load32_splat(x, SUM_HIGH), sumLow = v128.load32_splat(x, SUM_LOW);
    const bias = kind == Q5_0 ? 4 : 3; // as a shift
    const biasHigh = i32x4.shl(sumHigh, bias), biasLow = i32x4.shl(sumLow, bias);
    const sum = f32x4.mul(united(sumHigh, sumLow), scale);
    for (let at = y; at < top; at += 16) {
      let v = v128.load(w + from), t = fifthBits(kind, w + 16, places);
      let a = part(kind, 0, v, t, mask, bit), b = part(kind, 1, v, t, mask, bit);
      let c = part(kind, 2, v, t, mask, bit), d = part(kind, 3, v, t, mask, bit);
      const high0 = products(a, b, c, d, h0, h1, h2, h3);
      const low0 = products(a, b, c, d, l0, l1, l2, l3);
      v = v128.load(w + from, 16); t = fifthBits(kind, w + 20, places);
      a = part(kind, 0, v, t, mask, bit); b = part(kind, 1, v, t, mask, bit);
      c = part(kind, 2, v, t, mask, bit); d = part(kind, 3, v, t, mask, bit);
      const high01 = fold(high0, products(a, b, c, d, h0, h1, h2, h3));
      const low01 = fold(low0, products(a, b, c, d, l0, l1, l2, l3));
      v = v128.load(w + from, 32); t = fifthBits(kind, w + 24, places);
      a = part(kind, 0, v, t, mask, bit); b = part(kind, 1, v, t, mask, bit);
      c = part(kind, 2, v, t, mask, bit); d = part(kind, 3, v, t, mask, bit);
      const high2 = products(a, b, c, d, h0, h1, h2, h3);
      const low2 = products(a, b, c, d, l0, l1, l2, l3);
      v = v128.load(w + from, 48); t = fifthBits(kind, w + 28, places);
      a = part(kind, 0, v, t, mask, bit); b = part(kind, 1, v, t, mask, bit);
      c = part(kind, 2, v, t, mask, bit); d = part(kind, 3, v, t, mask, bit);
      const high23 = fold(high2, products(a, b, c, d, h0, h1, h2, h3));
      const low23 = fold(low2, products(a, b, c, d, l0, l1, l2, l3));
      let high = unite(high01, high23), low = unite(low01, low23);
      if (kind == Q4_1) {
        v128.store(at, mulAdd(v128.load(at), v128.load(w, 16), sum));
      } else {
        high = i32x4.sub(high, biasHigh);
        low = i32x4.sub(low, biasLow);
      }
      settle(at, high, low, f32x4.mul(v128.load(w), scale));
      w += panel;
    }
    x += FIXED_BLOCK;
  }
}

/** y, zero before, = W x of q4-0: x = d * (q - 8). */
export function q4_0(y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  nibblePanels(Q4_0, y, x, w, blocks, rows);
}

/** y, zero before, = W x of q4-1: x = d * q + m; each block adds m's part first. */
export function q4_1(y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  nibblePanels(Q4_1, y, x, w, blocks, rows);
}

/** y, zero before, = W x of q5-0: x = d * (q - 16). */
export function q5_0(y: usize, x: usize, w: usize, blocks: i32, rows: i32): void {
  nibblePanels(Q5_0, y, x, w, blocks, rows);
}
