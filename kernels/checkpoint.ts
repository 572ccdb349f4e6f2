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

/** The format of a matrix of `columns` columns: tests quantise some and leave others. */
export type Choose = (columns: number) => Format;

export interface Checkpoint {
  readonly shape: LlamaShape;
  readonly positions: number;
  /** Loads all weights; quantised ones under tail rule `row`, encoded here from the floats. */
  load(backend: Backend, choose?: Choose): LlamaModel;
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
    load(backend, choose = () => "f32") {
      let at = 0;
      const take = (rows: number, columns: number) => {
        const format = rows === 1 ? "f32" : choose(columns);
        const tail = LAYOUTS[format].quantised && format !== "q8-row" ? "row" : "exact";
        const spec: MatrixSpec = { format, tail, rows, columns };
        return loadMatrix(backend, spec, floats.subarray(at, at += rows * columns));
      };
      const each = (rows: number, columns: number) =>
        Array.from({ length: layers }, () => take(rows, columns));
      const tokenEmbedding = take(vocab, dim);
      const attentionNorm = each(1, dim);
      const attentionQ = each(heads * headDim, dim);
      const attentionK = each(kvHeads * headDim, dim), attentionV = each(kvHeads * headDim, dim);
      const attentionOutput = each(dim, heads * headDim);
      const ffnNorm = each(1, dim);
      const ffnGate = each(hiddenDim, dim), ffnDown = each(dim, hiddenDim);
      const ffnUp = each(hiddenDim, dim);
      const finalNorm = take(1, dim);
      at += positions * headDim; // two rotary tables that readers skip
      const output = signedVocab > 0 ? tokenEmbedding : take(vocab, dim);
      return {
        shape,
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
