/** Half precision and bfloat16: conversions exact in every bit (IEEE 754 binary16; slm2.md 7.1). */

const f64 = new Float64Array(1), f64Words = new Uint32Array(f64.buffer);
const f32 = new Float32Array(1), f32Word = new Uint32Array(f32.buffer);

/**
 * The binary16 nearest to `x`, ties to even, as its 16 bits. Takes any double and rounds once;
 * a quantiser passes values already rounded to f32, which may then round a second time. NaN
 * gives a quiet NaN of the same sign.
 */
export function toHalf(x: number): number {
  f64[0] = x;
  const high = f64Words[1], sign = (high >>> 16) & 0x8000;
  if (Number.isNaN(x)) return sign | 0x7e00;
  const magnitude = Math.abs(x);
  if (magnitude >= 65520) return sign | 0x7c00; // half way from the largest, 65504, to 2^16
  // Below 2^-14 the steps stay those of 2^-14: subnormal.
  const exponent = Math.max(((high >>> 20) & 0x7ff) - 1023, -14);
  const steps = roundEven(magnitude * 2 ** (10 - exponent));
  // A normal number has 1024 <= steps; a carry into the exponent comes out right by itself.
  return sign | (((exponent + 14) << 10) + steps);
}

/** The f32 bits of a binary16, NaN payloads shifted up and not quietened. */
export function halfBits(half: number): number {
  const sign = (half & 0x8000) << 16, exponent = (half >>> 10) & 31, fraction = half & 0x3ff;
  if (exponent === 31) return (sign | 0x7f800000 | (fraction << 13)) >>> 0;
  if (exponent > 0) return (sign | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  f32[0] = fraction * 2 ** -24;
  return (sign | f32Word[0]) >>> 0;
}

const HALVES = new Float32Array(65536);
{
  const bits = new Uint32Array(HALVES.buffer);
  for (let half = 0; half < bits.length; half++) bits[half] = halfBits(half);
}

/** The value of a binary16. */
export function fromHalf(half: number): number {
  return HALVES[half];
}

/** The bfloat16 nearest to the f32 `x`, ties to even, as its 16 bits; NaN stays a NaN, quiet. */
export function toBrain(x: number): number {
  f32[0] = x;
  const bits = f32Word[0];
  if (Number.isNaN(x)) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The value of a bfloat16. */
export function fromBrain(brain: number): number {
  f32Word[0] = brain << 16;
  return f32[0];
}

/** `steps` >= 0 to the nearest integer, ties to even. */
function roundEven(steps: number): number {
  const low = Math.floor(steps), rest = steps - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}
