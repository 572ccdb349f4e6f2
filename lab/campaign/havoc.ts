/**
 * Byte mutations, several at a time, in one buffer: what finds what nobody thought of. The
 * structured mutators of `mutators/` know the format; this knows bytes.
 */
import type { Random } from "../../mutators/random.ts";

/** Values at which code turns: ends of ranges, and their neighbours. */
const TURNING = [0, 1, 2, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255, 256, 1024, 4095, 4096, 32767];
const WIDE = [65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff];

const LONGEST_BLOCK = 64;

export class Havoc {
  /** the input in the making */
  readonly buffer: Uint8Array;
  #length = 0;

  /** @param limit length in bytes that an input may have */
  constructor(private readonly random: Random, limit: number) {
    this.buffer = new Uint8Array(limit);
  }

  /**
   * Mutates a copy of `input` in `buffer`.
   * @param other another input, for splices
   * @param tokens byte strings that mean something to the code
   * @returns its length
   */
  mutate(input: Uint8Array, other: Uint8Array, tokens: readonly Uint8Array[]): number {
    this.buffer.set(input);
    this.#length = input.length;
    for (let times = 1 << this.random.below(4); times > 0; times--) this.#step(other, tokens);
    return this.#length;
  }

  #step(other: Uint8Array, tokens: readonly Uint8Array[]): void {
    const { random, buffer } = this;
    const n = this.#length;
    if (n === 0) return this.#insert(0, random.between(1, LONGEST_BLOCK));
    const at = random.below(n);
    switch (random.below(10)) {
      case 0:
        buffer[at] ^= 1 << random.below(8);
        break;
      case 1:
        buffer[at] = random.u32();
        break;
      case 2:
        this.#add(at, 1 << random.below(4));
        break;
      case 3:
        this.#copy(at, buffer, random.below(n), n);
        break;
      case 4:
        if (other.length > 0) this.#copy(at, other, random.below(other.length), other.length);
        break;
      case 5:
        this.#insert(at, random.between(1, Math.min(LONGEST_BLOCK, n)));
        break;
      case 6:
        this.#remove(at, random.between(1, LONGEST_BLOCK));
        break;
      case 7:
        if (tokens.length > 0) this.#put(at, random.pick(tokens));
        break;
      case 8:
        this.#number(at, random.pick(random.below(4) === 0 ? WIDE : TURNING), 1 << random.below(4));
        break;
      default:
        this.#number(at & ~7, random.below(4096) & ~31, 8);
    }
  }

  /** Adds a small number to the integer of `width` bytes, its carry going up. */
  #add(at: number, width: number): void {
    if (at + width > this.#length) return;
    let carry = this.random.between(-17, 17);
    for (let i = 0; i < width && carry !== 0; i++) {
      const sum = this.buffer[at + i] + carry;
      this.buffer[at + i] = sum;
      carry = sum >> 8;
    }
  }

  #number(at: number, value: number, width: number): void {
    if (at + width > this.#length) return;
    const big = this.random.below(4) === 0;
    let rest = value;
    for (let i = 0; i < width; i++) {
      this.buffer[big ? at + width - 1 - i : at + i] = rest;
      rest = Math.floor(rest / 256);
    }
  }

  #copy(at: number, from: Uint8Array, start: number, end: number): void {
    const most = Math.min(LONGEST_BLOCK, this.#length - at, end - start);
    const length = this.random.between(1, most);
    if (from === this.buffer) from.copyWithin(at, start, start + length);
    else for (let i = 0; i < length; i++) this.buffer[at + i] = from[start + i];
  }

  #put(at: number, token: Uint8Array): void {
    if (at + token.length > this.#length) return;
    for (let i = 0; i < token.length; i++) this.buffer[at + i] = token[i];
  }

  /** Makes room and fills it with a copy of what stands there, or with one byte. */
  #insert(at: number, length: number): void {
    if (this.#length + length > this.buffer.length) return;
    this.buffer.copyWithin(at + length, at, this.#length);
    this.#length += length;
    if (this.random.below(2) === 0) this.buffer.fill(this.random.u32(), at, at + length);
  }

  #remove(at: number, length: number): void {
    const part = Math.min(length, this.#length - at);
    this.buffer.copyWithin(at, at + part, this.#length);
    this.#length -= part;
  }
}
