/** What a session has on the device, by name and in bytes: laid out by it, predicted from it. */
import type { KvShape, LlamaShape } from "../backend.ts";
import { LAYOUTS } from "../quant/format.ts";

/** Tokens of a prompt that go through the model at once. */
const MOST_BATCH = 64;
/** What all scores of a batch may take, in floats. */
const MOST_SCORES = 1 << 20;

/** How many tokens a session takes at once: fewer where they would need too many scores. */
export function batchOf({ heads }: LlamaShape, { positions }: KvShape): number {
  return Math.max(
    1,
    Math.min(MOST_BATCH, positions, Math.floor(MOST_SCORES / (heads * positions))),
  );
}

/** Bytes of each of a session's buffers, for a batch of tokens where a token has one. */
export function activationSizes(shape: LlamaShape, kv: KvShape) {
  const { dim, headDim, hiddenDim, heads, kvHeads, layers, vocab } = shape;
  const floats = (count: number) => 4 * count, batch = batchOf(shape, kv);
  return {
    x: floats(batch * dim),
    normed: floats(batch * dim),
    delta: floats(batch * dim),
    q: floats(batch * heads * headDim),
    attended: floats(batch * heads * headDim),
    k: floats(batch * kvHeads * headDim),
    v: floats(batch * kvHeads * headDim),
    gate: floats(batch * hiddenDim),
    up: floats(batch * hiddenDim),
    scores: floats(batch * heads * kv.positions),
    logits: floats(vocab),
    trace: floats((layers + 2) * dim),
    /** the id at each position, and at the one after the last */
    tokens: floats(kv.positions + 1),
    /** cosines, then sines, of each position */
    turns: floats(kv.positions * headDim),
    /** the position of the first token that is fed next, and how many are */
    span: floats(2),
  };
}

/** Bytes of one layer's keys, or its values. */
export function cacheSize({ kvHeads, headDim }: LlamaShape, kv: KvShape): number {
  return kvHeads * kv.positions * headDim * LAYOUTS[kv.element].bytes;
}
