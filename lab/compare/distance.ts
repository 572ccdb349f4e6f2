/** How far logits lie from their reference, in every figure of an envelope. */
import type { Envelope } from "./case.ts";

export interface Distance {
  readonly absolute: number;
  readonly relative: number;
  readonly ulp: number;
  readonly kl: number;
  /** elements whose bits differ */
  readonly differing: number;
  /** lowest id of the largest value of each; a NaN has none */
  readonly argMax: { readonly got: number | null; readonly want: number | null };
}

/** Below this magnitude relative figures are not taken. */
const RELATIVE_FLOOR = 1;

/**
 * Measures two arrays of one length. A NaN in either, wherever, makes every figure infinite: it
 * is never near anything, not even another NaN.
 * @throws RangeError where the lengths differ
 */
export function distance(got: Float32Array, want: Float32Array): Distance {
  if (got.length !== want.length) throw new RangeError(`${got.length} values for ${want.length}`);
  const gotBits = bitsOf(got), wantBits = bitsOf(want);
  let absolute = 0, relative = 0, ulp = 0, differing = 0;
  for (let i = 0; i < want.length; i++) {
    if (gotBits[i] === wantBits[i] && !Number.isNaN(got[i])) continue;
    differing++;
    const apart = Math.abs(got[i] - want[i]);
    // equal infinities have equal bits: what is left of them is infinitely far from anything
    absolute = Math.max(absolute, Number.isNaN(apart) ? Infinity : apart);
    if (Math.abs(want[i]) < RELATIVE_FLOOR) continue;
    relative = Math.max(relative, apart / Math.abs(want[i]));
    ulp = Math.max(ulp, apart / lastPlace(wantBits[i]));
  }
  const argMax = { got: argMaxOf(got), want: argMaxOf(want) };
  if (argMax.got === null || argMax.want === null) {
    return {
      absolute: Infinity,
      relative: Infinity,
      ulp: Infinity,
      kl: Infinity,
      differing,
      argMax,
    };
  }
  return { absolute, relative, ulp, kl: divergence(got, want), differing, argMax };
}

const bitsOf = (x: Float32Array): Uint32Array => new Uint32Array(x.buffer, x.byteOffset, x.length);

/** The unit in the last place of a normal f32, by its bits. */
const lastPlace = (bits: number): number => 2 ** (((bits >>> 23) & 255) - 127 - 23);

function argMaxOf(x: Float32Array): number | null {
  let best = 0;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i])) return null;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

/** KL(want || got) of the softmax of each, in f64 nats; at least 0. */
function divergence(got: Float32Array, want: Float32Array): number {
  const p = logProbabilities(want), q = logProbabilities(got);
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    if (p[i] > -Infinity) sum += Math.exp(p[i]) * (p[i] - q[i]);
  }
  return Number.isNaN(sum) ? Infinity : Math.max(0, sum);
}

function logProbabilities(logits: Float32Array): Float64Array {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((total, x) => total + Math.exp(x - most), 0);
  return Float64Array.from(logits, (x) => x - most - Math.log(sum));
}

/** The bounds that a distance breaks, by name; none where it lies inside. */
export function breaches(distance: Distance, envelope: Envelope): string[] {
  const { got, want } = distance.argMax;
  const broken = (["absolute", "relative", "ulp", "kl"] as const)
    .filter((figure) => !(distance[figure] <= envelope[figure])) as string[];
  if (envelope.absolute === 0 && distance.differing > 0) broken.push("bits");
  if (envelope.sameArgMax && got !== want) broken.push("arg-max");
  return broken;
}
