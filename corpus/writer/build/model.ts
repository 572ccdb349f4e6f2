/** Models (classes 1 and 2, classes.md section 2): the tensors that `llama/1` asks for. */
import type { LlamaParameters, ModelBody } from "../bodies.ts";
import type { Description, TensorDescription } from "../description.ts";

/** A tensor of an architecture before it has bytes. */
export interface Slot {
  readonly role: string;
  /** -1 for a tensor of the whole model */
  readonly layer: number;
  readonly shape: readonly number[];
}

/** The table of `llama/1`: every tensor but auxiliary targets, layer by layer. */
export function llamaSlots(p: LlamaParameters): Slot[] {
  const q = p.heads * p.head_dim, kv = p.kv_heads * p.head_dim;
  const perLayer: [role: string, shape: number[]][] = [
    ["attention-norm", [p.dim]],
    ["attention-q", [q, p.dim]],
    ["attention-k", [kv, p.dim]],
    ["attention-v", [kv, p.dim]],
    ["attention-output", [p.dim, q]],
    ["ffn-norm", [p.dim]],
    ["ffn-gate", [p.hidden_dim, p.dim]],
    ["ffn-up", [p.hidden_dim, p.dim]],
    ["ffn-down", [p.dim, p.hidden_dim]],
  ];
  return [
    { role: "token-embedding", layer: -1, shape: [p.vocab, p.dim] },
    ...Array.from({ length: p.layers }, (_, layer) => layer).flatMap((layer) =>
      perLayer.map(([role, shape]) => ({ role, layer, shape }))
    ),
    { role: "final-norm", layer: -1, shape: [p.dim] },
    ...(p.tied_output ? [] : [{ role: "output", layer: -1, shape: [p.vocab, p.dim] }]),
  ];
}

/** The name that the lab's own tools give: the role, and `.layer` where there is one. */
export const slotName = ({ role, layer }: Pick<Slot, "role" | "layer">): string =>
  layer < 0 ? role : `${role}.${layer}`;

/** Describes a `llama/1` model: an immutable base, or a standalone model. */
export function llama(
  parameters: LlamaParameters,
  tensors: readonly TensorDescription[],
  artifact_class: 1 | 2 = 2,
): Description & { readonly body: ModelBody } {
  return {
    artifact_class,
    body: { architecture: { id: "llama/1", parameters }, dependents: artifact_class === 2 },
    tensors,
  };
}

/** Describes a `tensor-pack/1`: any tensors. */
export function tensorPack(
  tensors: readonly TensorDescription[],
  artifact_class: 1 | 2 = 1,
): Description & { readonly body: ModelBody } {
  return {
    artifact_class,
    body: {
      architecture: { id: "tensor-pack/1", parameters: {} },
      dependents: artifact_class === 2,
    },
    tensors,
  };
}
