/**
 * A base's tensors, taken over by a backend as the model that it computes with: bytes go from
 * the file to the backend once, hashed on their way. A tensor that adapters change is formed
 * in f32 and handed over instead of the stored one; the base itself is never touched.
 */
import type { Candidate, Reject } from "../contract.ts";
import {
  type AnyBackend,
  isRefusal,
  type LlamaLayer,
  type LlamaModel,
  type LlamaShape,
  type Refusal,
  type Weight,
} from "../../kernels/backend.ts";
import { adapt, type Change } from "./adapters.ts";
import { matrixSpec } from "./capability.ts";
import type { LlamaParameters } from "./manifest.ts";
import { isReject, reject } from "./outcome.ts";
import { deliverTensor } from "./payload.ts";
import { rowScales } from "./values.ts";

/** Where the kernels want each tensor of a layer (classes.md section 2). */
const LAYER_ROLES: Readonly<Record<keyof LlamaLayer, string>> = {
  attentionNorm: "attention-norm",
  attentionQ: "attention-q",
  attentionK: "attention-k",
  attentionV: "attention-v",
  attentionOutput: "attention-output",
  ffnNorm: "ffn-norm",
  ffnGate: "ffn-gate",
  ffnUp: "ffn-up",
  ffnDown: "ffn-down",
};

/** What is taken over. */
export interface Weights {
  readonly base: Candidate;
  readonly parameters: LlamaParameters;
  /** the changes that adapters make, by the index of the base's tensor */
  readonly changes: ReadonlyMap<number, readonly Change[]>;
}

/**
 * Loads a `llama/1` model into `backend`. Rejections: bytes that are not those verified
 * (`SourceIo`, `PayloadHashMismatch`), adapter tensors that cannot be used
 * (`ResourceConstruction`), what the machine lacks (`RuntimeCapability`, `ResourceLimit`).
 */
export async function loadModel(
  backend: AnyBackend,
  weights: Weights,
): Promise<LlamaModel | Reject> {
  const { base, parameters } = weights;
  const loaded = new Map<string, Weight>();
  for (const [index, { role, layer }] of base.tensors.entries()) {
    if (role === "scale") continue; // goes with its owner
    const weight = await loadTensor(backend, weights, index);
    if (isReject(weight)) return weight;
    loaded.set(`${role} ${layer}`, weight);
  }
  const at = (role: string, layer = -1): Weight => {
    const weight = loaded.get(`${role} ${layer}`);
    if (!weight) throw new Error(`an accepted llama/1 base lacks ${role} of layer ${layer}`);
    return weight;
  };
  const layerAt = (layer: number) =>
    Object.fromEntries(
      Object.entries(LAYER_ROLES).map(([name, role]) => [name, at(role, layer)]),
    ) as unknown as LlamaLayer;
  return {
    shape: llamaShape(parameters),
    tokenEmbedding: at("token-embedding"),
    layers: Array.from({ length: parameters.layers }, (_, layer) => layerAt(layer)),
    finalNorm: at("final-norm"),
    output: at(parameters.tied_output ? "token-embedding" : "output"),
  };
}

async function loadTensor(
  backend: AnyBackend,
  weights: Weights,
  index: number,
): Promise<Weight | Reject> {
  const { base, changes } = weights;
  const spec = matrixSpec(base, base.tensors[index]);
  if (!spec) throw new Error("an accepted llama/1 base has elements that no kernel takes");
  const change = changes.get(index);
  if (change) {
    const changed = adapt(base, index, change);
    if (isReject(changed)) return changed;
    const bytes = new Uint8Array(changed.buffer, changed.byteOffset, changed.byteLength);
    return admitted(
      await backend.load(
        { ...spec, format: "f32", tail: "exact" },
        (into, offset) => into.set(bytes.subarray(offset, offset + into.length)),
      ),
    );
  }
  const scales = rowScales(base, index);
  if (isReject(scales)) return scales;
  const delivery = deliverTensor(base, index);
  const weight = admitted(await backend.load(spec, delivery.fill, scales ?? undefined));
  return isReject(weight) ? weight : delivery.verdict() ?? weight;
}

/** A backend's refusal as a rejection of activation. */
export function admitted<T extends object>(given: T | Refusal): T | Reject {
  if (!isRefusal(given)) return given;
  return given.refused === "ResourceLimit"
    ? reject(31, "ResourceLimit", given.why)
    : reject(25, "RuntimeCapability", given.why, "manifest");
}

/** The parameters as kernels name them. */
export function llamaShape(parameters: LlamaParameters): LlamaShape {
  return {
    dim: parameters.dim,
    headDim: parameters.head_dim,
    hiddenDim: parameters.hidden_dim,
    layers: parameters.layers,
    kvHeads: parameters.kv_heads,
    heads: parameters.heads,
    vocab: parameters.vocab,
    normEps: parameters.norm_eps,
    ropeTheta: parameters.rope_theta,
    ropeStyle: parameters.rope_style,
  };
}
