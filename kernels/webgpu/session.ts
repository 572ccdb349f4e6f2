/**
 * A sequence on the device. Every dispatch of a token's pass is bound once, when the session
 * opens; position and tokens live on the device, so that many tokens go in one submission and
 * come back in one readback.
 */
import {
  type Chosen,
  type KvLayer,
  type KvShape,
  type LlamaModel,
  type Refusal,
  type Session,
  type Trace,
  Unserved,
} from "../backend.ts";
import { LAYOUTS } from "../quant/format.ts";
import { ropeTurns } from "../rope.ts";
import { checkTokens } from "../session.ts";
import { type Dispatch, encodePass, type Gpu } from "./device.ts";
import { dense } from "./ops.ts";
import * as shaders from "./shaders.ts";
import { THREADS } from "./shaders_common.ts";
import { gpuWeight } from "./weight.ts";

/** A token's pass, in order. */
interface Pass {
  readonly embed: readonly Dispatch[];
  readonly layers: readonly (readonly Dispatch[])[];
  readonly norm: Dispatch;
  readonly output: readonly Dispatch[];
  readonly choose: Dispatch;
  readonly advance: Dispatch;
}

interface Buffers {
  readonly x: GPUBuffer;
  readonly normed: GPUBuffer;
  readonly logits: GPUBuffer;
  /** [positions + 1]: the id at each position */
  readonly tokens: GPUBuffer;
  /** one word: the position that is fed next */
  readonly position: GPUBuffer;
  readonly trace: GPUBuffer;
  readonly caches: readonly { readonly keys: GPUBuffer; readonly values: GPUBuffer }[];
}

/** Tokens after which a submission ends: a driver stops what takes it too long. */
const TOKENS_A_SUBMISSION = 64;

export class GpuSession implements Session {
  private constructor(
    readonly model: LlamaModel,
    readonly kv: KvShape,
    readonly gpu: Gpu,
    readonly owned: readonly GPUBuffer[],
    readonly buffers: Buffers,
    readonly pass: Pass,
    /** settles when the device has answered for all buffers */
    readonly allocated: Promise<Refusal | null>,
  ) {}

  /** Refused where a cache is larger than a storage buffer may be. */
  static open(gpu: Gpu, model: LlamaModel, kv: KvShape): GpuSession | Refusal {
    if (gpu.lost) return gpu.lost;
    const largest = Math.max(cacheBytes(model, kv), 4 * model.shape.vocab, turnBytes(model, kv));
    if (largest > gpu.limits.storage) {
      return { refused: "ResourceLimit", why: `a buffer of ${largest} bytes` };
    }
    const owned: GPUBuffer[] = [];
    const { made: { buffers, pass }, refusal } = gpu.guarded(() => layOut(gpu, model, kv, owned));
    return new GpuSession(model, kv, gpu, owned, buffers, pass, refusal);
  }

  async forward(tokens: readonly number[], position: number): Promise<Float32Array> {
    const { logits } = this.buffers, last = tokens.length - 1;
    await this.#begin(tokens, position);
    for (let at = 0; at <= last; at += TOKENS_A_SUBMISSION) {
      this.gpu.submit((encoder) => {
        const end = Math.min(at + TOKENS_A_SUBMISSION, last + 1);
        for (let i = at; i < end; i++) encodePass(encoder, this.#token(i === last));
      });
    }
    return new Float32Array(await this.gpu.read(logits, 0, 4 * this.model.shape.vocab));
  }

  async trace(token: number, position: number): Promise<Trace> {
    const { dim, layers, vocab } = this.model.shape, { x, normed, trace, logits } = this.buffers;
    await this.#begin([token], position);
    this.gpu.submit((encoder) => {
      const keep = (from: GPUBuffer, row: number) =>
        encoder.copyBufferToBuffer(from, 0, trace, 4 * dim * row, 4 * dim);
      encodePass(encoder, this.pass.embed);
      keep(x, 0);
      this.pass.layers.forEach((layer, l) => {
        encodePass(encoder, layer);
        keep(x, l + 1);
      });
      encodePass(encoder, [this.pass.norm, ...this.pass.output]);
      keep(normed, layers + 1);
    });
    return {
      logits: new Float32Array(await this.gpu.read(logits, 0, 4 * vocab)),
      activations: new Float32Array(await this.gpu.read(trace, 0, 4 * (layers + 2) * dim)),
    };
  }

  async greedy(token: number, position: number, count: number): Promise<Chosen> {
    if (count === 0) return { tokens: [], nan: false };
    await this.#begin([token], position);
    checkTokens(this, [token], position + count - 1);
    for (let at = 0; at < count; at += TOKENS_A_SUBMISSION) {
      this.gpu.submit((encoder) => {
        const end = Math.min(at + TOKENS_A_SUBMISSION, count);
        for (let i = at; i < end; i++) encodePass(encoder, this.#token(true, true));
      });
    }
    const words = await this.gpu.read(this.buffers.tokens, 4 * (position + 1), 4 * count);
    const tokens = [...new Uint32Array(words)], nan = tokens.indexOf(shaders.NAN_TOKEN);
    return nan < 0 ? { tokens, nan: false } : { tokens: tokens.slice(0, nan), nan: true };
  }

  async readKv(layer: number, positions: number): Promise<KvLayer> {
    const { keys, values } = this.buffers.caches[layer];
    const packed = async (cache: GPUBuffer) => {
      const all = new Uint8Array(await this.gpu.read(cache, 0, cacheBytes(this.model, this.kv)));
      return this.#heads(positions, (out, from, to, bytes) => {
        out.set(all.subarray(to, to + bytes), from);
      });
    };
    return { keys: await packed(keys), values: await packed(values) };
  }

  writeKv(layer: number, positions: number, cached: KvLayer): void {
    const put = (cache: GPUBuffer, from: Uint8Array) =>
      this.#heads(positions, (_, at, to, bytes) => {
        this.gpu.write(cache, from.subarray(at, at + bytes), to);
      });
    const { keys, values } = this.buffers.caches[layer];
    put(keys, cached.keys);
    put(values, cached.values);
  }

  close(): void {
    for (const buffer of this.owned) buffer.destroy();
  }

  /** Calls `each` with every head's place in packed bytes and in the cache; gives the packed ones. */
  #heads(
    positions: number,
    each: (packed: Uint8Array, at: number, inCache: number, bytes: number) => void,
  ): Uint8Array {
    const { headDim, kvHeads } = this.model.shape, size = LAYOUTS[this.kv.element].bytes;
    const bytes = positions * headDim * size, stride = this.kv.positions * headDim * size;
    const packed = new Uint8Array(kvHeads * bytes);
    for (let head = 0; head < kvHeads; head++) each(packed, head * bytes, head * stride, bytes);
    return packed;
  }

  async #begin(tokens: readonly number[], position: number): Promise<void> {
    checkTokens(this, tokens, position);
    const refused = this.gpu.lost ?? await this.allocated;
    if (refused) throw new Unserved(refused);
    this.gpu.write(this.buffers.tokens, Uint32Array.from(tokens), 4 * position);
    this.gpu.write(this.buffers.position, Uint32Array.of(position));
  }

  *#token(output: boolean, choose = false): Generator<Dispatch> {
    const { pass } = this;
    yield* pass.embed;
    for (const layer of pass.layers) yield* layer;
    if (output) {
      yield pass.norm;
      yield* pass.output;
    }
    if (choose) yield pass.choose;
    yield pass.advance;
  }
}

function cacheBytes({ shape }: LlamaModel, kv: KvShape): number {
  return shape.kvHeads * kv.positions * shape.headDim * LAYOUTS[kv.element].bytes;
}

function turnBytes({ shape }: LlamaModel, kv: KvShape): number {
  return 4 * kv.positions * shape.headDim;
}

/** Makes every buffer, into `owned`, and binds every dispatch. */
function layOut(
  gpu: Gpu,
  model: LlamaModel,
  kv: KvShape,
  owned: GPUBuffer[],
): { buffers: Buffers; pass: Pass } {
  const { shape } = model, { dim, headDim, hiddenDim, heads, kvHeads, layers, vocab } = shape;
  const keep = (buffer: GPUBuffer) => {
    owned.push(buffer);
    return buffer;
  };
  const floats = (count: number) => keep(gpu.buffer(4 * count));
  const uniform = (...words: number[]) => keep(gpu.uniform(words));
  const x = floats(dim), normed = floats(dim), delta = floats(dim);
  const q = floats(heads * headDim), attended = floats(heads * headDim);
  const k = floats(kvHeads * headDim), v = floats(kvHeads * headDim);
  const gate = floats(hiddenDim), up = floats(hiddenDim), scores = floats(heads * kv.positions);
  const logits = floats(vocab), trace = floats((layers + 2) * dim);
  const tokens = floats(kv.positions + 1), position = floats(1);
  const cache = () => keep(gpu.buffer(cacheBytes(model, kv)));
  const caches = model.layers.map(() => ({ keys: cache(), values: cache() }));
  const turns = keep(gpu.upload(allTurns(model, kv)));
  const eps = new Uint32Array(new Float32Array([shape.normEps]).buffer)[0];
  const norms = uniform(dim, eps), half = headDim / 2;
  const ropeQ = uniform(heads * half, half, shape.ropeStyle, 0);
  const ropeK = uniform(kvHeads * half, half, shape.ropeStyle, 0);
  const stores = uniform(kvHeads * half, half, kv.positions, 0);
  const attends = uniform(heads, heads / kvHeads, headDim, kv.positions);

  const bind = (
    code: string,
    groups: number,
    ...buffers: readonly (readonly [number, GPUBuffer])[]
  ): Dispatch => ({ ...gpu.bind(code, buffers), groups: [...gpu.spread(groups), 1] });
  const over = (items: number) => Math.ceil(items / THREADS);
  const norm = (weight: LlamaModel["finalNorm"]) =>
    bind(shaders.rmsNorm, 1, [0, norms], [1, dense(weight)], [2, x], [3, normed]);
  const multiply = (weight: LlamaModel["output"], from: GPUBuffer, to: GPUBuffer) =>
    gpuWeight(weight).multiply(gpu, from, to);
  const add = () => bind(shaders.add, over(dim), [0, x], [1, delta]);
  const turn = (how: GPUBuffer, to: GPUBuffer, pairs: number) =>
    bind(shaders.rope, over(pairs), [0, how], [1, turns], [2, to], [3, position]);
  const store = (from: GPUBuffer, to: GPUBuffer) =>
    bind(shaders.store(kv.element), over(kvHeads * half), [0, stores], [1, from], [2, to], [
      3,
      position,
    ]);

  const layerPass = (layer: LlamaModel["layers"][number], l: number): Dispatch[] => [
    norm(layer.attentionNorm),
    ...multiply(layer.attentionQ, normed, q),
    ...multiply(layer.attentionK, normed, k),
    ...multiply(layer.attentionV, normed, v),
    turn(ropeQ, q, heads * half),
    turn(ropeK, k, kvHeads * half),
    store(k, caches[l].keys),
    store(v, caches[l].values),
    {
      ...gpu.bind(shaders.attention(kv.element), [
        [0, attends],
        [1, q],
        [2, caches[l].keys],
        [3, caches[l].values],
        [4, scores],
        [5, attended],
        [6, position],
      ]),
      groups: [heads, 1, 1],
    },
    ...multiply(layer.attentionOutput, attended, delta),
    add(),
    norm(layer.ffnNorm),
    ...multiply(layer.ffnGate, normed, gate),
    ...multiply(layer.ffnUp, normed, up),
    bind(shaders.swiglu, over(hiddenDim), [0, gate], [1, up]),
    ...multiply(layer.ffnDown, gate, delta),
    add(),
  ];
  return {
    buffers: { x, normed, logits, tokens, position, trace, caches },
    pass: {
      embed: gpuWeight(model.tokenEmbedding).row(gpu, tokens, position, x),
      layers: model.layers.map(layerPass),
      norm: norm(model.finalNorm),
      output: multiply(model.output, normed, logits),
      choose: bind(shaders.choose, 1, [0, logits], [1, tokens], [2, position]),
      advance: bind(shaders.advance, 1, [0, position]),
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
