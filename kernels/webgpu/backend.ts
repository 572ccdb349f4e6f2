/**
 * The WebGPU backend: the operations in WGSL on the machine's first adapter. A device is believed
 * only after a product of known bits (`probe.ts`); every weight is read back and compared.
 */
import type {
  AnyBackend,
  Envelopes,
  Fill,
  KvShape,
  LlamaModel,
  MatrixSpec,
  Refusal,
} from "../backend.ts";
import { probe } from "../probe.ts";
import { type FindAdapter, Gpu, type Limits } from "./device.ts";
import { operations } from "./ops.ts";
import { GpuSession } from "./session.ts";
import { type GpuWeight, loadWeight } from "./weight.ts";
import { isRefusal, Unserved } from "../backend.ts";

/** Decoding rounds once and addition has one result; all else may be fused or reordered. */
const ENVELOPES: Envelopes = {
  rmsNorm: 1,
  rope: 1,
  dense: 1,
  quantised: 1,
  row: 0,
  attention: 1,
  swiglu: 1,
  add: 0,
  softmax: 1,
  logits: 1,
};

export interface WebGpuBackend extends AnyBackend {
  readonly gpu: Gpu;
}

/**
 * Opens the backend; refused, with the reason, where there is no adapter or it gives wrong bits.
 * @param most limits not to exceed, though the adapter has more
 * @param findAdapter absent: the machine's first adapter
 */
export async function openWebGpu(
  most: Partial<Limits> = {},
  findAdapter?: FindAdapter,
): Promise<WebGpuBackend | Refusal> {
  const gpu = await Gpu.open(most, findAdapter);
  if (isRefusal(gpu)) return gpu;
  const loaded: GpuWeight[] = [];
  const backend: WebGpuBackend = {
    name: "webgpu",
    gpu,
    device: gpu.memory,
    ops: operations(gpu),
    envelopes: ENVELOPES,
    async load(spec: MatrixSpec, fill: Fill, scales?: Float32Array) {
      if (gpu.lost) return gpu.lost;
      const weight = await loadWeight(gpu, spec, fill, scales);
      if (!isRefusal(weight)) loaded.push(weight);
      return weight;
    },
    session: (model: LlamaModel, kv: KvShape) => GpuSession.open(gpu, model, kv),
    close() {
      for (const weight of loaded) weight.close();
      gpu.close();
    },
  };
  const refused = await doubt(backend);
  if (refused === null) return backend;
  backend.close();
  return refused;
}

/** Why the device cannot be believed, by its answer to the probe. */
async function doubt(backend: WebGpuBackend): Promise<Refusal | null> {
  try {
    return await probe(backend);
  } catch (error) {
    if (error instanceof Unserved) return error.refusal;
    throw error;
  }
}
