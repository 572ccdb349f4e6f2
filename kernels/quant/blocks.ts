/**
 * One block of each registered profile (slm2.md 7.2, "Registered profiles"): quantise as
 * GGML's reference quantisers do, dequantise by the profile's kernel contract. Every step is
 * one f32 operation: `Math.fround` after each, for a product or sum of two f32 values formed
 * in f64 and rounded to f32 is the f32 operation itself.
 */
import { NF4 } from "./nf4.ts";
import { fromHalf, toHalf } from "./half.ts";

const { abs, floor, fround, max, min } = Math;

/** Why a source cannot be packed (slm2.md 7.2: the packer refuses). */
export type QuantFault = "NonFiniteSource" | "ScaleRange" | "MinimumRange";

export interface BlockCodec {
  /**
   * Quantises finite `values` into `block`, which is zero. Fewer values than the block has
   * lanes leave the rest padded: lanes out of the source take no part in scale or minimum.
   */
  encode(values: Float32Array, block: Uint8Array): QuantFault | null;
  /** Dequantises the block that starts at `at` of `bytes` into all lanes of `out`. */
  decode(bytes: Uint8Array, at: number, out: Float32Array): void;
}

/** rounding_mode 1: nearest, ties away from zero. */
function roundAway(x: number): number {
  return x < 0 ? -floor(0.5 - x) : floor(x + 0.5);
}

/** rounding_mode 3: floor(x * id + (bias + 0.5)), clamped to 0 .. 2 bias - 1 or `top`. */
function roundUp(x: number, inverse: number, bias: number, top: number): number {
  return max(0, min(top, floor(fround(fround(x * inverse) + (bias + 0.5)))));
}

/** 1 / d in f32; 0, which yields the codes of zero, where that is not finite. */
function inverseOf(d: number): number {
  const inverse = fround(1 / d);
  return Number.isFinite(inverse) ? inverse : 0;
}

export function absMax(values: Float32Array): number {
  let most = 0;
  for (const x of values) most = max(most, abs(x));
  return most;
}

/** Of the largest magnitude the first, sign kept; +0 where all are zeros. */
function signedMax(values: Float32Array): number {
  let most = 0;
  for (const x of values) if (abs(x) > abs(most)) most = x;
  return most;
}

function putHalf(block: Uint8Array, at: number, x: number): boolean {
  const half = toHalf(x);
  block[at] = half & 0xff;
  block[at + 1] = half >>> 8;
  return (half & 0x7c00) !== 0x7c00;
}

function half(bytes: Uint8Array, at: number): number {
  return fromHalf(bytes[at] | (bytes[at + 1] << 8));
}

/** The code of q8-0 and q8-row. */
export function code8(x: number, inverse: number): number {
  return max(-128, min(127, roundAway(fround(x * inverse))));
}

/** Scale and inverse of q8-0 and q8-row: d = absmax / 127. */
export function scale8(values: Float32Array): { d: number; inverse: number } {
  const d = fround(absMax(values) / 127);
  return { d, inverse: inverseOf(d) };
}

const q8_0: BlockCodec = {
  encode(values, block) {
    const { d, inverse } = scale8(values);
    if (!putHalf(block, 0, d)) return "ScaleRange";
    values.forEach((x, j) => block[2 + j] = code8(x, inverse));
    return null;
  },
  decode(bytes, at, out) {
    const d = half(bytes, at);
    for (let j = 0; j < 32; j++) out[j] = d * ((bytes[at + 2 + j] << 24) >> 24);
  },
};

const q4_0: BlockCodec = {
  encode(values, block) {
    const d = fround(signedMax(values) / -8), inverse = inverseOf(d);
    if (!putHalf(block, 0, d)) return "ScaleRange";
    const code = (j: number) => j < values.length ? roundUp(values[j], inverse, 8, 15) : 8;
    for (let j = 0; j < 16; j++) block[2 + j] = code(j) | (code(j + 16) << 4);
    return null;
  },
  decode(bytes, at, out) {
    const d = half(bytes, at);
    for (let j = 0; j < 16; j++) {
      const pair = bytes[at + 2 + j];
      out[j] = d * ((pair & 15) - 8);
      out[j + 16] = d * ((pair >> 4) - 8);
    }
  },
};

const q4_1: BlockCodec = {
  encode(values, block) {
    let least = values[0], most = values[0]; // of equal zeros the first
    for (const x of values) {
      if (x < least) least = x;
      if (x > most) most = x;
    }
    const d = fround(fround(most - least) / 15), inverse = inverseOf(d);
    if (!putHalf(block, 0, d)) return "ScaleRange";
    if (!putHalf(block, 2, least)) return "MinimumRange";
    const code = (j: number) =>
      j < values.length ? roundUp(fround(values[j] - least), inverse, 0, 15) : 0;
    for (let j = 0; j < 16; j++) block[4 + j] = code(j) | (code(j + 16) << 4);
    return null;
  },
  decode(bytes, at, out) {
    const d = half(bytes, at), least = half(bytes, at + 2);
    for (let j = 0; j < 16; j++) {
      const pair = bytes[at + 4 + j];
      out[j] = fround(d * (pair & 15)) + least;
      out[j + 16] = fround(d * (pair >> 4)) + least;
    }
  },
};

const q5_0: BlockCodec = {
  encode(values, block) {
    const d = fround(signedMax(values) / -16), inverse = inverseOf(d);
    if (!putHalf(block, 0, d)) return "ScaleRange";
    for (let j = 0; j < 32; j++) {
      const code = j < values.length ? roundUp(values[j], inverse, 16, 31) : 16;
      block[2 + (j >> 3)] |= (code >> 4) << (j & 7); // the fifth-bit plane, a u32
      block[6 + (j & 15)] |= (code & 15) << (j < 16 ? 0 : 4);
    }
    return null;
  },
  decode(bytes, at, out) {
    const d = half(bytes, at);
    for (let j = 0; j < 16; j++) {
      const pair = bytes[at + 6 + j];
      const fifth = (bytes[at + 2 + (j >> 3)] >> (j & 7)) & 1;
      const fifthUpper = (bytes[at + 4 + (j >> 3)] >> (j & 7)) & 1;
      out[j] = d * (((pair & 15) | (fifth << 4)) - 16);
      out[j + 16] = d * (((pair >> 4) | (fifthUpper << 4)) - 16);
    }
  },
};

const nf4: BlockCodec = {
  encode(values, block) {
    const most = absMax(values), inverse = inverseOf(most);
    if (!putHalf(block, 0, most)) return "ScaleRange";
    const code = (j: number) => NF4.nearest(j < values.length ? fround(values[j] * inverse) : 0);
    for (let j = 0; j < 32; j++) block[2 + j] = code(2 * j) | (code(2 * j + 1) << 4);
    return null;
  },
  decode(bytes, at, out) {
    const d = half(bytes, at), { codebook } = NF4;
    for (let j = 0; j < 32; j++) {
      const pair = bytes[at + 2 + j];
      out[2 * j] = d * codebook[pair & 15];
      out[2 * j + 1] = d * codebook[pair >> 4];
    }
  },
};

export const BLOCKS = {
  "q8-0.b32": q8_0,
  "q4-0.b32": q4_0,
  "q4-1.b32": q4_1,
  "q5-0.b32": q5_0,
  "nf4.b64": nf4,
} as const satisfies Record<string, BlockCodec>;
