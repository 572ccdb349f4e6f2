/** The compiled kernels (`assembly/index.ts`) and the memory that they work in. */
import { Arena } from "./arena.ts";
import base64 from "./kernels_data.ts";

/** Addresses are numbers; Wasm takes those from 2 GiB up as they are, modulo 2^32. */
export interface Kernels {
  add(a: number, b: number, n: number): void;
  attention(
    kind: number,
    out: number,
    q: number,
    keys: number,
    values: number,
    scores: number,
    heads: number,
    kvHeads: number,
    headDim: number,
    positions: number,
    capacity: number,
  ): void;
  rmsNorm(out: number, x: number, w: number, n: number, eps: number): void;
  rope(x: number, heads: number, headDim: number, style: number, cos: number, sin: number): void;
  softmax(x: number, n: number): void;
  swiglu(gate: number, up: number, n: number): void;
  multiply(weight: number, y: number, x: number): void;
  multiplyAll(weight: number, y: number, x: number, count: number): void;
  prepare(x: number, n: number): void;
  roomFor(columns: number): number;
  setRoom(at: number, columns: number): void;
  forward(plan: number, position: number, output: number, trace: number): void;
  pack(
    kind: number,
    to: number,
    from: number,
    first: number,
    count: number,
    blocks: number,
    groups: number,
  ): void;
  packRow(
    to: number,
    from: number,
    row: number,
    columns: number,
    groups: number,
    scale: number,
  ): void;
  heapBase(): number;
  readonly memory: WebAssembly.Memory;
}

/** Decodes a row of the straddling weight whose record stands at `weight`, to `into`. */
export type DecodeRow = (weight: number, row: number, into: number) => void;

/** The module as it was built. */
export const BINARY: Uint8Array<ArrayBuffer> = Uint8Array.fromBase64(base64);
let compiled: WebAssembly.Module | null = null;

/** Whether this engine takes the module: whether it has SIMD. */
export function supported(): boolean {
  return WebAssembly.validate(BINARY);
}

/** A fresh instance with a memory of its own, of the module or of `other`. */
export function instantiate(
  decodeRow: DecodeRow,
  other?: WebAssembly.Module,
): { kernels: Kernels; arena: Arena } {
  const module = other ?? (compiled ??= new WebAssembly.Module(BINARY));
  const instance = new WebAssembly.Instance(module, { host: { decodeRow } });
  const kernels = instance.exports as unknown as Kernels;
  return { kernels, arena: new Arena(kernels.memory, kernels.heapBase()) };
}
