/** Whole matrices: the tail rules of slm2.md 7.2 over the blocks of `blocks.ts`. */
import { type BlockCodec, BLOCKS, code8, type QuantFault, scale8 } from "./blocks.ts";
import { type Format, LAYOUTS, type MatrixSpec, storedBytes } from "./format.ts";
import { fromBrain, fromHalf, toBrain, toHalf } from "./half.ts";

export type EncodeFault = QuantFault | "TailRule" | "ElementCount";

/** The source is refused; `element` is the flat index at which the fault (or its block) begins. */
export interface EncodeRefusal {
  readonly refused: EncodeFault;
  readonly element: number;
}

/** Stored bytes of a matrix; `scales` [rows] only for q8-row. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly scales?: Float32Array;
}

const littleEndian16 = (bytes: Uint8Array, at: number) => bytes[at] | (bytes[at + 1] << 8);

/**
 * Encodes row-major `values` [rows, columns]. Refused: values of another count
 * (`ElementCount`), a NaN or infinity in the source of a quantised format (`NonFiniteSource`),
 * a scale or minimum that no finite f16 holds, and under `exact` a count that is no multiple
 * of the block (`TailRule`).
 */
export function encode(spec: MatrixSpec, values: Float32Array): Encoded | EncodeRefusal {
  const { elements, bytes: blockBytes, quantised } = LAYOUTS[spec.format];
  if (values.length !== spec.rows * spec.columns) return { refused: "ElementCount", element: 0 };
  if (spec.tail === "exact" && values.length % elements !== 0) {
    return { refused: "TailRule", element: 0 };
  }
  const out = new Uint8Array(storedBytes(spec));
  if (!quantised) return { bytes: encodeDense(spec.format, values, out) };
  const strange = values.findIndex((x) => !Number.isFinite(x));
  if (strange >= 0) return { refused: "NonFiniteSource", element: strange };
  if (spec.format === "q8-row") return encodeRows(spec, values, out);
  const codec = codecOf(spec.format);
  const run = spec.tail === "row" ? spec.columns : values.length;
  let at = 0;
  for (let start = 0; start < values.length; start += run) {
    for (let first = start; first < start + run; first += elements) {
      const source = values.subarray(first, Math.min(first + elements, start + run));
      const fault = codec.encode(source, out.subarray(at, at + blockBytes));
      if (fault !== null) return { refused: fault, element: first };
      at += blockBytes;
    }
  }
  return { bytes: out };
}

function encodeDense(format: Format, values: Float32Array, out: Uint8Array): Uint8Array {
  const view = new DataView(out.buffer);
  values.forEach((x, i) => {
    if (format === "f32") view.setFloat32(4 * i, x, true);
    else view.setUint16(2 * i, format === "f16" ? toHalf(x) : toBrain(x), true);
  });
  return out;
}

/** q8-row: scale = absmax / 127 of the row in f32, kept apart (contract 5). */
function encodeRows(spec: MatrixSpec, values: Float32Array, out: Uint8Array): Encoded {
  const scales = new Float32Array(spec.rows);
  for (let row = 0; row < spec.rows; row++) {
    const start = row * spec.columns;
    const { d, inverse } = scale8(values.subarray(start, start + spec.columns));
    scales[row] = d;
    for (let i = start; i < start + spec.columns; i++) out[i] = code8(values[i], inverse);
  }
  return { bytes: out, scales };
}

/** The codec of a format with blocks; asking for another is a bug. */
function codecOf(format: Format): BlockCodec {
  if (!Object.hasOwn(BLOCKS, format)) throw new RangeError(`${format} has no blocks`);
  return BLOCKS[format as keyof typeof BLOCKS];
}

const block = new Float32Array(64);

/**
 * Dequantises row `row` into `out` [columns], by the format's kernel contract, each operation
 * rounded once to f32. Under `pad` and `exact` a row may begin and end inside a block.
 */
export function decodeRow(
  spec: MatrixSpec,
  stored: Encoded,
  row: number,
  out: Float32Array,
): void {
  const { columns, format } = spec, { bytes } = stored, first = row * columns;
  switch (format) {
    case "f32": {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let j = 0; j < columns; j++) out[j] = view.getFloat32(4 * (first + j), true);
      return;
    }
    case "f16":
      for (let j = 0; j < columns; j++) out[j] = fromHalf(littleEndian16(bytes, 2 * (first + j)));
      return;
    case "bf16":
      for (let j = 0; j < columns; j++) out[j] = fromBrain(littleEndian16(bytes, 2 * (first + j)));
      return;
    case "q8-row": {
      if (stored.scales === undefined) throw new RangeError("q8-row without scales");
      const scale = stored.scales[row];
      for (let j = 0; j < columns; j++) out[j] = scale * ((bytes[first + j] << 24) >> 24);
      return;
    }
  }
  const codec = codecOf(format), { elements, bytes: blockBytes } = LAYOUTS[format];
  // Where the row begins, in lanes from the first block of its run.
  const lead = spec.tail === "row" ? 0 : first % elements;
  let at = spec.tail === "row"
    ? row * Math.ceil(columns / elements) * blockBytes
    : Math.floor(first / elements) * blockBytes;
  for (let j = -lead; j < columns; j += elements, at += blockBytes) {
    codec.decode(bytes, at, block);
    const from = Math.max(0, -j), to = Math.min(elements, columns - j);
    for (let lane = from; lane < to; lane++) out[j + lane] = block[lane];
  }
}

/** Dequantises a whole matrix: row-major f32 [rows, columns]. */
export function decode(spec: MatrixSpec, stored: Encoded): Float32Array {
  const out = new Float32Array(spec.rows * spec.columns);
  for (let row = 0; row < spec.rows; row++) {
    decodeRow(spec, stored, row, out.subarray(row * spec.columns, (row + 1) * spec.columns));
  }
  return out;
}
