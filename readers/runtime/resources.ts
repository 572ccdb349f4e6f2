/**
 * Memory of a composition, predicted by the report's resource formulas before anything is built,
 * and measured afterwards. All in bytes; the letters are the report's.
 */
import type { Candidate } from "../contract.ts";
import type { Backend, KvShape, LlamaModel, LlamaShape, Weight } from "../../kernels/backend.ts";
import { storedBytes } from "../../kernels/quant/format.ts";
import { activationSizes, cacheSize } from "../../kernels/webgpu/sizes.ts";
import { matrixSpec } from "./capability.ts";

/** What a composition takes, whatever the length of its sequence. */
export interface Footprint {
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
  /** host-side staging of uploads; a device has as much beside it for the way back */
  readonly S: number;
  /** the largest tensor that adapters change, as stored and as it is formed */
  readonly conversion: number;
}

export interface Resources extends Footprint {
  /** activations and temporary buffers of one sequence */
  readonly A: number;
  /** KV cache of one sequence */
  readonly K: number;
  /** decoder scratch: none in SLM2 2.0 */
  readonly Q: 0;
  /** H + B + J + S + W + conversion + Q, and without a device A + K: the most on the host at once */
  readonly host_peak: number;
  /** G + A + K on the device; 0 without one */
  readonly device_steady: number;
  /** G and, of loading and running, what takes more beside it; 0 without a device */
  readonly device_peak: number;
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
  readonly kv: KvShape;
  readonly backend: Backend["name"];
}

type Sequence = Pick<ResourceQuestion, "shape" | "kv" | "backend">;

/** The runtime's own window, and a device's (kernels/webgpu/weight.ts). */
const WINDOW = 1 << 20;
/** Through which quantised weights go into panels (kernels/wasm/weight.ts). */
const PACKING = 1 << 16;

/** The report's section "Resource formulas", for one sequence of `kv.positions` positions. */
export function predict(question: ResourceQuestion): Resources {
  return ofSequence(footprint(question), question);
}

function footprint({ composition, dependencies, base, changed, backend }: ResourceQuestion) {
  const files = [composition, ...dependencies], gpu = backend === "webgpu";
  const held = base.tensors.map((tensor, index) => {
    const spec = matrixSpec(base, tensor);
    return changed.has(index) || !spec ? 4 * tensor.elements : storedBytes(spec);
  });
  const F = sum(files.map(({ file_size }) => file_size)), weights = sum(held);
  return {
    F,
    H: F - sum(files.flatMap((f) => [...f.tensors, ...f.blobs].map(({ length }) => length))),
    B: WINDOW,
    W: gpu ? 0 : weights,
    G: gpu ? weights : 0,
    J: backend === "wasm" ? PACKING : 0,
    S: gpu ? Math.min(WINDOW, Math.max(...held)) : 0,
    conversion: Math.max(
      0,
      ...[...changed].map((at) => base.tensors[at].length + 4 * base.tensors[at].elements),
    ),
  };
}

/** The same composition with another sequence: fewer positions, say. */
export function ofSequence(
  fixed: Footprint,
  sequence: Sequence,
): Resources {
  const { F, H, B, W, G, J, S, conversion } = fixed, gpu = sequence.backend === "webgpu";
  const A = activationBytes(sequence), K = cacheBytes(sequence), host = gpu ? 0 : A + K;
  return {
    ...{ F, H, B, W, G, J, S, conversion },
    A,
    K,
    Q: 0,
    host_peak: H + B + J + S + W + conversion + host,
    device_steady: gpu ? G + A + K : 0,
    device_peak: gpu ? G + Math.max(S, A + K + 4 * sequence.shape.vocab) : 0,
    C: F + A + K,
  };
}

/** f32 buffers of one token's way through the model, or on a device of a batch of tokens. */
function activationBytes({ shape, kv, backend }: Sequence): number {
  if (backend === "webgpu") return sum(Object.values(activationSizes(shape, kv)));
  const attention = (2 * shape.heads + 2 * shape.kvHeads) * shape.headDim;
  const scores = shape.heads * kv.positions;
  return 4 * (3 * shape.dim + attention + scores + 3 * shape.hiddenDim + shape.vocab);
}

/** The reference backend keeps a rounded cache as f32, whatever it is saved as. */
function cacheBytes({ shape, kv, backend }: Sequence): number {
  const element = backend === "cpu" ? "f32" : kv.element;
  return 2 * shape.layers * cacheSize(shape, { ...kv, element });
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
