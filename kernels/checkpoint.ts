/**
 * A llama2.c checkpoint, version 0, straight into a backend: for the tests and the bench of
 * this folder. The lab's own way is importer, writer, reader, runtime.
 */
import {
  type Backend,
  isRefusal,
  type LlamaModel,
  type LlamaShape,
  type Weight,
} from "./backend.ts";
import { encode } from "./quant/codec.ts";
import { type Format, LAYOUTS, type MatrixSpec } from "./quant/format.ts";

/** How to hold a checkpoint's weights; f32 as they are, unless it says more. */
export interface Holding {
  /** the format of a matrix of so many columns: some may be quantised and others not */
  readonly choose?: (columns: number) => Format;
  /** of quantised matrices; `row` unless said */
  readonly tail?: "pad" | "row";
  /** 1 reorders the rows of q and k in each head, even ones first, for half-split rotation */
  readonly ropeStyle?: 0 | 1;
}

export interface Checkpoint {
  readonly shape: LlamaShape;
  readonly positions: number;
  /** Loads all weights, encoded here from the floats. */
  load(backend: Backend, holding?: Holding): LlamaModel;
}

/** Packs f32 values as `spec` says and loads them; a refusal is thrown, as is a bad source. */
export function loadMatrix(backend: Backend, spec: MatrixSpec, values: Float32Array): Weight {
  const stored = encode(spec, values);
  if ("refused" in stored) throw new Error(stored.refused);
  const weight = backend.load(
    spec,
    (into, offset) => into.set(stored.bytes.subarray(offset, offset + into.length)),
    stored.scales,
  );
  if (isRefusal(weight)) throw new Error(weight.why);
  return weight;
}

/** Reads the seven-word header and the arrays after it (a positive vocabulary: tied output). */
export function readCheckpoint(bytes: Uint8Array<ArrayBuffer>): Checkpoint {
  const header = new Int32Array(bytes.buffer, bytes.byteOffset, 7);
  const [dim, hiddenDim, layers, heads, kvHeads, signedVocab, positions] = header;
  const vocab = Math.abs(signedVocab), headDim = dim / heads;
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset + 28);
  const shape: LlamaShape = {
    dim,
    headDim,
    hiddenDim,
    layers,
    kvHeads,
    heads,
    vocab,
    normEps: 1e-5,
    ropeTheta: 10000,
    ropeStyle: 0,
  };
  return {
    shape,
    positions,
    load(backend, { choose = (): Format => "f32", tail = "row", ropeStyle = 0 } = {}) {
      let at = 0;
      const take = (rows: number, columns: number, reorder = false) => {
        const format = rows === 1 ? "f32" : choose(columns);
        const exact = !LAYOUTS[format].quantised || format === "q8-row";
        const spec: MatrixSpec = { format, tail: exact ? "exact" : tail, rows, columns };
        const values = floats.subarray(at, at += rows * columns);
        return loadMatrix(backend, spec, reorder ? halfSplit(values, columns, headDim) : values);
      };
      const each = (rows: number, columns: number, reorder = false) =>
        Array.from({ length: layers }, () => take(rows, columns, reorder));
      const tokenEmbedding = take(vocab, dim);
      const attentionNorm = each(1, dim);
      const split = ropeStyle === 1;
      const attentionQ = each(heads * headDim, dim, split);
      const attentionK = each(kvHeads * headDim, dim, split);
      const attentionV = each(kvHeads * headDim, dim);
      const attentionOutput = each(dim, heads * headDim);
      const ffnNorm = each(1, dim);
      const ffnGate = each(hiddenDim, dim), ffnDown = each(dim, hiddenDim);
      const ffnUp = each(hiddenDim, dim);
      const finalNorm = take(1, dim);
      at += positions * headDim; // two rotary tables that readers skip
      const output = signedVocab > 0 ? tokenEmbedding : take(vocab, dim);
      return {
        shape: { ...shape, ropeStyle },
        tokenEmbedding,
        layers: attentionNorm.map((norm, l) => ({
          attentionNorm: norm,
          attentionQ: attentionQ[l],
          attentionK: attentionK[l],
          attentionV: attentionV[l],
          attentionOutput: attentionOutput[l],
          ffnNorm: ffnNorm[l],
          ffnGate: ffnGate[l],
          ffnUp: ffnUp[l],
          ffnDown: ffnDown[l],
        })),
        finalNorm,
        output,
      };
    },
  };
}

/** Rows 0, 2, 4, ... of each head, then 1, 3, 5, ... */
function halfSplit(values: Float32Array, columns: number, headDim: number): Float32Array {
  const out = new Float32Array(values.length), half = headDim / 2;
  for (let row = 0; row < values.length / columns; row++) {
    const head = row - row % headDim, i = row % headDim;
    const from = head + (i < half ? 2 * i : 2 * (i - half) + 1);
    out.set(values.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return out;
}
