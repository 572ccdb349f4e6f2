/**
 * A very small WebAssembly assembler: functions as byte strings, one memory, no names.
 *
 * Only what the hash kernels need. Opcodes stand under the specification's own names
 * (WebAssembly core specification 2.0, section 5.4; binary modules: section 5.5).
 */

/** Instructions: the bytes of a function body, or a part of one. */
export type Code = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

/** Unsigned LEB128 (5.2.2). */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push(value & 0x7f | 0x80);
  bytes.push(value);
  return bytes;
}

/** Signed LEB128 of a 32-bit value (5.2.2). */
function signed(value: number): number[] {
  const bytes: number[] = [];
  for (; value < -64 || value > 63; value >>= 7) bytes.push(value & 0x7f | 0x80);
  bytes.push(value & 0x7f);
  return bytes;
}

/** A length, then the items: the shape of every vector and section (5.1.3). */
const vector = (items: readonly Code[]): number[] => [...leb(items.length), ...items.flat()];
const sized = (bytes: Code): number[] => [...leb(bytes.length), ...bytes];
const name = (text: string): number[] => sized([...new TextEncoder().encode(text)]);

const simd = (opcode: number): number[] => [0xfd, ...leb(opcode)];
const memory = (align: number, offset: number): number[] => [...leb(align), ...leb(offset)];

/** The operands come first, then the instruction: `op(a, b)` is code that leaves `a op b`. */
const operator = (bytes: Code) => (...operands: Code[]): Code => [...operands.flat(), ...bytes];

export const get = (local: number): Code => [0x20, ...leb(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...leb(local)];
export const call = (index: number, ...operands: Code[]): Code => [
  ...operands.flat(),
  0x10,
  ...leb(index),
];
/** Repeats `body` while `condition`, tested after each turn, is not zero. */
export const doWhile = (body: Code, condition: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...condition,
  ...[0x0d, 0x00, 0x0b],
];
export const when = (condition: Code, body: Code): Code => [
  ...condition,
  ...[0x04, 0x40],
  ...body,
  0x0b,
];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value | 0)],
  gtS: operator([0x4a]),
  gtU: operator([0x4b]),
  add: operator([0x6a]),
  sub: operator([0x6b]),
  or: operator([0x72]),
};

const shuffle = (lanes: Code) => operator([...simd(0x0d), ...lanes]);

export const v128 = {
  load: (address: Code, offset = 0): Code => [...address, ...simd(0x00), ...memory(0, offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...simd(0x0b),
    ...memory(0, offset),
  ],
  const: (words: readonly number[]): Code => [
    ...simd(0x0c),
    ...words.flatMap((word) => [0, 8, 16, 24].map((bit) => word >>> bit & 0xff)),
  ],
  bytes: (bytes: Code): Code => [...simd(0x0c), ...bytes],
  or: operator(simd(0x50)),
  xor: operator(simd(0x51)),
};

export const i32x4 = {
  replaceLane: (lane: number) => operator([...simd(0x1c), lane]),
  splat: operator(simd(0x11)),
  shl: operator(simd(0xab)),
  shrU: operator(simd(0xad)),
  add: operator(simd(0xae)),
  /** `lanes`: four of the words 0..3 of the first operand and 4..7 of the second. */
  shuffle: (...lanes: number[]) =>
    shuffle(lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte))),
};

export const i8x16 = { swizzle: operator(simd(0x0e)) };

/** A function: its parameters, its further locals in runs of one type, its instructions. */
export interface Function {
  readonly export?: string;
  readonly parameters: readonly number[];
  readonly locals: readonly { readonly count: number; readonly type: number }[];
  readonly body: Code;
}

/**
 * The binary module of `functions` (none returns a value), called by their place in the list.
 * Its memory of `pages` pages of 64 KiB never grows; it is exported as `memory`.
 */
export function assemble(pages: number, functions: readonly Function[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, items: readonly Code[]): number[] => [id, ...sized(vector(items))];
  const exported = functions.flatMap((f, index) =>
    f.export === undefined ? [] : [[...name(f.export), 0x00, ...leb(index)]]
  );
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, functions.map((f) => [0x60, ...sized(f.parameters), 0x00])),
    ...section(3, functions.map((_, index) => leb(index))),
    ...section(5, [[0x01, ...leb(pages), ...leb(pages)]]),
    ...section(7, [[...name("memory"), 0x02, 0x00], ...exported]),
    ...section(
      10,
      functions.map((f) =>
        sized([...vector(f.locals.map((l) => [...leb(l.count), l.type])), ...f.body, 0x0b])
      ),
    ),
  ]);
}
