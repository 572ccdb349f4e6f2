/** A sequence on the Wasm backend: one call of the kernels a token. */
import type { Chosen, KvLayer, KvShape, LlamaModel, Session, Trace } from "../backend.ts";
import { LAYOUTS } from "../quant/format.ts";
import { ropeTurns } from "../rope.ts";
import { checkTokens, greedyLoop } from "../session.ts";
import type { Arena } from "./arena.ts";
import type { Kernels } from "./module.ts";
import { DENSE_KINDS } from "./panels.ts";
import { WasmWeight } from "./weight.ts";

/** The weight as one of this backend's; another backend's is a bug. */
export function wasmWeight(weight: LlamaModel["output"]): WasmWeight {
  if (!(weight instanceof WasmWeight)) throw new TypeError("a weight of another backend");
  return weight;
}

/** Addresses of the activations that the host touches. */
interface Places {
  readonly plan: number;
  readonly x: number;
  readonly cos: number;
  readonly sin: number;
  readonly logits: number;
  readonly trace: number;
  /** of each layer's keys and values */
  readonly caches: readonly { readonly keys: number; readonly values: number }[];
}

export class WasmSession implements Session {
  readonly #turns;

  private constructor(
    readonly model: LlamaModel,
    readonly kv: KvShape,
    readonly kernels: Kernels,
    readonly arena: Arena,
    readonly taken: readonly number[],
    readonly places: Places,
  ) {
    this.#turns = ropeTurns(model.shape);
  }

  /** Lays out the plan, the activations and the cache; null where there is no room. */
  static open(kernels: Kernels, arena: Arena, model: LlamaModel, kv: KvShape): WasmSession | null {
    const taken: number[] = [];
    const places = layOut(arena, model, kv, (bytes) => {
      const at = arena.take(bytes);
      if (at !== null) taken.push(at);
      return at;
    });
    if (places !== null) return new WasmSession(model, kv, kernels, arena, taken, places);
    taken.forEach((at) => arena.give(at));
    return null;
  }

  forward(tokens: readonly number[], position: number): Float32Array {
    checkTokens(this, tokens, position);
    tokens.forEach((token, i) => this.#feed(token, position + i, i === tokens.length - 1, 0));
    return this.#copy(this.places.logits, this.model.shape.vocab);
  }

  trace(token: number, position: number): Trace {
    checkTokens(this, [token], position);
    const { dim, layers, vocab } = this.model.shape, { logits, trace } = this.places;
    this.#feed(token, position, true, trace);
    return {
      logits: this.#copy(logits, vocab),
      activations: this.#copy(trace, (layers + 2) * dim),
    };
  }

  greedy(token: number, position: number, count: number): Chosen {
    return greedyLoop((t, p) => this.forward([t], p), token, position, count);
  }

  #feed(token: number, position: number, output: boolean, trace: number): void {
    const { dim, headDim } = this.model.shape, { plan, x, cos, sin } = this.places;
    wasmWeight(this.model.tokenEmbedding).row(token, this.arena.floats(x, dim));
    const turn = this.#turns(position);
    this.arena.floats(cos, headDim / 2).set(turn.cos);
    this.arena.floats(sin, headDim / 2).set(turn.sin);
    this.kernels.forward(plan, position, output ? 1 : 0, trace);
  }

  #copy(at: number, length: number): Float32Array {
    return this.arena.floats(at, length).slice();
  }

  /** Bytes of one head's first `positions` in a cache. */
  #headBytes(positions: number): number {
    return positions * this.model.shape.headDim * LAYOUTS[this.kv.element].bytes;
  }

  readKv(layer: number, positions: number): KvLayer {
    const packed = (cache: number) => {
      const bytes = this.#headBytes(positions), stride = this.#headBytes(this.kv.positions);
      const out = new Uint8Array(this.model.shape.kvHeads * bytes);
      for (let head = 0; head < this.model.shape.kvHeads; head++) {
        out.set(this.arena.bytes(cache + head * stride, bytes), head * bytes);
      }
      return out;
    };
    const { keys, values } = this.places.caches[layer];
    return { keys: packed(keys), values: packed(values) };
  }

  writeKv(layer: number, positions: number, cached: KvLayer): void {
    const put = (cache: number, from: Uint8Array) => {
      const bytes = this.#headBytes(positions), stride = this.#headBytes(this.kv.positions);
      for (let head = 0; head < this.model.shape.kvHeads; head++) {
        const one = from.subarray(head * bytes, (head + 1) * bytes);
        this.arena.bytes(cache + head * stride, bytes).set(one);
      }
    };
    const { keys, values } = this.places.caches[layer];
    put(keys, cached.keys);
    put(values, cached.values);
  }

  close(): void {
    this.taken.forEach((at) => this.arena.give(at));
  }
}

/**
 * Takes room for a session and writes the Plan and its Layers, in the order of the fields of
 * `assembly/layout.ts`. null where `take` once gave null.
 */
function layOut(
  arena: Arena,
  model: LlamaModel,
  kv: KvShape,
  take: (bytes: number) => number | null,
): Places | null {
  const { shape } = model, { dim, headDim, hiddenDim, heads, kvHeads, layers, vocab } = shape;
  let full = false;
  const room = (bytes: number) => {
    const at = take(bytes);
    full ||= at === null;
    return at ?? 0;
  };
  const floats = (count: number) => room(4 * Math.ceil(count / 4) * 4);
  const norm = (weight: LlamaModel["finalNorm"]) => {
    const at = floats(dim);
    if (!full) wasmWeight(weight).row(0, arena.floats(at, dim));
    return at;
  };
  const cacheBytes = kvHeads * kv.positions * headDim * LAYOUTS[kv.element].bytes;
  const caches = model.layers.map(() => ({ keys: room(cacheBytes), values: room(cacheBytes) }));
  const layerRecords = model.layers.flatMap((layer, l) => [
    norm(layer.attentionNorm),
    norm(layer.ffnNorm),
    ...[
      layer.attentionQ,
      layer.attentionK,
      layer.attentionV,
      layer.attentionOutput,
      layer.ffnGate,
      layer.ffnUp,
      layer.ffnDown,
    ].map((weight) => wasmWeight(weight).record),
    caches[l].keys,
    caches[l].values,
  ]);
  const layer = room(4 * layerRecords.length);
  const x = floats(dim), cos = floats(headDim / 2), sin = floats(headDim / 2);
  const logits = floats(vocab), trace = floats((layers + 2) * dim);
  const weights = [model.output, ...model.layers.flatMap((l) => Object.values(l))];
  const eps = new Uint32Array(new Float32Array([shape.normEps]).buffer)[0];
  const planRecord = [
    ...[dim, headDim, hiddenDim, layers, kvHeads, heads, shape.ropeStyle, eps, kv.positions],
    DENSE_KINDS[kv.element]!,
    weights.some((weight) => wasmWeight(weight).quantised) ? 1 : 0,
    layer,
    norm(model.finalNorm),
    wasmWeight(model.output).record,
    x,
    floats(dim), // normed
    floats(dim), // delta
    floats(heads * headDim), // q
    floats(kvHeads * headDim), // k
    floats(kvHeads * headDim), // v
    floats(heads * headDim), // attended
    floats(hiddenDim), // gate
    floats(hiddenDim), // up
    floats(kv.positions), // scores
    cos,
    sin,
    logits,
  ];
  const plan = room(4 * planRecord.length);
  if (full) return null;
  arena.words(layer, layerRecords.length).set(layerRecords);
  arena.words(plan, planRecord.length).set(planRecord);
  return { plan, x, cos, sin, logits, trace, caches };
}
