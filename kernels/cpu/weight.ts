/** A weight in host memory, in the bytes of the file; rows are dequantised as they are used. */
import type { Weight } from "../backend.ts";
import { decodeRow } from "../quant/codec.ts";
import { LAYOUTS, type MatrixSpec } from "../quant/format.ts";
import { dot } from "./ops.ts";

export class CpuWeight implements Weight {
  readonly #bytes: Uint8Array;
  readonly #scales?: Float32Array;
  /** f32 as it stands: every engine's host is little-endian, as is the file. */
  readonly #floats?: Float32Array;
  readonly #row: Float32Array;

  constructor(readonly spec: MatrixSpec, bytes: Uint8Array, scales?: Float32Array) {
    this.#bytes = bytes;
    this.#scales = scales;
    this.#row = new Float32Array(spec.columns);
    if (spec.format === "f32") this.#floats = new Float32Array(bytes.buffer);
  }

  /** Row `row` in f32. The array is the weight's own, and good until the next call. */
  row(row: number): Float32Array {
    const { columns } = this.spec;
    if (this.#floats) return this.#floats.subarray(row * columns, (row + 1) * columns);
    decodeRow(this.spec, { bytes: this.#bytes, scales: this.#scales }, row, this.#row);
    return this.#row;
  }

  /** W x into `out`: each row dequantised to f32, then one dot product in lane order. */
  multiply(out: Float32Array, x: Float32Array): void {
    for (let row = 0; row < this.spec.rows; row++) out[row] = dot(this.row(row), x);
  }
}

/** The weight as one of this backend's; another backend's is a bug. */
export function cpuWeight(weight: Weight): CpuWeight {
  if (!(weight instanceof CpuWeight)) throw new TypeError("a weight of another backend");
  return weight;
}

/** True where the format's bytes decode without a profile. */
export function isDense(weight: Weight): boolean {
  return !LAYOUTS[weight.spec.format].quantised;
}
