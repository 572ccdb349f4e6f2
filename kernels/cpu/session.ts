/** The forward pass of `llama/1` (classes.md section 2), one token at a time. */
import type { Chosen, KvLayer, KvShape, LlamaModel, Session, Trace } from "../backend.ts";
import { checkTokens, greedyLoop } from "../session.ts";
import { decode, encode } from "../quant/codec.ts";
import { ropeTurns } from "../rope.ts";
import { add, attention, rmsNorm, rope, swiglu } from "./ops.ts";
import { cpuWeight } from "./weight.ts";

export class CpuSession implements Session {
  /** [kvHeads, capacity, headDim] a layer, in f32 rounded to the cache's element type. */
  readonly #keys: Float32Array[];
  readonly #values: Float32Array[];
  readonly #turns;

  constructor(readonly model: LlamaModel, readonly kv: KvShape) {
    const { layers, kvHeads, headDim } = model.shape;
    const cache = () => new Float32Array(kvHeads * kv.positions * headDim);
    this.#keys = Array.from({ length: layers }, cache);
    this.#values = Array.from({ length: layers }, cache);
    this.#turns = ropeTurns(model.shape);
  }

  forward(tokens: readonly number[], position: number): Float32Array {
    checkTokens(this, tokens, position);
    let normed: Float32Array = new Float32Array();
    tokens.forEach((token, i) => normed = this.#step(token, position + i));
    return this.#logits(normed);
  }

  trace(token: number, position: number): Trace {
    checkTokens(this, [token], position);
    const { dim, layers } = this.model.shape;
    const activations = new Float32Array((layers + 2) * dim);
    const normed = this.#step(token, position, activations);
    return { logits: this.#logits(normed), activations };
  }

  greedy(token: number, position: number, count: number): Chosen {
    return greedyLoop((t, p) => this.forward([t], p), token, position, count);
  }

  #logits(normed: Float32Array): Float32Array {
    const logits = new Float32Array(this.model.shape.vocab);
    cpuWeight(this.model.output).multiply(logits, normed);
    return logits;
  }

  /** Feeds one token; gives the final norm's result, and in `trace` the residual stream. */
  #step(token: number, position: number, trace?: Float32Array): Float32Array {
    const { shape } = this.model, { dim, headDim, heads, kvHeads, normEps, ropeStyle } = shape;
    const turn = this.#turns(position);
    const x = cpuWeight(this.model.tokenEmbedding).row(token).slice();
    const normed = new Float32Array(dim), delta = new Float32Array(dim);
    const q = new Float32Array(heads * headDim), attended = new Float32Array(heads * headDim);
    const k = new Float32Array(kvHeads * headDim), v = new Float32Array(kvHeads * headDim);
    const gate = new Float32Array(shape.hiddenDim), up = new Float32Array(shape.hiddenDim);
    trace?.set(x);
    this.model.layers.forEach((layer, l) => {
      rmsNorm(normed, x, cpuWeight(layer.attentionNorm).row(0), normEps);
      cpuWeight(layer.attentionQ).multiply(q, normed);
      cpuWeight(layer.attentionK).multiply(k, normed);
      cpuWeight(layer.attentionV).multiply(v, normed);
      rope(q, headDim, ropeStyle, turn);
      rope(k, headDim, ropeStyle, turn);
      this.#store(this.#keys[l], k, position);
      this.#store(this.#values[l], v, position);
      const seen = { heads, kvHeads, headDim, positions: position + 1 };
      attention(attended, q, this.#keys[l], this.#values[l], seen, this.kv.positions);
      cpuWeight(layer.attentionOutput).multiply(delta, attended);
      add(x, delta);
      rmsNorm(normed, x, cpuWeight(layer.ffnNorm).row(0), normEps);
      cpuWeight(layer.ffnGate).multiply(gate, normed);
      cpuWeight(layer.ffnUp).multiply(up, normed);
      swiglu(gate, gate, up);
      cpuWeight(layer.ffnDown).multiply(delta, gate);
      add(x, delta);
      trace?.set(x, (l + 1) * dim);
    });
    rmsNorm(normed, x, cpuWeight(this.model.finalNorm).row(0), normEps);
    trace?.set(normed, (this.model.layers.length + 1) * dim);
    return normed;
  }

  #store(cache: Float32Array, heads: Float32Array, position: number): void {
    const { headDim, kvHeads } = this.model.shape, spec = this.#cacheSpec(1);
    const stored = encode(spec, heads);
    if ("refused" in stored) throw new Error(stored.refused);
    const rounded = this.kv.element === "f32" ? heads : decode(spec, stored);
    for (let head = 0; head < kvHeads; head++) {
      const at = (head * this.kv.positions + position) * headDim;
      cache.set(rounded.subarray(head * headDim, (head + 1) * headDim), at);
    }
  }

  #cacheSpec(positions: number) {
    const { headDim, kvHeads } = this.model.shape;
    return {
      format: this.kv.element,
      tail: "exact",
      rows: kvHeads * positions,
      columns: headDim,
    } as const;
  }

  readKv(layer: number, positions: number): KvLayer {
    const { headDim, kvHeads } = this.model.shape, spec = this.#cacheSpec(positions);
    const copy = (cache: Float32Array) => {
      const packed = new Float32Array(kvHeads * positions * headDim);
      for (let head = 0; head < kvHeads; head++) {
        const from = head * this.kv.positions * headDim;
        packed.set(cache.subarray(from, from + positions * headDim), head * positions * headDim);
      }
      const stored = encode(spec, packed);
      if ("refused" in stored) throw new Error(stored.refused);
      return stored.bytes;
    };
    return { keys: copy(this.#keys[layer]), values: copy(this.#values[layer]) };
  }

  writeKv(layer: number, positions: number, cached: KvLayer): void {
    const { headDim, kvHeads } = this.model.shape, spec = this.#cacheSpec(positions);
    const put = (cache: Float32Array, bytes: Uint8Array) => {
      const packed = decode(spec, { bytes });
      for (let head = 0; head < kvHeads; head++) {
        const from = head * positions * headDim;
        cache.set(
          packed.subarray(from, from + positions * headDim),
          head * this.kv.positions * headDim,
        );
      }
    };
    put(this.#keys[layer], cached.keys);
    put(this.#values[layer], cached.values);
  }

  close(): void {}
}
