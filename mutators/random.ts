/**
 * The one source of chance in mutators: xoshiro128** 1.1 of Blackman and Vigna (public domain,
 * https://prng.di.unimi.it/xoshiro128starstar.c), its state filled by SplitMix32. Period 2^128 - 1.
 * No clock and no engine randomness: equal seeds give equal campaigns on every machine.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** @param seed any integer up to 2^53 - 1; both its halves count */
  constructor(seed: number) {
    let s = (seed | 0) ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1);
    const next = () => {
      s = (s + 0x9e3779b9) | 0;
      let z = s ^ (s >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1; // the all-zero state is the one that must not be
  }

  /** 32 random bits, unsigned. */
  u32(): number {
    const five = Math.imul(this.#b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9);
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** An integer in [0, n), n from 1 to 2^32; the bias of at most n / 2^32 does not matter here. */
  below(n: number): number {
    return Math.floor(this.u32() * n / 2 ** 32);
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** True once in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** An element of a list that is not empty. */
  pick<T>(list: ArrayLike<T>): T {
    return list[this.below(list.length)];
  }

  /** `length` random bytes. */
  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.u32() >>> 24;
    return bytes;
  }

  /** Small numbers often, large ones seldom: `n` with chance about 2^-(n + 1), at most `most`. */
  small(most: number): number {
    return Math.min(most, Math.clz32(this.u32()));
  }
}
