/** A session's buffers, and every dispatch of a pass bound to them once. */
import type { KvShape, LlamaModel, Weight } from "../backend.ts";
import { ropeTurns } from "../rope.ts";
import type { Gpu } from "./device.ts";
import type { Dispatch } from "./pass.ts";
import { dense } from "./ops.ts";
import * as shaders from "./shaders.ts";
import { THREADS } from "./shaders_common.ts";
import { activationSizes, cacheSize } from "./sizes.ts";
import { gpuWeight } from "./weight.ts";

type Activations = Readonly<Record<keyof ReturnType<typeof activationSizes>, GPUBuffer>>;

export interface Buffers extends Activations {
  /** of each layer */
  readonly caches: readonly { readonly keys: GPUBuffer; readonly values: GPUBuffer }[];
}

/** The way of tokens through the model, in order. */
export interface Pass {
  readonly embed: readonly Dispatch[];
  /** of one token */
  readonly layers: readonly (readonly Dispatch[])[];
  /** of a span of tokens: the same, with products of many x */
  readonly layersOfMany: readonly (readonly Dispatch[])[];
  /** the final norm of the span's last token, and its logits */
  readonly output: readonly Dispatch[];
  /** the largest logit's id to the next position */
  readonly choose: Dispatch;
  readonly advance: Dispatch;
}

/** Makes every buffer, into `owned`, and binds every dispatch. @throws Unserved */
export function layOut(
  gpu: Gpu,
  model: LlamaModel,
  kv: KvShape,
  owned: GPUBuffer[],
): { buffers: Buffers; pass: Pass } {
  const { shape } = model, { dim, headDim, heads, kvHeads, hiddenDim } = shape;
  const keep = (buffer: GPUBuffer) => {
    owned.push(buffer);
    return buffer;
  };
  const uniform = (...words: number[]) => keep(gpu.uniform(words));
  const turns = keep(gpu.upload(allTurns(model, kv)));
  const sizes = Object.entries(activationSizes(shape, kv));
  const made = Object.fromEntries(
    sizes.map(([name, bytes]) => [name, name === "turns" ? turns : keep(gpu.buffer(bytes))]),
  ) as Activations;
  const { x, normed, delta, q, attended, k, v, gate, up, scores, logits, tokens, span } = made;
  const cache = () => keep(gpu.buffer(cacheSize(shape, kv)));
  const caches = model.layers.map(() => ({ keys: cache(), values: cache() }));

  const eps = new Uint32Array(new Float32Array([shape.normEps]).buffer)[0], half = headDim / 2;
  const norms = uniform(dim, eps, 0, 0), lastNorm = uniform(dim, eps, 1, 0);
  const ropeQ = uniform(heads * half, half, shape.ropeStyle, 0);
  const ropeK = uniform(kvHeads * half, half, shape.ropeStyle, 0);
  const stores = uniform(kvHeads * half, half, kv.positions, 0);
  const attends = uniform(heads, heads / kvHeads, headDim, kv.positions);

  type Bound = readonly (readonly [number, GPUBuffer])[];
  /** A kernel over single elements, so many of them a token. */
  const over = (code: string, items: number, buffers: Bound): Dispatch => ({
    ...gpu.bind(code, buffers),
    groups: (count) => [...gpu.spread(Math.ceil(items * count / THREADS)), 1],
  });
  const once = (code: string, buffers: Bound): Dispatch => {
    return { ...gpu.bind(code, buffers), groups: () => [1, 1, 1] };
  };
  const norm = (weight: Weight): Dispatch => ({
    ...gpu.bind(shaders.rmsNorm, [[0, norms], [1, dense(weight)], [2, x], [3, normed], [4, span]]),
    groups: (count) => [count, 1, 1],
  });
  const add = () => over(shaders.add, dim, [[0, x], [1, delta]]);
  const turn = (how: GPUBuffer, to: GPUBuffer, pairs: number) =>
    over(shaders.rope, pairs, [[0, how], [1, turns], [2, to], [3, span]]);
  const store = (from: GPUBuffer, to: GPUBuffer) =>
    over(shaders.store(kv.element), kvHeads * half, [[0, stores], [1, from], [2, to], [3, span]]);
  const attend = (keys: GPUBuffer, values: GPUBuffer): Dispatch => ({
    ...gpu.bind(shaders.attention(kv.element), [
      [0, attends],
      [1, q],
      [2, keys],
      [3, values],
      [4, scores],
      [5, attended],
      [6, span],
    ]),
    groups: (count) => [heads, count, 1],
  });

  type Multiply = (weight: Weight, from: GPUBuffer, to: GPUBuffer) => Dispatch[];
  const one: Multiply = (weight, from, to) => gpuWeight(weight).multiply(from, to);
  const many: Multiply = (weight, from, to) => gpuWeight(weight).multiplyAll(from, to, span);
  const layerPass = (multiply: Multiply) =>
    model.layers.map((layer, l): Dispatch[] => [
      norm(layer.attentionNorm),
      ...multiply(layer.attentionQ, normed, q),
      ...multiply(layer.attentionK, normed, k),
      ...multiply(layer.attentionV, normed, v),
      turn(ropeQ, q, heads * half),
      turn(ropeK, k, kvHeads * half),
      store(k, caches[l].keys),
      store(v, caches[l].values),
      attend(caches[l].keys, caches[l].values),
      ...multiply(layer.attentionOutput, attended, delta),
      add(),
      norm(layer.ffnNorm),
      ...multiply(layer.ffnGate, normed, gate),
      ...multiply(layer.ffnUp, normed, up),
      over(shaders.swiglu, hiddenDim, [[0, gate], [1, up]]),
      ...multiply(layer.ffnDown, gate, delta),
      add(),
    ]);
  const final = dense(model.finalNorm);
  return {
    buffers: { ...made, caches },
    pass: {
      embed: gpuWeight(model.tokenEmbedding).row(tokens, span, x),
      layers: layerPass(one),
      layersOfMany: layerPass(many),
      output: [
        once(shaders.rmsNorm, [[0, lastNorm], [1, final], [2, x], [3, normed], [4, span]]),
        ...one(model.output, normed, logits),
      ],
      choose: once(shaders.choose, [[0, logits], [1, tokens], [2, span]]),
      advance: once(shaders.advance, [[0, span]]),
    },
  };
}

/** Cosines, then sines, of every position: the bits of every other backend. */
function allTurns({ shape }: LlamaModel, kv: KvShape): Float32Array {
  const half = shape.headDim / 2, turnAt = ropeTurns(shape);
  const all = new Float32Array(kv.positions * 2 * half);
  for (let position = 0; position < kv.positions; position++) {
    const { cos, sin } = turnAt(position);
    all.set(cos, position * 2 * half);
    all.set(sin, position * 2 * half + half);
  }
  return all;
}
