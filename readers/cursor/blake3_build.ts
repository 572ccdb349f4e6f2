/**
 * Writes blake3_data.ts: the compression functions of BLAKE3 as WebAssembly SIMD.
 *
 * Source: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3: one function, fast
 * everywhere", 2021. Section numbers below are the paper's. The tree over chunks is blake3.ts.
 *
 * Run `deno task build:blake3`; blake3_test.ts holds the committed module to this source.
 */

import {
  assemble,
  call,
  type Code,
  doWhile,
  get,
  I32,
  i32,
  i32x4,
  i8x16,
  set,
  V128,
  v128,
  when,
} from "./wasm.ts";

/** Section 2.2, table 1. */
const IV = [
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
];

/** Section 2.2, table 2: what becomes of the message words between two rounds. */
const MSG_PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/** Section 2.2, table 3. */
const CHUNK_START = 1 << 0;
const CHUNK_END = 1 << 1;
const PARENT = 1 << 2;

const ROUNDS = 7;
const BLOCK_LEN = 64;
const CHUNK_LEN = 1024;

/** Pages of memory: 256 KiB of window and what blake3.ts lays out beside it. */
const PAGES = 6;

/** Where the four-lane functions keep the transposed message: word i of four blocks at 16 i. */
const M = i32.const(0);

/** One word type that the rounds work on: four lanes, or one. */
interface Word {
  add(a: Code, b: Code): Code;
  xor(a: Code, b: Code): Code;
  /** Of the word in local `x`. */
  rotr(x: number, bits: 16 | 12 | 8 | 7): Code;
}

/**
 * Four lanes. V8 has two moves for the shuffle by 16 but builds the mask of one by 8 anew each
 * time, so that mask waits in local `bytes8`; shifts are slower than either.
 */
const lanes = (bytes8: number): Word => ({
  add: i32x4.add,
  xor: v128.xor,
  rotr(x, bits) {
    if (bits === 16) return i8x16.shuffle(BYTES_16)(get(x), get(x));
    if (bits === 8) return i8x16.swizzle(get(x), get(bytes8));
    return v128.or(i32x4.shrU(get(x), i32.const(bits)), i32x4.shl(get(x), i32.const(32 - bits)));
  },
});

/** Which bytes a rotation of every word to the right by 16 or 8 bits takes. */
const BYTES_16 = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
const BYTES_8 = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];

/** One lane. */
const word: Word = {
  add: i32.add,
  xor: i32.xor,
  rotr: (x, bits) => i32.rotr(get(x), i32.const(bits)),
};

/** The locals a, b, c, d of one quarter round G (2.2), and its two message words. */
interface Quarter {
  state: [a: number, b: number, c: number, d: number];
  message: Code[];
}

/**
 * Quarter rounds side by side: V8 keeps the order of the steps, and one alone would wait for
 * itself. The message is added first, because b is the last to come out of the round before.
 */
function g({ add, xor, rotr }: Word, quarters: Quarter[]): Code {
  const half = (m: 0 | 1, right: 16 | 8, left: 12 | 7): Code[] => [
    ...quarters.map(({ state: [a, b], message }) => set(a, add(add(get(a), message[m]), get(b)))),
    ...quarters.map((
      { state: [a, , , d] },
    ) => [...set(d, xor(get(d), get(a))), ...set(d, rotr(d, right))]),
    ...quarters.map(({ state: [, , c, d] }) => set(c, add(get(c), get(d)))),
    ...quarters.map((
      { state: [, b, c] },
    ) => [...set(b, xor(get(b), get(c))), ...set(b, rotr(b, left))]),
  ];
  return [...half(0, 16, 12), ...half(1, 8, 7)].flat();
}

/** All rounds (2.2) on the locals v .. v + 15; `message` is the code of one message word. */
function rounds(word: Word, v: number, message: (index: number) => Code): Code {
  const code: Code[] = [];
  let schedule = Array.from({ length: 16 }, (_, i) => i);
  for (let round = 0; round < ROUNDS; round++) {
    const quarters = [0, 1, 2, 3, 4, 5, 6, 7].map((i): Quarter => {
      const turn = i < 4 ? 0 : 1; // columns, then diagonals
      const row = (r: number) => v + 4 * r + (i + turn * r) % 4;
      const pair = [schedule[2 * i], schedule[2 * i + 1]];
      return { state: [row(0), row(1), row(2), row(3)], message: pair.map(message) };
    });
    code.push(g(word, quarters.slice(0, 4)), g(word, quarters.slice(4)));
    schedule = MSG_PERMUTATION.map((from) => schedule[from]);
  }
  return code.flat();
}

/** compress4(h, t0, t1, flags): four whole blocks in M, chaining values at h, word i at 16 i. */
function compress4(): Code {
  const [h, t0, t1, flags, v, bytes8] = [0, 1, 2, 3, 4, 20];
  const at = (i: number) => v128.load(get(h), 16 * i);
  const constant = (value: number) => v128.const([value, value, value, value]);
  return [
    ...IV.map((_, i) => set(v + i, at(i))),
    ...IV.slice(0, 4).map((value, i) => set(v + 8 + i, constant(value))),
    ...[get(t0), get(t1), constant(BLOCK_LEN), get(flags)].map((x, i) => set(v + 12 + i, x)),
    set(bytes8, v128.bytes(BYTES_8)),
    rounds(lanes(bytes8), v, (i) => v128.load(M, 16 * i)),
    ...IV.map((_, i) => v128.store(get(h), v128.xor(get(v + i), get(v + 8 + i)), 16 * i)),
  ].flat();
}

/** The chaining value before the first block, four times, at the address in local `h`. */
const start4 = (h: number): Code =>
  IV.flatMap((value, i) => v128.store(get(h), v128.const([value, value, value, value]), 16 * i));

/** chunks4(source, t0, t1, h): four whole chunks from any address; t0 is a multiple of four. */
function chunks4(): Code {
  const [source, t0, t1, h, counter, flags, end, t] = [0, 1, 2, 3, 4, 5, 6, 7];
  const column = (offset: number): Code[] => {
    const row = [0, 1, 2, 3].map((j) => set(t + j, v128.load(get(source), CHUNK_LEN * j + offset)));
    const low = i32x4.shuffle(0, 4, 1, 5), high = i32x4.shuffle(2, 6, 3, 7);
    const lower = i32x4.shuffle(0, 1, 4, 5), upper = i32x4.shuffle(2, 3, 6, 7);
    const [a, b, c, d] = [t, t + 1, t + 2, t + 3].map(get);
    const [e, f] = [t + 4, t + 5].map(get);
    const put = (i: number, value: Code) => v128.store(M, value, 4 * offset + 16 * i);
    return [
      ...row,
      ...[set(t + 4, low(a, b)), set(t + 5, low(c, d)), put(0, lower(e, f)), put(1, upper(e, f))],
      ...[set(t + 4, high(a, b)), set(t + 5, high(c, d)), put(2, lower(e, f)), put(3, upper(e, f))],
    ];
  };
  const transpose = [0, 16, 32, 48].flatMap(column).flat();
  const block = (flag: Code): Code => [
    ...transpose,
    ...call(0, get(h), get(counter), i32x4.splat(get(t1)), i32x4.splat(flag)),
    ...set(source, i32.add(get(source), i32.const(BLOCK_LEN))),
  ];
  return [
    start4(h),
    set(counter, i32x4.add(i32x4.splat(get(t0)), v128.const([0, 1, 2, 3]))),
    set(end, i32.add(get(source), i32.const(CHUNK_LEN - BLOCK_LEN))),
    set(flags, i32.const(CHUNK_START)),
    doWhile(
      [...block(get(flags)), ...set(flags, i32.const(0))],
      i32.gtU(get(end), get(source)),
    ),
    block(i32.const(CHUNK_END)),
  ].flat();
}

/** parents4(children, flags, h): eight chaining values, four lanes and then four, to four. */
function parents4(): Code {
  const [children, flags, h] = [0, 1, 2];
  const even = i32x4.shuffle(0, 2, 4, 6), odd = i32x4.shuffle(1, 3, 5, 7);
  const zero = v128.const([0, 0, 0, 0]);
  return [
    ...IV.flatMap((_, i) => {
      const first = v128.load(get(children), 16 * i);
      const second = v128.load(get(children), 128 + 16 * i);
      return [
        v128.store(M, even(first, second), 16 * i),
        v128.store(M, odd(first, second), 128 + 16 * i),
      ];
    }),
    start4(h),
    call(0, get(h), zero, zero, i32x4.splat(i32.or(get(flags), i32.const(PARENT)))),
  ].flat();
}

/** compress(h, block, t0, t1, length, flags): one block, chaining value at h. */
function compress(): Code {
  const [h, block, t0, t1, length, flags, v] = [0, 1, 2, 3, 4, 5, 6];
  return [
    ...IV.map((_, i) => set(v + i, i32.load(get(h), 4 * i))),
    ...IV.slice(0, 4).map((value, i) => set(v + 8 + i, i32.const(value))),
    ...[t0, t1, length, flags].map((x, i) => set(v + 12 + i, get(x))),
    rounds(word, v, (i) => i32.load(get(block), 4 * i)),
    ...IV.map((_, i) => i32.store(get(h), i32.xor(get(v + i), get(v + 8 + i)), 4 * i)),
  ].flat();
}

/**
 * chunk(source, length, t0, t1, flags, h): one chunk of 0..1024 bytes; `flags` go to its last
 * block. Zeros overwrite the 64 bytes after a shorter chunk: the padding of that block (2.3).
 */
function chunk(): Code {
  const [source, length, t0, t1, flags, h, start] = [0, 1, 2, 3, 4, 5, 6];
  const zero = v128.const([0, 0, 0, 0]);
  const end = i32.add(get(source), get(length));
  const block = (size: Code, flag: Code) =>
    call(3, get(h), get(source), get(t0), get(t1), size, flag);
  return [
    when(
      i32.gtU(i32.const(CHUNK_LEN), get(length)),
      [0, 16, 32, 48].flatMap((offset) => v128.store(end, zero, offset)),
    ),
    ...IV.map((value, i) => i32.store(get(h), i32.const(value), 4 * i)),
    set(start, i32.const(CHUNK_START)),
    when(
      i32.gtU(get(length), i32.const(BLOCK_LEN)),
      doWhile(
        [
          block(i32.const(BLOCK_LEN), get(start)),
          set(start, i32.const(0)),
          set(source, i32.add(get(source), i32.const(BLOCK_LEN))),
          set(length, i32.sub(get(length), i32.const(BLOCK_LEN))),
        ].flat(),
        i32.gtU(get(length), i32.const(BLOCK_LEN)),
      ),
    ),
    block(get(length), i32.or(get(start), i32.or(get(flags), i32.const(CHUNK_END)))),
  ].flat();
}

/** The module. Functions call each other by their place in this list. */
export function build(): Uint8Array<ArrayBuffer> {
  const locals = (count: number, type: number) => ({ count, type });
  return assemble(PAGES, [
    { parameters: [I32, V128, V128, V128], locals: [locals(17, V128)], body: compress4() },
    {
      export: "chunks4",
      parameters: [I32, I32, I32, I32],
      locals: [locals(1, V128), locals(2, I32), locals(6, V128)],
      body: chunks4(),
    },
    { export: "parents4", parameters: [I32, I32, I32], locals: [], body: parents4() },
    { parameters: [I32, I32, I32, I32, I32, I32], locals: [locals(16, I32)], body: compress() },
    {
      export: "chunk",
      parameters: [I32, I32, I32, I32, I32, I32],
      locals: [locals(1, I32)],
      body: chunk(),
    },
  ]);
}

/** The text of blake3_data.ts. */
export function source(): string {
  return `/** Built by blake3_build.ts: do not edit. */
export const MODULE =
  "${build().toBase64()}";
`;
}

if (import.meta.main) Deno.writeTextFileSync(new URL("blake3_data.ts", import.meta.url), source());
