/** From logits to a token (classes.md section 6, `generation`). */

/** A NaN among the logits: an error wherever it is met. */
export type Sampled = number | "NanLogits";

export interface Sampling {
  /** 0: the largest logit */
  readonly temperature: number;
  /** how many of the largest logits take part; 0 all */
  readonly topK: number;
  /** in (0, 1]: the fewest of those whose probabilities reach this sum take part */
  readonly topP: number;
}

/** Id of the largest logit, the lowest id on ties. */
export function largest(logits: Float32Array): Sampled {
  let best = 0, most = -Infinity;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id];
    if (logit > most) {
      best = id;
      most = logit;
    } else if (logit !== logit) return "NanLogits";
  }
  return best;
}

/**
 * Draws a token: temperature, then top-k, then top-p over what is left, then one draw from
 * the probabilities, all in f64. Candidates stand by falling logit, the lower id first among
 * equals, so that each cut and the draw have one answer. `random` gives [0, 1).
 */
export function sample(logits: Float32Array, how: Sampling, random: () => number): Sampled {
  const best = largest(logits);
  if (best === "NanLogits" || how.temperature === 0) return best;
  const ids = Uint32Array.from(logits.keys());
  // a - b of two equal infinities would be NaN
  ids.sort((a, b) => logits[a] === logits[b] ? a - b : logits[a] < logits[b] ? 1 : -1);
  const kept = ids.subarray(0, how.topK === 0 ? ids.length : how.topK);
  const most = logits[best];
  const weights = Float64Array.from(
    kept,
    (id) => logits[id] === most ? 1 : Math.exp((logits[id] - most) / how.temperature),
  );
  const goal = how.topP * weights.reduce((sum, w) => sum + w, 0);
  let nucleus = 0, mass = 0;
  while (nucleus < kept.length && (nucleus === 0 || mass < goal)) mass += weights[nucleus++];
  let left = random() * mass;
  for (let i = 0; i < nucleus; i++) {
    left -= weights[i];
    if (left < 0) return kept[i];
  }
  return kept[nucleus - 1]; // rounding ate the last of the mass
}

/**
 * xoshiro128** 1.1 (Blackman and Vigna, public domain) as a stream of doubles in [0, 1): the
 * next 32 bits over 2^32. Its four words come from SplitMix32 (golden gamma 0x9e3779b9, the
 * finaliser of MurmurHash3), started at the low half of `seed` xor the finalised high half.
 * `seed` is an integer 0 .. 2^53 - 1.
 */
export function seededRandom(seed: number): () => number {
  let state = (seed >>> 0) ^ finalise(Math.floor(seed / 2 ** 32));
  const word = () => finalise(state = (state + 0x9e3779b9) | 0);
  return xoshiro128(word(), word(), word(), word());
}

/** xoshiro128** from four words that are not all zero. */
export function xoshiro128(a: number, b: number, c: number, d: number): () => number {
  const rotate = (x: number, by: number) => (x << by) | (x >>> (32 - by));
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result / 2 ** 32;
  };
}

/** The 32-bit finaliser of MurmurHash3. */
function finalise(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
