/** A small synthetic adapter of the bundled model, and the same weights formed beforehand. */
import type { StoreMatrix } from "../../corpus/importers/llama2c.ts";
import { keepDense } from "../../corpus/importers/llama2c.ts";
import type { OperationParts } from "../../corpus/writer/build/adapter.ts";
import { seededRandom } from "../../kernels/sample.ts";

/** Decides all numbers. */
const SEED = 20;
const DIM = 96, RANK = 2, SCALE = [1, 2] as const;

const random = seededRandom(SEED);
const floats = (count: number, around: number, spread: number) =>
  Float32Array.from({ length: count }, () => around + spread * (random() - 0.5));

const A = floats(RANK * DIM, 0, 0.5), B = floats(DIM * RANK, 0, 0.5), V = floats(DIM, 1, 0.4);
const TARGET = {
  role: "attention-q",
  name: "attention-q.0",
  layer: 0,
  shape: [DIM, DIM],
  type: "f32",
};

/** lora/1, then multiplicative-vector/1 along the rows, on one target: they do not commute. */
export function operations(): OperationParts[] {
  const tensor = (name: string, shape: number[], values: Float32Array) => {
    return { role: "delta", name, shape, type: "f32", payload: new Uint8Array(values.buffer) };
  };
  const a = tensor("a", [RANK, DIM], A), b = tensor("b", [DIM, RANK], B);
  return [
    { op: "lora/1", target: TARGET, tensors: { a, b }, scale: SCALE },
    {
      op: "multiplicative-vector/1",
      target: TARGET,
      tensors: { v: tensor("v", [DIM], V) },
      axis: 0,
    },
  ];
}

/** Stores the target as the two operations leave it, formed in doubles and rounded once. */
export const merged: StoreMatrix = (matrix) => {
  if (matrix.name !== TARGET.name) return keepDense(matrix);
  const bytes = new Uint8Array(4 * DIM * DIM);
  matrix.values.read(0, bytes);
  const w = new Float32Array(bytes.buffer), [numerator, denominator] = SCALE;
  for (let i = 0; i < w.length; i++) {
    const row = Math.floor(i / DIM), column = i % DIM;
    const product = B[row * RANK] * A[column] + B[row * RANK + 1] * A[DIM + column];
    w[i] = (w[i] + numerator / denominator * product) * V[row];
  }
  return { type: "f32", payload: bytes };
};
