/**
 * A sequence on the device. Every dispatch of a pass is bound once, when the session opens;
 * positions and tokens live on the device, so that a prompt goes in one batch, and many chosen
 * tokens go in one submission and come back in one readback.
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
import { checkTokens } from "../session.ts";
import { differsAt, type Gpu } from "./device.ts";
import { type Dispatch, encodePass } from "./pass.ts";
import { type Buffers, layOut, type Pass } from "./layout.ts";
import * as shaders from "./shaders.ts";
import { activationSizes, batchOf, cacheSize } from "./sizes.ts";

/** Chosen tokens after which a submission ends: a driver stops what takes it too long. */
const TOKENS_A_SUBMISSION = 64;

export class GpuSession implements Session {
  /** most tokens that are fed at once */
  readonly #batch: number;
  #confirmed = false;

  private constructor(
    readonly model: LlamaModel,
    readonly kv: KvShape,
    readonly gpu: Gpu,
    readonly owned: readonly GPUBuffer[],
    readonly buffers: Buffers,
    readonly pass: Pass,
    /** settles when the device has answered for all buffers */
    readonly allocated: Promise<Refusal | null>,
  ) {
    this.#batch = batchOf(model.shape, kv);
  }

  /** Refused where a buffer is larger than a storage buffer may be, or the device does not serve. */
  static open(gpu: Gpu, model: LlamaModel, kv: KvShape): GpuSession | Refusal {
    if (gpu.lost) return gpu.lost;
    const { shape } = model;
    const largest = Math.max(cacheSize(shape, kv), ...Object.values(activationSizes(shape, kv)));
    if (largest > gpu.limits.storage) {
      return { refused: "ResourceLimit", why: `a buffer of ${largest} bytes` };
    }
    const owned: GPUBuffer[] = [];
    try {
      const { made: { buffers, pass }, refusal } = gpu.guarded(() => layOut(gpu, model, kv, owned));
      return new GpuSession(model, kv, gpu, owned, buffers, pass, refusal);
    } catch (error) {
      for (const buffer of owned) gpu.free(buffer);
      if (error instanceof Unserved) return error.refusal;
      throw error;
    }
  }

  async forward(tokens: readonly number[], position: number): Promise<Float32Array> {
    await this.#begin(tokens, position);
    for (let at = 0; at < tokens.length; at += this.#batch) {
      const count = Math.min(this.#batch, tokens.length - at), last = at + count === tokens.length;
      this.#span(position + at, count);
      this.gpu.submit((encoder) => {
        encodePass(encoder, this.#through(count), count);
        if (last) encodePass(encoder, this.pass.output);
      });
    }
    const { logits } = this.buffers;
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
      encodePass(encoder, this.pass.output);
      keep(normed, layers + 1);
    });
    return {
      logits: new Float32Array(await this.gpu.read(logits, 0, 4 * vocab)),
      activations: new Float32Array(await this.gpu.read(trace, 0, 4 * (layers + 2) * dim)),
    };
  }

  async greedy(token: number, position: number, count: number): Promise<Chosen> {
    if (count === 0) return { tokens: [], nan: false };
    checkTokens(this, [token], position);
    checkTokens(this, [token], position + count - 1);
    await this.#begin([token], position);
    const { output, choose, advance } = this.pass;
    for (let at = 0; at < count; at += TOKENS_A_SUBMISSION) {
      this.gpu.submit((encoder) => {
        const end = Math.min(at + TOKENS_A_SUBMISSION, count);
        for (let i = at; i < end; i++) {
          encodePass(encoder, [...this.#through(1), ...output, choose, advance]);
        }
      });
    }
    const words = await this.gpu.read(this.buffers.tokens, 4 * (position + 1), 4 * count);
    const tokens = [...new Uint32Array(words)], nan = tokens.indexOf(shaders.NAN_TOKEN);
    return nan < 0 ? { tokens, nan: false } : { tokens: tokens.slice(0, nan), nan: true };
  }

  async readKv(layer: number, positions: number): Promise<KvLayer> {
    const { keys, values } = this.buffers.caches[layer];
    const packed = async (cache: GPUBuffer) => {
      const all = new Uint8Array(
        await this.gpu.read(cache, 0, cacheSize(this.model.shape, this.kv)),
      );
      return this.#heads(positions, (out, from, to, bytes) => {
        out.set(all.subarray(to, to + bytes), from);
      });
    };
    return { keys: await packed(keys), values: await packed(values) };
  }

  /** @throws Unserved where the device does not hold what it was given */
  async writeKv(layer: number, positions: number, cached: KvLayer): Promise<void> {
    const put = (cache: GPUBuffer, from: Uint8Array) =>
      this.#heads(positions, (_, at, to, bytes) => {
        this.gpu.write(cache, from.subarray(at, at + bytes), to);
      });
    const { keys, values } = this.buffers.caches[layer];
    put(keys, cached.keys);
    put(values, cached.values);
    const there = await this.readKv(layer, positions);
    for (const which of ["keys", "values"] as const) {
      if (differsAt(there[which], cached[which].slice()) === null) continue;
      const why = `the device changed a byte of the ${which} of layer ${layer}`;
      throw new Unserved({ refused: "RuntimeCapability", why });
    }
  }

  close(): void {
    for (const buffer of this.owned) this.gpu.free(buffer);
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
    const refused = this.gpu.lost ?? await this.allocated ?? await this.#confirm();
    if (refused) throw new Unserved(refused);
    this.gpu.write(this.buffers.tokens, Uint32Array.from(tokens), 4 * position);
    this.#span(position, 1);
  }

  /** Constants are read back before the first token. */
  async #confirm(): Promise<Refusal | null> {
    if (this.#confirmed) return null;
    const wrong = await this.gpu.confirm();
    this.#confirmed = wrong === null;
    return wrong;
  }

  #span(position: number, count: number): void {
    this.gpu.write(this.buffers.span, Uint32Array.of(position, count));
  }

  *#through(count: number): Generator<Dispatch> {
    const { embed, layers, layersOfMany } = this.pass;
    yield* embed;
    for (const layer of count === 1 ? layers : layersOfMany) yield* layer;
  }
}
