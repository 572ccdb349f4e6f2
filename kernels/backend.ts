/**
 * COMPUTE: the operations of a `llama/1` model (classes.md section 2) on three backends
 * behind the one interface of this file. `cpu/` is the reference in plain TypeScript,
 * `wasm/` the fast one, `webgpu/` the third. `quant/` encodes and decodes blocks, and
 * `sample.ts` picks a token from logits.
 *
 * What returns `Later` is awaited by whoever serves all backends: cpu and wasm answer at
 * once, a GPU reads back. Shapes are row-major; activations are f32. A caller's wrong shape,
 * token or position is a bug and throws `RangeError`; what a machine lacks is a `Refusal`.
 */
import type { MatrixSpec } from "./quant/format.ts";

export type { Format, MatrixSpec, Tail } from "./quant/format.ts";

export type Later<T> = T | Promise<T>;

/** Why a backend cannot serve here; codes of slm2.md section 8. */
export interface Refusal {
  readonly refused: "RuntimeCapability" | "ResourceLimit";
  readonly why: string;
}

/** A matrix that a backend holds, in the format of the file. Opaque but for its spec. */
export interface Weight {
  readonly spec: MatrixSpec;
}

/**
 * Writes payload bytes `[offset, offset + into.length)` into `into`. A backend calls it with
 * consecutive windows, each byte once and in order, and lets go of `into` with the call, so
 * that the bytes hashed are the bytes used and no weight is held twice. A throw passes through.
 */
export type Fill = (into: Uint8Array, offset: number) => void;

/** The parameters of `llama/1` (classes.md section 2). Rationals are rounded to f32 in use. */
export interface LlamaShape {
  readonly dim: number;
  readonly headDim: number;
  readonly hiddenDim: number;
  readonly layers: number;
  readonly kvHeads: number;
  readonly heads: number;
  readonly vocab: number;
  readonly normEps: number;
  readonly ropeTheta: number;
  /** 0 adjacent pairs (2i, 2i + 1), 1 half split (i, i + headDim / 2) */
  readonly ropeStyle: 0 | 1;
}

/** One layer's tensors, named by role. */
export interface LlamaLayer {
  readonly attentionNorm: Weight;
  readonly attentionQ: Weight;
  readonly attentionK: Weight;
  readonly attentionV: Weight;
  readonly attentionOutput: Weight;
  readonly ffnNorm: Weight;
  readonly ffnGate: Weight;
  readonly ffnUp: Weight;
  readonly ffnDown: Weight;
}

export interface LlamaModel {
  readonly shape: LlamaShape;
  readonly tokenEmbedding: Weight;
  readonly layers: readonly LlamaLayer[];
  readonly finalNorm: Weight;
  /** the embedding itself where the output is tied */
  readonly output: Weight;
}

/** The KV cache's element type and how many positions it holds (classes.md section 6, `kv`). */
export interface KvShape {
  readonly element: "f32" | "f16" | "bf16";
  readonly positions: number;
}

/** One layer's cached keys and values: [kv_heads, positions, head_dim] in the cache's element. */
export interface KvLayer {
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
}

export interface Trace {
  readonly logits: Float32Array;
  /** [layers + 2, dim]: the embedding, the residual stream after each layer, the final norm */
  readonly activations: Float32Array;
}

/** Tokens chosen on the device; `nan` where the logits after the last one held a NaN. */
export interface Chosen {
  readonly tokens: readonly number[];
  readonly nan: boolean;
}

/** One sequence with its KV cache. Position p needs positions 0..p-1 fed or restored before. */
export interface Session {
  readonly model: LlamaModel;
  readonly kv: KvShape;
  /** Feeds tokens at `position`, `position + 1`, ...: logits [vocab] after the last, a fresh array. */
  forward(tokens: readonly number[], position: number): Later<Float32Array>;
  /** As `forward` of one token, with its activations. */
  trace(token: number, position: number): Later<Trace>;
  /**
   * Feeds `token`, then each largest logit (lowest id on ties), until `count` are chosen.
   * A GPU reads back once a call: 16 a call keep its fixed cost small.
   */
  greedy(token: number, position: number, count: number): Later<Chosen>;
  /** The first `positions` of a layer's cache, copied out. */
  readKv(layer: number, positions: number): Later<KvLayer>;
  /** Puts back what `readKv` gave, as positions 0..positions-1. */
  writeKv(layer: number, positions: number, cached: KvLayer): Later<void>;
  close(): void;
}

export interface AttentionShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly positions: number;
}

/** The single operations, on arrays of the host: for tests and for `lab compare`. */
export interface Ops {
  /** x [n], weight [1, n] -> x * w / sqrt(mean(x^2) + eps) */
  rmsNorm(x: Float32Array, weight: Weight, eps: number): Later<Float32Array>;
  /** x [heads x headDim], each head turned by the angles position * theta^(-2i/headDim) */
  rope(
    x: Float32Array,
    position: number,
    shape: Pick<LlamaShape, "headDim" | "ropeTheta" | "ropeStyle">,
  ): Later<Float32Array>;
  /** W [rows, columns], x [columns] -> W x [rows] */
  matvec(weight: Weight, x: Float32Array): Later<Float32Array>;
  /** W [rows, columns], xs [count, columns] -> [count, rows]: row i is W xs[i] */
  matmul(weight: Weight, xs: Float32Array, count: number): Later<Float32Array>;
  /** Row `row` of a weight, dequantised to f32 [columns]. */
  row(weight: Weight, row: number): Later<Float32Array>;
  /**
   * One query position over `positions` cached ones: q [heads x headDim], keys and values
   * [kvHeads, positions, headDim] -> [heads x headDim]
   */
  attention(
    q: Float32Array,
    keys: Float32Array,
    values: Float32Array,
    shape: AttentionShape,
  ): Later<Float32Array>;
  /** gate [n], up [n] -> gate / (1 + exp(-gate)) * up */
  swiglu(gate: Float32Array, up: Float32Array): Later<Float32Array>;
  add(a: Float32Array, b: Float32Array): Later<Float32Array>;
  /** exp(x - max) / sum */
  softmax(x: Float32Array): Later<Float32Array>;
}

/**
 * How far a result may lie from the reference's, as a multiple of the operation's magnitude
 * (`envelope.ts` has both); 0 promises the same bits.
 */
export type Envelopes = Readonly<
  Record<Exclude<keyof Ops, "matvec" | "matmul"> | "dense" | "quantised" | "logits", number>
>;

export interface Backend {
  readonly name: "cpu" | "wasm" | "webgpu";
  readonly ops: Ops;
  readonly envelopes: Envelopes;
  /**
   * Takes a weight over. `scales` [rows] belong to q8-row alone (contract 5, slm2.md 7.2).
   * Refused where it does not fit.
   */
  load(spec: MatrixSpec, fill: Fill, scales?: Float32Array): Weight | Refusal;
  session(model: LlamaModel, kv: KvShape): Session | Refusal;
  /** Frees all that was loaded. */
  close(): void;
}

/** What a device holds. */
export interface DeviceUse {
  /** bytes of all buffers, now */
  readonly bytes: number;
  /** the most that these ever were */
  readonly peak: number;
  /** whether they lie in this process, as a software adapter's do */
  readonly inProcess: boolean;
}

/**
 * A backend whose loads are awaited too, as a device's are, which reads back what it took over:
 * what a runtime serves. Every `Backend` is one.
 */
export interface AnyBackend extends Omit<Backend, "load"> {
  /** Of a backend with memory of its own. */
  readonly device?: DeviceUse;
  load(...what: Parameters<Backend["load"]>): Later<Weight | Refusal>;
}

/**
 * Thrown, or rejected with, where a machine that had taken everything over cannot go on: a device
 * that was lost, or had no room for what it answered for later.
 */
export class Unserved extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.why);
  }
}

/** True of a refusal, whatever else the value may be. */
export function isRefusal(value: object): value is Refusal {
  return "refused" in value;
}
