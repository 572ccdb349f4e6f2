/**
 * A conversation's KV cache as an artifact (class 7, classes.md section 9), and back. A cache is
 * bound to the exact composition (so to its base, tokenizer, adapters and their scales) and to
 * the tokens that it was made from; any other use is refused.
 */
import type { Candidate, Identities, Reject } from "../contract.ts";
import type { KvLayer, KvShape } from "../../kernels/backend.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { prefixTokens } from "./identity.ts";
import { kvBody } from "./manifest.ts";
import { isReject } from "./outcome.ts";
import { takeTensor } from "./payload.ts";

/**
 * What the cached numbers mean: keys are cached after the rotary embedding, from position
 * `rope_base` 0 on, values as they are; [kv_heads, positions, head_dim] a layer.
 */
export const KV_ABI = "llama-kv/1";
const ROPE_BASE = 0;

/** A cache as plain data, in the terms of the canonical writer's `kvCache`. */
export interface KvParts {
  readonly composition: Identities;
  readonly abi: string;
  readonly element: KvShape["element"];
  readonly kv_heads: number;
  readonly head_dim: number;
  readonly rope_base: number;
  /** the ids whose keys and values these are */
  readonly prefix: readonly number[];
  /** little-endian [kv_heads, positions, head_dim] each */
  readonly layers: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
}

/** Why a cache does not belong to this use: the first of these that differs. */
export interface KvRefusal {
  readonly refused:
    | "composition"
    | "abi"
    | "element-type"
    | "rope-base"
    | "shape"
    | "positions"
    | "prefix-tokens";
  /** what the cache has, and what this use needs, in words and numbers */
  readonly found: string;
  readonly expected: string;
}

/**
 * The cache of `conversation` as it stands.
 * @throws RangeError of a conversation that holds no token: there is nothing to keep
 */
export async function saveKv(conversation: Conversation): Promise<KvParts> {
  const { context, tokens } = conversation;
  if (tokens.length === 0) throw new RangeError("an empty conversation has no cache");
  const { kvHeads, headDim, layers: count } = context.model.shape;
  const layers: KvParts["layers"][number][] = [];
  for (let layer = 0; layer < count; layer++) {
    const { keys, values } = await conversation.session.readKv(layer, tokens.length);
    layers.push({ key: keys, value: values });
  }
  return {
    composition: context.identities,
    abi: KV_ABI,
    element: context.kv_element,
    kv_heads: kvHeads,
    head_dim: headDim,
    rope_base: ROPE_BASE,
    prefix: [...tokens],
    layers,
  };
}

/**
 * A conversation that goes on from `cache` (accepted, class 7), whose prefix must be the
 * beginning of `tokens`. Rejections: `SourceIo`, `PayloadHashMismatch`, `ResourceLimit`.
 */
export async function restoreKv(
  context: Context,
  cache: Candidate,
  tokens: readonly number[],
): Promise<Conversation | KvRefusal | Reject> {
  const refused = refusal(context, cache, tokens);
  if (refused) return refused;
  const layers: KvLayer[] = [];
  for (let layer = 0; layer < context.model.shape.layers; layer++) {
    const [keys, values] = ["kv-key", "kv-value"].map((role) =>
      takeTensor(cache, cache.tensors.findIndex((t) => t.role === role && t.layer === layer))
    );
    if (isReject(keys)) return keys;
    if (isReject(values)) return values;
    layers.push({ keys, values });
  }
  const conversation = Conversation.open(context);
  if (isReject(conversation)) return conversation;
  await conversation.restore(layers, tokens.slice(0, kvBody(cache).positions));
  return conversation;
}

function refusal(
  context: Context,
  cache: Candidate,
  tokens: readonly number[],
): KvRefusal | null {
  const body = kvBody(cache);
  const { kvHeads, headDim, layers } = context.model.shape;
  const differs = (
    refused: KvRefusal["refused"],
    found: string | number,
    expected: string | number,
  ): KvRefusal | null =>
    found === expected ? null : { refused, found: `${found}`, expected: `${expected}` };
  const shape = [kvHeads, body.positions, headDim];
  const other = cache.tensors.find((tensor) => tensor.shape.some((n, axis) => n !== shape[axis]));
  const most = Math.min(context.positions, tokens.length);
  return differs("composition", body.composition_id, context.identities.artifact_id) ??
    differs("abi", body.abi, KV_ABI) ??
    differs("element-type", body.element_type, context.body.kv.element_type) ??
    differs("rope-base", body.rope_base, ROPE_BASE) ??
    differs("shape", `${cache.tensors.length} tensors`, `${2 * layers} tensors`) ??
    differs("shape", `[${(other?.shape ?? shape).join(", ")}]`, `[${shape.join(", ")}]`) ??
    (body.positions > most
      ? differs("positions", `${body.positions} positions`, `at most ${most}`)
      : differs(
        "prefix-tokens",
        body.prefix_tokens,
        prefixTokens(tokens.slice(0, body.positions)),
      ));
}
