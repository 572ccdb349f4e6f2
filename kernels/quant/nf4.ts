/** The codebook of NormalFloat-4 (QLoRA, arXiv 2305.14314, appendix E; slm2.md 7.2). */

const codebook = new Float32Array([
  -1,
  -0.6961928009986877,
  -0.5250730514526367,
  -0.39491748809814453,
  -0.28444138169288635,
  -0.18477343022823334,
  -0.09105003625154495,
  0,
  0.07958029955625534,
  0.16093020141124725,
  0.24611230194568634,
  0.33791524171829224,
  0.44070982933044434,
  0.5626170039176941,
  0.7229568362236023,
  1,
]);

/** Half way between neighbours; the sum of two of these f32 values is exact in f64. */
const midpoints = Array.from({ length: 15 }, (_, i) => (codebook[i] + codebook[i + 1]) / 2);

export const NF4 = {
  codebook,
  /** Index of the nearest codebook value; on a tie the lower index. */
  nearest(x: number): number {
    let index = 0;
    while (index < 15 && x > midpoints[index]) index++;
    return index;
  },
} as const;
