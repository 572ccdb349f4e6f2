/**
 * Memory of a composition, predicted by the report's resource formulas before anything is built,
 * and measured afterwards. All in bytes; the letters are the report's.
 */
import type { Candidate } from "../contract.ts";
import type { Backend, LlamaModel, LlamaShape, Weight } from "../../kernels/backend.ts";
import { storedBytes } from "../../kernels/quant/format.ts";
import { matrixSpec } from "./capability.ts";

export interface Resources {
  /** file bytes of everything that the composition needs */
  readonly F: number;
  /** metadata and tables kept in memory: files less their payloads */
  readonly H: number;
  /** streaming window */
  readonly B: number;
  /** weights that the processor keeps, changed ones as f32 */
  readonly W: number;
  /** weights that a GPU keeps */
  readonly G: number;
  /** duplication between script and Wasm memory */
  readonly J: number;
  /** host-side staging of uploads */
  readonly S: number;
  /** activations and temporary buffers of one sequence */
  readonly A: number;
  /** KV cache of one sequence */
  readonly K: number;
  /** the largest tensor that adapters change, as stored and as it is formed */
  readonly conversion: number;
  /** decoder scratch: none in SLM2 2.0 */
  readonly Q: 0;
  /** H + B + J + S + W + conversion + A + K + Q, the most that the host holds at once */
  readonly host_peak: number;
  /** G + A + K on the device; 0 without one */
  readonly device_steady: number;
  /** C: logical bytes of the composition, F and what running it takes */
  readonly C: number;
}

export interface ResourceQuestion {
  readonly composition: Candidate;
  readonly dependencies: readonly Candidate[];
  readonly base: Candidate;
  /** indexes of the base's tensors that adapters change */
  readonly changed: ReadonlySet<number>;
  readonly shape: LlamaShape;
  readonly kv: { readonly element: "f32" | "f16" | "bf16"; readonly positions: number };
  readonly backend: Backend["name"];
}

const WINDOW = 1 << 20;

/** The report's section "Resource formulas", for one sequence of `kv.positions` positions. */
export function predict(question: ResourceQuestion): Resources {
  const { base, changed, backend } = question;
  const files = [question.composition, ...question.dependencies];
  const gpu = backend === "webgpu";
  const weights = sum(base.tensors.map((tensor, index) => {
    const spec = matrixSpec(base, tensor);
    return changed.has(index) || !spec ? 4 * tensor.elements : storedBytes(spec);
  }));
  const F = sum(files.map(({ file_size }) => file_size));
  const H = F - sum(files.flatMap((f) => [...f.tensors, ...f.blobs].map(({ length }) => length)));
  const [W, G] = gpu ? [0, weights] : [weights, 0];
  const J = backend === "wasm" ? WINDOW : 0;
  const S = gpu ? WINDOW : 0;
  const A = activationBytes(question);
  const K = cacheBytes(question);
  const conversion = Math.max(
    0,
    ...[...changed].map((at) => base.tensors[at].length + 4 * base.tensors[at].elements),
  );
  return {
    F,
    H,
    B: WINDOW,
    W,
    G,
    J,
    S,
    A,
    K,
    conversion,
    Q: 0,
    host_peak: H + WINDOW + J + S + W + conversion + A + K,
    device_steady: gpu ? G + A + K : 0,
    C: F + A + K,
  };
}

/** f32 buffers of one token's way through the model: residual, norms, q, k, v, scores, ffn, logits. */
function activationBytes({ shape, kv }: ResourceQuestion): number {
  const attention = (2 * shape.heads + 2 * shape.kvHeads) * shape.headDim;
  const scores = shape.heads * kv.positions;
  return 4 * (3 * shape.dim + attention + scores + 3 * shape.hiddenDim + shape.vocab);
}

/** The reference backend keeps a rounded cache as f32, whatever it is saved as. */
function cacheBytes({ shape, kv, backend }: ResourceQuestion): number {
  const element = kv.element === "f32" || backend === "cpu" ? 4 : 2;
  return 2 * shape.layers * shape.kvHeads * kv.positions * shape.headDim * element;
}

/** Bytes that a model's weights take, each counted once, with the scales of q8-row: W or G as built. */
export function weightBytes({ layers, tokenEmbedding, finalNorm, output }: LlamaModel): number {
  const weights = new Set([tokenEmbedding, finalNorm, output, ...layers.flatMap(Object.values)]);
  return sum(
    [...weights].map(({ spec }: Weight) =>
      storedBytes(spec) + (spec.format === "q8-row" ? 4 * spec.rows : 0)
    ),
  );
}

/** What the process holds, as far as it can tell: Wasm pages show in `rss` alone. */
export interface Measured {
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
}

export function measure(): Measured {
  const { rss, heapUsed, external } = Deno.memoryUsage();
  return { rss, heap: heapUsed, external };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
