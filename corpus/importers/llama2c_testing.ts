/** Small llama2.c files for tests. */
import { concat, u32, utf8 } from "../writer/bytes.ts";

export interface TinyShape {
  readonly dim: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kv_heads: number;
  /** negative: a classifier of its own */
  readonly vocab: number;
  readonly max_seq: number;
}

export const TINY: TinyShape = {
  dim: 8,
  hidden: 6,
  layers: 2,
  heads: 4,
  kv_heads: 2,
  vocab: 262,
  max_seq: 5,
};

/** How many f32 a checkpoint of a shape has, by the layout as `run.c` walks it. */
export function floatsOf({ dim, hidden, layers, heads, kv_heads, vocab, max_seq }: TinyShape) {
  const size = dim / heads, kv = kv_heads * size;
  return Math.abs(vocab) * dim + // embedding
    layers * dim + // attention norms
    layers * (dim * dim + kv * dim + kv * dim + dim * dim) +
    layers * dim + // ffn norms
    3 * layers * hidden * dim +
    dim + // final norm
    max_seq * size + // two tables of size / 2
    (vocab < 0 ? -vocab * dim : 0);
}

/** A checkpoint whose float number i is i / 8, so that every weight says where it stood. */
export function checkpoint(shape: TinyShape = TINY): Uint8Array {
  const header = [
    shape.dim,
    shape.hidden,
    shape.layers,
    shape.heads,
    shape.kv_heads,
    shape.vocab,
    shape.max_seq,
  ];
  const weights = new DataView(new ArrayBuffer(4 * floatsOf(shape)));
  for (let i = 0; i < weights.byteLength / 4; i++) weights.setFloat32(4 * i, i / 8, true);
  return concat(...header.map(u32), new Uint8Array(weights.buffer));
}

/** A tokenizer file of pieces with scores. */
export function tokenizerFile(
  pieces: readonly (readonly [piece: string, score: number])[],
): Uint8Array {
  const encoded = pieces.map(([piece, score]) => ({ bytes: utf8(piece), score }));
  return concat(
    u32(Math.max(...encoded.map(({ bytes }) => bytes.length))),
    ...encoded.flatMap(({ bytes, score }) => {
      const head = new DataView(new ArrayBuffer(4));
      head.setFloat32(0, score, true);
      return [new Uint8Array(head.buffer), u32(bytes.length), bytes];
    }),
  );
}

const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, "0");

/** Unknown, begin, end and the byte pieces; with three learnt ones, as many as `TINY` has. */
export const PIECES: readonly (readonly [string, number])[] = [
  ["<unk>", 0],
  ["\n<s>\n", 0],
  ["\n</s>\n", 0],
  ...Array.from({ length: 256 }, (_, byte) => [`<0x${hex(byte)}>`, 0] as const),
  [" ", -1],
  ["a", -2],
  [" a", -0],
];
