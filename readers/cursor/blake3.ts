/**
 * BLAKE3-256, hash mode: four chunks at a time in WebAssembly SIMD, straight from the bytes that
 * a caller has read into `window`.
 *
 * Source: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3: one function, fast
 * everywhere", 2021. Section numbers below are the paper's. The compression functions are in
 * blake3_build.ts, whose output this file loads; here is the tree (2.1).
 */

import { MODULE } from "./blake3_data.ts";

/** What blake3_build.ts exports; each function is described there. A counter is t0 + 2^32 t1. */
interface Kernels {
  memory: WebAssembly.Memory;
  chunks4(source: number, t0: number, t1: number, h: number): void;
  parents4(children: number, flags: number, h: number): void;
  chunk(source: number, length: number, t0: number, t1: number, flags: number, h: number): void;
}

const compiled = new WebAssembly.Module(Uint8Array.from(atob(MODULE), (c) => c.charCodeAt(0)));
const kernels = new WebAssembly.Instance(compiled).exports as unknown as Kernels;
const memory = new Uint8Array(kernels.memory.buffer);
const words = new Uint32Array(kernels.memory.buffer);

/** Section 2.1. */
const CHUNK_LEN = 1024;
/** Section 2.2, table 3. */
const ROOT = 1 << 3;

/** Bytes of a group: as many chunks as there are lanes. */
const GROUP = 4 * CHUNK_LEN;
/** Four chaining values side by side: word i of each at 16 i. */
const HALF = 128;
const LEVEL = 2 * HALF;

// Addresses in the module's memory; it keeps the transposed message at 0..256.
const OUT = 256;
const WORK = 512; // two levels, of which one is read and the other written
const LEVELS = 1024; // 41, as many as an input of 2^53 bytes needs
const BUFFER = 12 * 1024; // a group, and padding
const SCRATCH = 64 * 1024;
const SCRATCH_LEN = 64 * 1024;
const WINDOW_AT = 128 * 1024;

/** Length of `window` in bytes. */
export const WINDOW = 256 * 1024;

/** Memory that hashers read without a copy. Its contents are the caller's alone. */
export const window: Uint8Array = memory.subarray(WINDOW_AT, WINDOW_AT + WINDOW);

/** The hasher whose state is in the module's memory; the others keep theirs aside. */
let resident: Blake3 | null = null;

/** An incremental hasher. Any number may live at once. */
export class Blake3 {
  /** Groups hashed so far. Bit i is set where four chaining values wait at level i. */
  #groups = 0;
  /** Bytes in BUFFER. They stay there until more follow: the last chunk ends otherwise. */
  #buffered = 0;
  #aside: Uint8Array | null = null;

  /** Back to the empty input. */
  reset(): this {
    this.#groups = 0;
    this.#buffered = 0;
    return this;
  }

  /** Appends `bytes` to the input; from `window` they are read in place. */
  update(bytes: Uint8Array): this {
    this.#enter();
    if (this.#buffered + bytes.length <= GROUP) {
      memory.set(bytes, BUFFER + this.#buffered);
      this.#buffered += bytes.length;
    } else if (bytes.buffer === memory.buffer) {
      this.#absorb(bytes.byteOffset, bytes.length);
    } else {
      for (let at = 0; at < bytes.length; at += SCRATCH_LEN) {
        const piece = bytes.subarray(at, at + SCRATCH_LEN);
        memory.set(piece, SCRATCH);
        this.#absorb(SCRATCH, piece.length);
      }
    }
    return this;
  }

  /**
   * The hash of the input so far, 32 fresh bytes (of a buffer that others share: never use its
   * `buffer` whole). The hasher can go on.
   */
  digest(): Uint8Array {
    this.#enter();
    if (this.#groups === 0 && this.#buffered <= CHUNK_LEN) return single(BUFFER, this.#buffered);
    let left = this.#groups;
    let work = WORK;
    let count = this.#last(work + HALF * (left % 2));
    // Pairs of each level are the next one's nodes; one over goes up as it is (2.1).
    for (let level = LEVELS;; level += LEVEL) {
      if (left % 2 === 1) {
        memory.copyWithin(work, level, level + HALF);
        count += 4;
      }
      left = Math.floor(left / 2);
      const next = WORK + LEVEL - (work - WORK);
      const half = next + HALF * (left % 2);
      const root = left === 0 && count === 2;
      if (count > 1) kernels.parents4(work, root ? ROOT : 0, half);
      if (root) {
        for (let i = 0; i < 8; i++) words[OUT / 4 + i] = words[half / 4 + 4 * i];
        return fresh();
      }
      if (count % 2 === 1) {
        const from = lane(work, count - 1), to = lane(half, (count - 1) / 2);
        for (let i = 0; i < 8; i++) words[to + 4 * i] = words[from + 4 * i];
      }
      count = Math.ceil(count / 2);
      work = next;
    }
  }

  /** Lets go of the memory. The hasher is as after `reset`. */
  free(): void {
    this.reset();
    this.#aside = null;
    if (resident === this) resident = null;
  }

  /** Brings this hasher's state into the module's memory. */
  #enter(): void {
    if (resident === this) return;
    if (resident !== null) resident.#leave();
    resident = this;
    if (this.#aside === null) return;
    const levels = this.#levels();
    memory.set(this.#aside.subarray(0, levels), LEVELS);
    memory.set(this.#aside.subarray(levels, levels + this.#buffered), BUFFER);
  }

  #leave(): void {
    const levels = this.#levels();
    const size = levels + GROUP;
    if (this.#aside === null || this.#aside.length < size) this.#aside = new Uint8Array(size);
    this.#aside.set(memory.subarray(LEVELS, LEVELS + levels));
    this.#aside.set(memory.subarray(BUFFER, BUFFER + this.#buffered), levels);
  }

  /** Bytes of the levels in use. */
  #levels(): number {
    let depth = 0;
    for (let left = this.#groups; left >= 1; left /= 2) depth++;
    return LEVEL * depth;
  }

  /** Hashes all but the last 1..4096 of the bytes buffered and at `at`; buffers those. */
  #absorb(at: number, length: number): void {
    const end = at + length;
    if (this.#buffered + length > GROUP) {
      if (this.#buffered > 0) {
        const rest = GROUP - this.#buffered;
        memory.copyWithin(BUFFER + this.#buffered, at, at + rest);
        this.#group(BUFFER);
        this.#buffered = 0;
        at += rest;
      }
      for (; end - at > GROUP; at += GROUP) this.#group(at);
    }
    memory.copyWithin(BUFFER + this.#buffered, at, end);
    this.#buffered += end - at;
  }

  /** Hashes four chunks, then four parents at each level where eight nodes have come together. */
  #group(source: number): void {
    let n = this.#groups++;
    let level = LEVELS;
    const t = 4 * n;
    kernels.chunks4(source, t, t / 2 ** 32, level + HALF * (n % 2));
    for (; n % 2 === 1; level += LEVEL) {
      n = (n - 1) / 2;
      kernels.parents4(level, 0, level + LEVEL + HALF * (n % 2));
    }
  }

  /** Hashes the 1..4 chunks in BUFFER into the lanes at `half`; returns how many. */
  #last(half: number): number {
    const t = 4 * this.#groups;
    const count = Math.ceil(this.#buffered / CHUNK_LEN);
    let done = Math.floor(this.#buffered / CHUNK_LEN);
    if (done > 1) kernels.chunks4(BUFFER, t, t / 2 ** 32, half);
    else done = 0;
    for (; done < count; done++) {
      const length = Math.min(CHUNK_LEN, this.#buffered - done * CHUNK_LEN);
      kernels.chunk(BUFFER + done * CHUNK_LEN, length, t + done, t / 2 ** 32, 0, OUT);
      const to = lane(half, done);
      for (let i = 0; i < 8; i++) words[to + 4 * i] = words[OUT / 4 + i];
    }
    return count;
  }
}

/** Index into `words` of the first word of node `index`, 0..7, of the level at `level`. */
function lane(level: number, index: number): number {
  return (index < 4 ? level : level + HALF - 16) / 4 + index;
}

/** The hash of an input of one chunk at most. */
function single(source: number, length: number): Uint8Array {
  kernels.chunk(source, length, 0, 0, ROOT, OUT);
  return fresh();
}

/** A new buffer costs as much as hashing 200 bytes, so digests share buffers, 32 to one. */
let shared = new ArrayBuffer(1024);
let taken = 0;

/** The 32 bytes at OUT, as the caller's own. */
function fresh(): Uint8Array {
  if (taken === shared.byteLength) {
    shared = new ArrayBuffer(shared.byteLength);
    taken = 0;
  }
  const digest = new Uint8Array(shared, taken, 32);
  taken += 32;
  for (let i = 0; i < 32; i++) digest[i] = memory[OUT + i];
  return digest;
}

const oneShot = new Blake3();

/** The hash of `bytes`, 32 fresh bytes as of `digest`. */
export function blake3(bytes: Uint8Array): Uint8Array {
  if (bytes.length > CHUNK_LEN) return oneShot.reset().update(bytes).digest();
  memory.set(bytes, SCRATCH);
  return single(SCRATCH, bytes.length);
}
