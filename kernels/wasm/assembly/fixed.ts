/**
 * Activations in fixed point, for products with integer codes. A block of 32 values becomes
 * integers X with |X| <= 2^29 and one scale, a power of two: x = X * scale, off by at most
 * 2^-30 of the power above the block's largest magnitude, which is less than one rounding of
 * an f32 sum. X is held as two planes of 16 bits, X = high * 2^15 + low, so that sums of code
 * times X are exact in 32 bits, in any order: no code needs more than 8 bits, and
 * 32 * 2^7 * 2^14 = 2^26.
 */
import { loadSome } from "./lanes";
import { F32 } from "./layout";

/** Bytes of a block's record: high [32] i16, low [32] i16, scale f32, sum of high, sum of low. */
export const FIXED_BLOCK: usize = 144;
export const LOW: usize = 64, SCALE: usize = 128, SUM_HIGH: usize = 132, SUM_LOW: usize = 136;

/** Writes the records of x [n] at `out`; lanes beyond n are zero. */
export function toFixed(out: usize, x: usize, n: i32): void {
  for (let left = n; left > 0; left -= 32) {
    fixBlock(out, x, left);
    out += FIXED_BLOCK;
    x += 128;
  }
}

/** The vector of x at lane `lane` of a block in which `left` values are left. */
@inline
function lanesAt(x: usize, lane: i32, left: i32): v128 {
  const here = left - lane, p = x + (<usize>lane << 2);
  if (here >= 4) return v128.load(p);
  return here > 0 ? loadSome(F32, p, here) : f32x4.splat(0);
}

function fixBlock(out: usize, x: usize, left: i32): void {
  // Magnitudes compare as their bits do, and NaN above them all.
  let most = i32x4.splat(0);
  for (let lane = 0; lane < 32; lane += 4) {
    most = i32x4.max_s(most, f32x4.abs(lanesAt(x, lane, left)));
  }
  const largest = max(
    max(i32x4.extract_lane(most, 0), i32x4.extract_lane(most, 1)),
    max(i32x4.extract_lane(most, 2), i32x4.extract_lane(most, 3)),
  );
  // 2^power is the least power of two above the largest; below 2^-60 all is measured by that.
  const power = max((largest >> 23) - 126, -60);
  const finite = largest < 0x7f800000;
  const toInteger = finite ? f32x4.splat(reinterpret<f32>((127 + 29 - power) << 23)) : f32x4.splat(0);
  let sumHigh = i32x4.splat(0), sumLow = i32x4.splat(0);
  for (let lane = 0; lane < 32; lane += 8) {
    const a = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(lanesAt(x, lane, left), toInteger)));
    const b = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(lanesAt(x, lane + 4, left), toInteger)));
    const half = i32x4.splat(1 << 14);
    const highA = i32x4.shr_s(i32x4.add(a, half), 15), highB = i32x4.shr_s(i32x4.add(b, half), 15);
    const lowA = i32x4.sub(a, i32x4.shl(highA, 15)), lowB = i32x4.sub(b, i32x4.shl(highB, 15));
    const at = out + (<usize>lane << 1);
    v128.store(at, i16x8.narrow_i32x4_s(highA, highB));
    v128.store(at, i16x8.narrow_i32x4_s(lowA, lowB), LOW);
    sumHigh = i32x4.add(sumHigh, i32x4.add(highA, highB));
    sumLow = i32x4.add(sumLow, i32x4.add(lowA, lowB));
  }
  // A block with a NaN or an infinity makes every product NaN.
  store<f32>(out, finite ? reinterpret<f32>((127 - 29 + power) << 23) : <f32>NaN, SCALE);
  store<i32>(out, total(sumHigh), SUM_HIGH);
  store<i32>(out, total(sumLow), SUM_LOW);
}

@inline
function total(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) +
    i32x4.extract_lane(v, 3);
}
