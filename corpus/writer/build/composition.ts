/** Compositions (class 6) and KV caches (class 7) from the artifacts that they bind. */
import type { CompositionBody, GenerationPolicy, KvBody, KvPolicy } from "../bodies.ts";
import type {
  DependencyDescription,
  Description,
  Payload,
  Reference,
  RequirementsDescription,
} from "../description.ts";
import { fromHex, tokenPrefixId } from "../identity.ts";
import { ELEMENT_TYPES } from "../profiles.ts";

/** A dependency upon exactly that file. */
export const dependency = (role: string, on: Reference): DependencyDescription => ({
  role,
  artifact_class: on.class,
  id: fromHex(on.artifact_id),
  whole_file: fromHex(on.whole_file),
});

export interface CompositionParts {
  readonly base: Reference;
  readonly tokenizer: Reference;
  readonly chat_template?: Reference;
  /** in the order in which they apply */
  readonly adapters?: readonly Reference[];
  /** absent fields: 256 tokens, greedy, nothing cut off, no stop token */
  readonly generation?: Partial<GenerationPolicy>;
  /** absent element type: f32 */
  readonly kv: Pick<KvPolicy, "max_positions"> & Partial<KvPolicy>;
  readonly requirements?: RequirementsDescription;
}

/** Describes a composition (classes.md section 6). */
export function composition(
  parts: CompositionParts,
): Description & { readonly body: CompositionBody } {
  const { base, tokenizer, chat_template, adapters = [], generation, kv } = parts;
  return {
    artifact_class: 6,
    body: {
      adapters: adapters.map((one) => fromHex(one.artifact_id)),
      base: { model_id: fromHex(base.artifact_id), whole_file: fromHex(base.whole_file) },
      chat_template_id: chat_template ? fromHex(chat_template.artifact_id) : null,
      generation: {
        max_new_tokens: 256,
        stop_tokens: [],
        temperature: [0, 1],
        top_k: 0,
        top_p: [1, 1],
        ...generation,
      },
      kv: { element_type: ELEMENT_TYPES.f32.id, layout: "layer-head-position/1", ...kv },
      route: { kind: "single/1" },
      tokenizer_id: fromHex(tokenizer.artifact_id),
    },
    dependencies: [
      dependency("base", base),
      dependency("tokenizer", tokenizer),
      ...(chat_template ? [dependency("chat-template", chat_template)] : []),
      ...adapters.map((one) => dependency("adapter", one)),
    ],
    requirements: parts.requirements,
  };
}

export interface KvCacheParts {
  readonly composition: Reference;
  readonly abi: string;
  readonly element: "f32" | "f16" | "bf16";
  readonly kv_heads: number;
  readonly head_dim: number;
  /** absent: 0 */
  readonly rope_base?: number;
  /** the ids whose keys and values these are; their number is `positions` */
  readonly prefix: readonly number[];
  /** [kv_heads, positions, head_dim] each, from layer 0 on */
  readonly layers: readonly { readonly key: Payload; readonly value: Payload }[];
}

/** Describes a KV cache (classes.md section 9). */
export function kvCache(parts: KvCacheParts): Description & { readonly body: KvBody } {
  const { element, kv_heads, head_dim, prefix } = parts;
  const shape = [kv_heads, prefix.length, head_dim];
  return {
    artifact_class: 7,
    body: {
      abi: parts.abi,
      composition_id: fromHex(parts.composition.artifact_id),
      element_type: ELEMENT_TYPES[element].id,
      positions: prefix.length,
      prefix_tokens: tokenPrefixId(prefix),
      rope_base: parts.rope_base ?? 0,
    },
    dependencies: [dependency("composition", parts.composition)],
    tensors: parts.layers.flatMap(({ key, value }, layer) => [
      { role: "kv-key", name: `kv-key.${layer}`, layer, shape, type: element, payload: key },
      { role: "kv-value", name: `kv-value.${layer}`, layer, shape, type: element, payload: value },
    ]),
  };
}
