/**
 * What the bench measures against: the kernels as one would write them in plain TypeScript for
 * speed, without regard to f32 rounding or a fixed order of sums.
 */

/** y [d] = W [d, n] x: four accumulators. */
export function plainMatvec(y: Float32Array, w: Float32Array, x: Float32Array): void {
  const n = x.length;
  for (let i = 0; i < y.length; i++) {
    const row = i * n;
    let a = 0, b = 0, c = 0, d = 0;
    for (let j = 0; j < n; j += 4) {
      a += w[row + j] * x[j];
      b += w[row + j + 1] * x[j + 1];
      c += w[row + j + 2] * x[j + 2];
      d += w[row + j + 3] * x[j + 3];
    }
    y[i] = a + b + c + d;
  }
}

/** Activations in blocks of 32 as 8-bit integers with one scale. */
export interface Coarse {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
}

/** q8-0 as two planes, codes and scales, times coarse activations: integers within a block. */
export function plainQ8(y: Float32Array, q: Int8Array, s: Float32Array, x: Coarse): void {
  const n = x.codes.length, blocks = n / 32;
  for (let i = 0; i < y.length; i++) {
    let sum = 0;
    for (let b = 0; b < blocks; b++) {
      let z = 0, p = i * n + b * 32, u = b * 32;
      for (const end = u + 32; u < end; u += 4, p += 4) {
        z = (z + Math.imul(q[p], x.codes[u]) + Math.imul(q[p + 1], x.codes[u + 1]) +
          Math.imul(q[p + 2], x.codes[u + 2]) + Math.imul(q[p + 3], x.codes[u + 3])) | 0;
      }
      sum += z * s[i * blocks + b] * x.scales[b];
    }
    y[i] = sum;
  }
}

/** q4-0 likewise: two codes a byte, less 8. */
export function plainQ4(y: Float32Array, q: Uint8Array, s: Float32Array, x: Coarse): void {
  const n = x.codes.length, blocks = n / 32;
  for (let i = 0; i < y.length; i++) {
    let sum = 0;
    for (let b = 0; b < blocks; b++) {
      const p = (i * n + b * 32) / 2, u = b * 32;
      let z = 0;
      for (let j = 0; j < 16; j++) {
        const pair = q[p + j];
        z = (z + Math.imul((pair & 15) - 8, x.codes[u + j]) +
          Math.imul((pair >> 4) - 8, x.codes[u + j + 16])) | 0;
      }
      sum += z * s[i * blocks + b] * x.scales[b];
    }
    y[i] = sum;
  }
}

/** C [n, n] = A B^T in tiles of two rows by four, all eight sums in registers. */
export function plainMatmul(c: Float32Array, a: Float32Array, b: Float32Array, n: number): void {
  for (let j = 0; j < n; j += 4) {
    for (let i = 0; i < n; i += 2) {
      let c0 = 0, c1 = 0, c2 = 0, c3 = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;
      const p = i * n, q = p + n, r0 = j * n, r1 = r0 + n, r2 = r1 + n, r3 = r2 + n;
      for (let k = 0; k < n; k++) {
        const u = a[p + k], v = a[q + k];
        const w0 = b[r0 + k], w1 = b[r1 + k], w2 = b[r2 + k], w3 = b[r3 + k];
        c0 += u * w0;
        c1 += u * w1;
        c2 += u * w2;
        c3 += u * w3;
        d0 += v * w0;
        d1 += v * w1;
        d2 += v * w2;
        d3 += v * w3;
      }
      c.set([c0, c1, c2, c3], p + j);
      c.set([d0, d1, d2, d3], q + j);
    }
  }
}

/**
 * Figures of a C program: lines `C NAME VALUE UNIT`. Compiled with gcc at -O3 -march=native
 * -ffast-math, whose freedoms no exact kernel has. Empty where there is no gcc.
 */
export function measureC(source: string): Map<string, number> {
  const binary = Deno.makeTempFileSync();
  try {
    const flags = ["-O3", "-march=native", "-ffast-math", source, "-o", binary, "-lm"];
    if (!new Deno.Command("gcc", { args: flags }).outputSync().success) return new Map();
    const { stdout } = new Deno.Command(binary).outputSync();
    const lines = new TextDecoder().decode(stdout).matchAll(
      /^C (.*?) +([\d.]+) (GB\/s|GFLOP\/s)$/gm,
    );
    return new Map([...lines].map(([, name, value]) => [name, Number(value)]));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  } finally {
    Deno.removeSync(binary);
  }
}

/** What a program says after `achieved tok/s:`; a program that says nothing is a usage error. */
export function tokensPerSecond([program, ...args]: readonly string[]): number {
  const { stdout, stderr } = new Deno.Command(program, { args }).outputSync();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const rate = /achieved tok\/s: *([\d.]+)/.exec(text)?.[1];
  if (rate === undefined) throw new Error(`${program} prints no "achieved tok/s: VALUE"`);
  return Number(rate);
}
