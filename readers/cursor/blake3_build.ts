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

/** Sections 2.2, 2.4 and 2.1. */
const ROUNDS = 7;
const BLOCK_LEN = 64;
const CHUNK_LEN = 1024;

/** Pages of memory: 256 KiB of window and what blake3.ts lays out beside it. */
const PAGES = 6;

/** Where the four-lane functions keep the transposed message: word i of four blocks at 16 i. */
const M = i32.const(0);

/** Which bytes a rotation of every word to the right by 16 or 8 bits takes. */
const BYTES_16 = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
const BYTES_8 = [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12];

/**
 * Every word of local `x` rotated to the right. V8 builds the mask of a shuffle anew each time,
 * so the two masks wait in locals `masks` and `masks` + 1; shifts are slower than either.
 */
function rotr(x: number, bits: 16 | 12 | 8 | 7, masks: number): Code {
  if (bits === 16) return i8x16.swizzle(get(x), get(masks));
  if (bits === 8) return i8x16.swizzle(get(x), get(masks + 1));
  return v128.or(i32x4.shrU(get(x), i32.const(bits)), i32x4.shl(get(x), i32.const(32 - bits)));
}

const everyLane = (word: number): Code => v128.const([word, word, word, word]);
const zero = everyLane(0);

const setMasks = (masks: number): Code => [
  ...set(masks, v128.bytes(BYTES_16)),
  ...set(masks + 1, v128.bytes(BYTES_8)),
];

/** The locals of one quarter round G (2.2), and the code of its two message words. */
interface Quarter {
  a: number;
  b: number;
  c: number;
  d: number;
  message: Code[];
}

/**
 * Quarter rounds side by side: V8 keeps the order of the steps, and one alone would wait for
 * itself. The message is added first, because b is the last to come out of the round before.
 */
function g(quarters: Quarter[], masks: number): Code {
  const { add } = i32x4, { xor } = v128;
  const turn = (x: number, by: number, bits: 16 | 12 | 8 | 7): Code => [
    ...set(x, xor(get(x), get(by))),
    ...set(x, rotr(x, bits, masks)),
  ];
  const half = (m: 0 | 1, right: 16 | 8, left: 12 | 7): Code[] => [
    ...quarters.map(({ a, b, message }) => set(a, add(add(get(a), message[m]), get(b)))),
    ...quarters.map(({ a, d }) => turn(d, a, right)),
    ...quarters.map(({ c, d }) => set(c, add(get(c), get(d)))),
    ...quarters.map(({ b, c }) => turn(b, c, left)),
  ];
  return [...half(0, 16, 12), ...half(1, 8, 7)].flat();
}

/** For each round, which word of the block stands at each place of the schedule (2.2). */
const SCHEDULES = Array.from({ length: ROUNDS - 1 }).reduce<number[][]>(
  (rounds) => [...rounds, MSG_PERMUTATION.map((from) => rounds[rounds.length - 1][from])],
  [MSG_PERMUTATION.map((_, i) => i)],
);

/** compress4(h, t0, t1, flags): four whole blocks in M, chaining values at h, word i at 16 i. */
function compress4(): Code {
  const [h, t0, t1, flags, v, masks] = [0, 1, 2, 3, 4, 20];
  const quarter = (schedule: number[], i: number): Quarter => {
    const turn = i < 4 ? 0 : 1; // columns, then diagonals
    const row = (r: number) => v + 4 * r + (i + turn * r) % 4;
    const message = (at: number) => v128.load(M, 16 * schedule[at]);
    const [a, b, c, d] = [0, 1, 2, 3].map(row);
    return { a, b, c, d, message: [message(2 * i), message(2 * i + 1)] };
  };
  return [
    setMasks(masks),
    ...IV.map((_, i) => set(v + i, v128.load(get(h), 16 * i))),
    ...IV.slice(0, 4).map((value, i) => set(v + 8 + i, everyLane(value))),
    ...[get(t0), get(t1), everyLane(BLOCK_LEN), get(flags)].map((x, i) => set(v + 12 + i, x)),
    ...SCHEDULES.flatMap((schedule) => [
      g([0, 1, 2, 3].map((i) => quarter(schedule, i)), masks),
      g([4, 5, 6, 7].map((i) => quarter(schedule, i)), masks),
    ]),
    ...IV.map((_, i) => v128.store(get(h), v128.xor(get(v + i), get(v + 8 + i)), 16 * i)),
  ].flat();
}

/** Stores the chaining value before the first block, IV (2.3), four times at the address in `h`. */
const start4 = (h: number): Code =>
  IV.flatMap((value, i) => v128.store(get(h), everyLane(value), 16 * i));

/**
 * chunks4(source, t0, t1, h): four whole chunks (2.4) from any address to their chaining values,
 * word i of the four at 16 i. t0 is a multiple of four.
 */
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

/** parents4(children, flags, h): eight chaining values, four and then four, to four (2.5). */
function parents4(): Code {
  const [children, flags, h] = [0, 1, 2];
  const even = i32x4.shuffle(0, 2, 4, 6), odd = i32x4.shuffle(1, 3, 5, 7);
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

/**
 * chunk(source, length, t0, t1, flags, h): one chunk of 0..1024 bytes; `flags` go to its last
 * block. Zeros overwrite the 64 bytes after a shorter chunk: the padding of that block (2.4).
 *
 * A row of the state is a vector; for the diagonals all rows but b turn, because b is the last
 * to be ready.
 */
function chunk(): Code {
  const [source, length, t0, t1, flags, h, start] = [0, 1, 2, 3, 4, 5, 6];
  const [a, b, c, d, m, masks, h0, h4, last] = [7, 8, 9, 10, 11, 15, 17, 18, 19];
  const lane = i32x4.replaceLane;
  const turn = (row: number, by: number) =>
    set(row, i32x4.shuffle(by, (by + 1) % 4, (by + 2) % 4, (by + 3) % 4)(get(row), get(row)));
  const pair = (i: number, j: number) =>
    i32x4.shuffle(i % 4, i % 4, 4 + j % 4, 4 + j % 4)(get(m + (i >> 2)), get(m + (j >> 2)));
  const gather = ([i, j, k, l]: number[]) => i32x4.shuffle(0, 2, 4, 6)(pair(i, j), pair(k, l));
  const quarters = (schedule: number[], order: number[]): Quarter[] => [{
    ...{ a, b, c, d },
    message: [0, 1].map((next) => gather(order.map((i) => schedule[2 * i + next]))),
  }];
  const block = [
    ...[0, 1, 2, 3].map((i) => set(m + i, v128.load(get(source), 16 * i))),
    ...[set(a, get(h0)), set(b, get(h4)), set(c, v128.const(IV.slice(0, 4)))],
    set(d, lane(3)(get(last), get(start))),
    when(
      i32.gtU(i32.const(BLOCK_LEN + 1), get(length)),
      set(
        d,
        lane(3)(
          lane(2)(get(d), get(length)),
          i32.or(get(start), i32.or(get(flags), i32.const(CHUNK_END))),
        ),
      ),
    ),
    ...SCHEDULES.flatMap((schedule) => [
      g(quarters(schedule, [0, 1, 2, 3]), masks),
      ...[turn(a, 3), turn(c, 1), turn(d, 2)],
      g(quarters(schedule, [7, 4, 5, 6]), masks),
      ...[turn(a, 1), turn(c, 3), turn(d, 2)],
    ]),
    set(h0, v128.xor(get(a), get(c))),
    set(h4, v128.xor(get(b), get(d))),
    set(start, i32.const(0)),
    set(source, i32.add(get(source), i32.const(BLOCK_LEN))),
    set(length, i32.sub(get(length), i32.const(BLOCK_LEN))),
  ].flat();
  return [
    when(
      i32.gtU(i32.const(CHUNK_LEN), get(length)),
      [0, 16, 32, 48].flatMap((at) => v128.store(i32.add(get(source), get(length)), zero, at)),
    ),
    setMasks(masks),
    set(h0, v128.const(IV.slice(0, 4))),
    set(h4, v128.const(IV.slice(4))),
    set(start, i32.const(CHUNK_START)),
    set(last, lane(1)(lane(0)(v128.const([0, 0, BLOCK_LEN, 0]), get(t0)), get(t1))),
    doWhile(block, i32.gtS(get(length), i32.const(0))),
    v128.store(get(h), get(h0)),
    v128.store(get(h), get(h4), 16),
  ].flat();
}

/** The module. Functions call each other by their place in this list. */
export function build(): Uint8Array<ArrayBuffer> {
  const locals = (count: number, type: number) => ({ count, type });
  return assemble(PAGES, [
    { parameters: [I32, V128, V128, V128], locals: [locals(18, V128)], body: compress4() },
    {
      export: "chunks4",
      parameters: [I32, I32, I32, I32],
      locals: [locals(1, V128), locals(2, I32), locals(6, V128)],
      body: chunks4(),
    },
    { export: "parents4", parameters: [I32, I32, I32], locals: [], body: parents4() },
    {
      export: "chunk",
      parameters: [I32, I32, I32, I32, I32, I32],
      locals: [locals(1, I32), locals(13, V128)],
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
