/**
 * BLAKE3-256 in hash mode (the BLAKE3 paper, sections 2.1 to 2.4), in plain TypeScript.
 *
 * Why not the package: it makes an object for each block of 64 bytes, and the garbage of a
 * 2 GiB file costs more memory than section 8 leaves a reader. Here a hash allocates nothing
 * but its digest. The package stays as the other opinion in the tests.
 */

/** Table 1. */
const IV = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

/** Table 2: the message permutation between rounds. */
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const ROUNDS = 7;
/** The message word of each addition, round by round. */
const SCHEDULE = schedule();

/** Table 3: domain flags. */
const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

const BLOCK = 64;
const CHUNK = 1024;
const BLOCKS = CHUNK / BLOCK;
/** Words of a chaining value. */
const WORDS = 8;
/** Chaining values that wait for a right sibling: one a level, and 2^53 bytes have 43. */
const LEVELS = 54;

function schedule(): Uint8Array {
  const words = new Uint8Array(16 * ROUNDS);
  let round = Array.from({ length: 16 }, (_, i) => i);
  for (let r = 0; r < ROUNDS; r++) {
    words.set(round, 16 * r);
    round = PERMUTATION.map((i) => round[i]);
  }
  return words;
}

/** The message words of the block at hand. */
const m = new Int32Array(16);

function loadBlock(bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++, offset += 4) {
    m[i] = bytes[offset] | bytes[offset + 1] << 8 | bytes[offset + 2] << 16 |
      bytes[offset + 3] << 24;
  }
}

/** A message of less than a block, followed by zeros. */
function loadShortBlock(bytes: Uint8Array, offset: number, length: number): void {
  m.fill(0);
  for (let i = 0; i < length; i++) m[i >> 2] |= bytes[offset + i] << 8 * (i & 3);
}

/**
 * The compression function (section 2.2) on the message in `m`, truncated to a chaining value.
 *
 * @param cv the chaining value at word `from`
 * @param out gets the result at word `to`; may be `cv`
 * @param counter chunk counter, up to 2^53 - 1
 */
function compress(
  cv: Int32Array,
  from: number,
  out: Int32Array,
  to: number,
  counter: number,
  length: number,
  flags: number,
): void {
  let v0 = cv[from], v1 = cv[from + 1], v2 = cv[from + 2], v3 = cv[from + 3];
  let v4 = cv[from + 4], v5 = cv[from + 5], v6 = cv[from + 6], v7 = cv[from + 7];
  let v8 = IV[0], v9 = IV[1], v10 = IV[2], v11 = IV[3];
  let v12 = counter | 0, v13 = Math.floor(counter / 2 ** 32) | 0, v14 = length, v15 = flags;
  for (let at = 0; at < SCHEDULE.length; at += 16) {
    // the columns, then the diagonals
    v0 = (v0 + v4 + m[SCHEDULE[at + 0]]) | 0;
    v12 ^= v0;
    v12 = (v12 >>> 16) | (v12 << 16);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 >>> 12) | (v4 << 20);
    v0 = (v0 + v4 + m[SCHEDULE[at + 1]]) | 0;
    v12 ^= v0;
    v12 = (v12 >>> 8) | (v12 << 24);
    v8 = (v8 + v12) | 0;
    v4 ^= v8;
    v4 = (v4 >>> 7) | (v4 << 25);
    v1 = (v1 + v5 + m[SCHEDULE[at + 2]]) | 0;
    v13 ^= v1;
    v13 = (v13 >>> 16) | (v13 << 16);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 >>> 12) | (v5 << 20);
    v1 = (v1 + v5 + m[SCHEDULE[at + 3]]) | 0;
    v13 ^= v1;
    v13 = (v13 >>> 8) | (v13 << 24);
    v9 = (v9 + v13) | 0;
    v5 ^= v9;
    v5 = (v5 >>> 7) | (v5 << 25);
    v2 = (v2 + v6 + m[SCHEDULE[at + 4]]) | 0;
    v14 ^= v2;
    v14 = (v14 >>> 16) | (v14 << 16);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 >>> 12) | (v6 << 20);
    v2 = (v2 + v6 + m[SCHEDULE[at + 5]]) | 0;
    v14 ^= v2;
    v14 = (v14 >>> 8) | (v14 << 24);
    v10 = (v10 + v14) | 0;
    v6 ^= v10;
    v6 = (v6 >>> 7) | (v6 << 25);
    v3 = (v3 + v7 + m[SCHEDULE[at + 6]]) | 0;
    v15 ^= v3;
    v15 = (v15 >>> 16) | (v15 << 16);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 >>> 12) | (v7 << 20);
    v3 = (v3 + v7 + m[SCHEDULE[at + 7]]) | 0;
    v15 ^= v3;
    v15 = (v15 >>> 8) | (v15 << 24);
    v11 = (v11 + v15) | 0;
    v7 ^= v11;
    v7 = (v7 >>> 7) | (v7 << 25);
    v0 = (v0 + v5 + m[SCHEDULE[at + 8]]) | 0;
    v15 ^= v0;
    v15 = (v15 >>> 16) | (v15 << 16);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 >>> 12) | (v5 << 20);
    v0 = (v0 + v5 + m[SCHEDULE[at + 9]]) | 0;
    v15 ^= v0;
    v15 = (v15 >>> 8) | (v15 << 24);
    v10 = (v10 + v15) | 0;
    v5 ^= v10;
    v5 = (v5 >>> 7) | (v5 << 25);
    v1 = (v1 + v6 + m[SCHEDULE[at + 10]]) | 0;
    v12 ^= v1;
    v12 = (v12 >>> 16) | (v12 << 16);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 >>> 12) | (v6 << 20);
    v1 = (v1 + v6 + m[SCHEDULE[at + 11]]) | 0;
    v12 ^= v1;
    v12 = (v12 >>> 8) | (v12 << 24);
    v11 = (v11 + v12) | 0;
    v6 ^= v11;
    v6 = (v6 >>> 7) | (v6 << 25);
    v2 = (v2 + v7 + m[SCHEDULE[at + 12]]) | 0;
    v13 ^= v2;
    v13 = (v13 >>> 16) | (v13 << 16);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 >>> 12) | (v7 << 20);
    v2 = (v2 + v7 + m[SCHEDULE[at + 13]]) | 0;
    v13 ^= v2;
    v13 = (v13 >>> 8) | (v13 << 24);
    v8 = (v8 + v13) | 0;
    v7 ^= v8;
    v7 = (v7 >>> 7) | (v7 << 25);
    v3 = (v3 + v4 + m[SCHEDULE[at + 14]]) | 0;
    v14 ^= v3;
    v14 = (v14 >>> 16) | (v14 << 16);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 >>> 12) | (v4 << 20);
    v3 = (v3 + v4 + m[SCHEDULE[at + 15]]) | 0;
    v14 ^= v3;
    v14 = (v14 >>> 8) | (v14 << 24);
    v9 = (v9 + v14) | 0;
    v4 ^= v9;
    v4 = (v4 >>> 7) | (v4 << 25);
  }
  out[to] = v0 ^ v8;
  out[to + 1] = v1 ^ v9;
  out[to + 2] = v2 ^ v10;
  out[to + 3] = v3 ^ v11;
  out[to + 4] = v4 ^ v12;
  out[to + 5] = v5 ^ v13;
  out[to + 6] = v6 ^ v14;
  out[to + 7] = v7 ^ v15;
}

/** One hash: `update` as often as needed, then `digest`, which makes it ready for the next. */
export class Blake3 {
  /** chaining values of subtrees, the widest first; above them the current chunk's */
  readonly #stack = new Int32Array(WORDS * (LEVELS + 1));
  #height = 0;
  /** the block that is not compressed until it is known whether more follows */
  readonly #block = new Uint8Array(BLOCK);
  #filled = 0;
  /** blocks of the current chunk that are compressed */
  #blocks = 0;
  /** whole chunks before the current one */
  #chunks = 0;

  constructor() {
    this.#beginChunk();
  }

  update(bytes: Uint8Array): this {
    const { length } = bytes;
    let at = 0;
    while (at < length) {
      if (this.#filled === BLOCK) {
        loadBlock(this.#block, 0);
        this.#compressBlock();
        this.#filled = 0;
      }
      // a block that is not the last of the input goes straight from there
      while (this.#filled === 0 && length - at > BLOCK) {
        loadBlock(bytes, at);
        this.#compressBlock();
        at += BLOCK;
      }
      const end = Math.min(length, at + BLOCK - this.#filled);
      while (at < end) this.#block[this.#filled++] = bytes[at++];
    }
    return this;
  }

  /** The 32 bytes; the object then begins a new hash. */
  digest(): Uint8Array {
    const stack = this.#stack;
    loadShortBlock(this.#block, 0, this.#filled);
    const start = this.#blocks === 0 ? CHUNK_START : 0;
    const last = this.#height === 0 ? ROOT : 0;
    let top = WORDS * this.#height;
    compress(stack, top, stack, top, this.#chunks, this.#filled, start | CHUNK_END | last);
    for (; top > 0; top -= WORDS) {
      joinParents(stack, top - WORDS, top === WORDS ? ROOT : 0);
    }
    const digest = new Uint8Array(32);
    for (let i = 0; i < 32; i++) digest[i] = stack[i >> 2] >>> 8 * (i & 3);
    this.#height = this.#filled = this.#chunks = 0;
    this.#beginChunk();
    return digest;
  }

  #beginChunk(): void {
    this.#blocks = 0;
    this.#stack.set(IV, WORDS * this.#height);
  }

  /** Compresses the message in `m`, a whole block with input after it. */
  #compressBlock(): void {
    const stack = this.#stack;
    const top = WORDS * this.#height;
    const start = this.#blocks === 0 ? CHUNK_START : 0;
    const end = ++this.#blocks === BLOCKS ? CHUNK_END : 0;
    compress(stack, top, stack, top, this.#chunks, BLOCK, start | end);
    if (end !== 0) this.#endChunk();
  }

  /** Section 2.4: a subtree is joined with its sibling as soon as both are whole. */
  #endChunk(): void {
    this.#chunks++;
    for (let n = this.#chunks; n % 2 === 0; n /= 2) {
      this.#height--;
      joinParents(this.#stack, WORDS * this.#height, 0);
    }
    this.#height++;
    this.#beginChunk();
  }
}

/** Two chaining values at word `at` become their parent's, in place (section 2.3). */
function joinParents(stack: Int32Array, at: number, root: number): void {
  for (let i = 0; i < 16; i++) m[i] = stack[at + i];
  compress(IV, 0, stack, at, 0, BLOCK, PARENT | root);
}

const oneShot = new Blake3();

/** BLAKE3-256 of `bytes`. */
export function blake3(bytes: Uint8Array): Uint8Array {
  return oneShot.update(bytes).digest();
}
