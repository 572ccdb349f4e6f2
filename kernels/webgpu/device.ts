/** One GPU device: its limits, its pipelines, and the way bytes go there and back. */
import { type Refusal, Unserved } from "../backend.ts";
import { asked, DeviceMemory } from "./memory.ts";

/** Most that is asked of an adapter; what it has less of is asked for as it has it. */
export interface Limits {
  /** bytes of one storage buffer */
  readonly storage: number;
  /** groups of a dispatch along one axis */
  readonly groups: number;
}

/** WebGPU's default limits: what every adapter has. */
export const DEFAULT_LIMITS: Limits = { storage: 128 * 1024 * 1024, groups: 65535 };

const refuse = (why: string, refused: Refusal["refused"] = "RuntimeCapability"): Refusal => {
  return { refused, why };
};

/** Where a device is had from; tests have ones that fail. */
export type FindAdapter = () => Promise<GPUAdapter | null>;

/** The machine's first adapter, or null; a driver that cannot be asked counts as none. */
const firstAdapter: FindAdapter = async () => {
  try {
    return await navigator.gpu?.requestAdapter() ?? null;
  } catch {
    return null;
  }
};

export class Gpu {
  /** How often the host waited for the device to give bytes back. */
  readbacks = 0;
  readonly memory: DeviceMemory;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  /** constants that no readback has confirmed yet */
  readonly #unseen = new Map<GPUBuffer, Uint8Array>();
  #confirmed: Promise<Refusal | null> = Promise.resolve(null);
  #lost: string | null = null;

  private constructor(readonly device: GPUDevice, readonly limits: Limits, software: boolean) {
    this.memory = new DeviceMemory(device, software);
    device.lost.then(({ message }) => this.#lost ??= `the device was lost: ${message}`);
    // what no scope of ours caught: nothing that follows can be believed
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      this.#lost ??= `the device: ${(event as GPUUncapturedErrorEvent).error.message.trim()}`;
    });
  }

  /** Opens the first adapter; refused where there is none. */
  static async open(
    most: Partial<Limits> = {},
    findAdapter = firstAdapter,
  ): Promise<Gpu | Refusal> {
    const adapter = await findAdapter();
    if (!adapter) return refuse("no WebGPU adapter");
    const limits = {
      storage: Math.min(
        most.storage ?? Infinity,
        adapter.limits.maxStorageBufferBindingSize,
        adapter.limits.maxBufferSize,
      ),
      groups: Math.min(most.groups ?? Infinity, adapter.limits.maxComputeWorkgroupsPerDimension),
    };
    try {
      const device = await adapter.requestDevice({
        requiredLimits: {
          maxStorageBufferBindingSize: limits.storage,
          maxBufferSize: limits.storage,
        },
      });
      return new Gpu(device, limits, adapter.info.isFallbackAdapter);
    } catch (error) {
      return refuse(`no WebGPU device: ${(error as Error).message}`);
    }
  }

  /** Why nothing can be run any more, or null. */
  get lost(): Refusal | null {
    return this.#lost === null ? null : refuse(this.#lost);
  }

  /** Ends the device, and with it all that is on it. */
  close(): void {
    this.#lost ??= "the device was closed";
    this.memory.close();
    this.device.destroy();
  }

  pipeline(code: string): GPUComputePipeline {
    const there = this.#pipelines.get(code);
    if (there) return there;
    const made = asked(() =>
      this.device.createComputePipeline({
        layout: "auto",
        compute: { module: this.device.createShaderModule({ code }), entryPoint: "main" },
      })
    );
    this.#pipelines.set(code, made);
    return made;
  }

  /** Room for `bytes`, rounded up to whole words: zeros that shaders and copies may use. */
  buffer(bytes: number): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.memory.make(Math.max(16, bytes), STORAGE | COPY_SRC | COPY_DST);
  }

  /** A buffer through which at most `bytes` come back at a time. */
  staging(bytes: number): GPUBuffer {
    return this.memory.make(bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  }

  free(buffer: GPUBuffer): void {
    this.#unseen.delete(buffer);
    this.memory.free(buffer);
  }

  write(buffer: GPUBuffer, values: Float32Array | Uint32Array | Uint8Array, offset = 0): void {
    asked(() => this.device.queue.writeBuffer(buffer, offset, values as BufferSource));
  }

  /** A buffer with these words, for `confirm` to look at. */
  upload(values: Float32Array | Uint32Array): GPUBuffer {
    return this.#constant(this.buffer(values.byteLength), values);
  }

  /** The same as parameters of a kernel. */
  uniform(words: readonly number[]): GPUBuffer {
    const { UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const made = this.memory.make(4 * words.length, UNIFORM | COPY_SRC | COPY_DST);
    return this.#constant(made, new Uint32Array(words));
  }

  #constant(buffer: GPUBuffer, values: Float32Array | Uint32Array): GPUBuffer {
    this.write(buffer, values);
    this.#unseen.set(buffer, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return buffer;
  }

  /**
   * Reads back all constants since the last time, in one go: refused, then and ever after, where one
   * is not what was written. @throws Unserved as `read`
   */
  confirm(): Promise<Refusal | null> {
    return this.#confirmed = this.#confirmed.then((wrong) => wrong ?? this.#confirmUnseen());
  }

  async #confirmUnseen(): Promise<Refusal | null> {
    const unseen = [...this.#unseen];
    this.#unseen.clear();
    const bytes = unseen.reduce((sum, [, { length }]) => sum + length, 0);
    if (bytes === 0) return null;
    const staging = this.staging(bytes);
    try {
      const copyAll = (encoder: GPUCommandEncoder) => {
        let at = 0;
        for (const [buffer, { length }] of unseen) {
          encoder.copyBufferToBuffer(buffer, 0, staging, at, length);
          at += length;
        }
      };
      return await this.#mapped(staging, bytes, copyAll, (there) => {
        let at = 0;
        for (const [, words] of unseen) {
          const wrong = differsAt(new Uint8Array(there, at), words);
          if (wrong !== null) return refuse(`the device changed byte ${wrong} of a constant`);
          at += words.length;
        }
        return null;
      });
    } finally {
      this.free(staging);
    }
  }

  /** Runs `make`, whose allocations may fail: the refusal comes later. What it throws passes through. */
  guarded<T>(make: () => T): { made: T; refusal: Promise<Refusal | null> } {
    asked(() => this.device.pushErrorScope("out-of-memory"));
    asked(() => this.device.pushErrorScope("validation"));
    const answer = () =>
      Promise.all([this.#popped(), this.#popped()]).then(([invalid, noRoom]) => {
        if (this.lost) return this.lost;
        if (noRoom) return refuse(noRoom.message.trim(), "ResourceLimit");
        return invalid && refuse(invalid.message.trim());
      }, () => this.lost ?? refuse("the device does not answer"));
    try {
      return { made: make(), refusal: answer() };
    } catch (error) {
      void answer();
      throw error;
    }
  }

  async #popped(): Promise<GPUError | null> {
    return await this.device.popErrorScope();
  }

  /** Groups for so many of one axis, over as many rows of groups as need be. */
  spread(items: number): [number, number] {
    const rows = Math.ceil(items / this.limits.groups);
    return [Math.ceil(items / rows), rows];
  }

  bind(code: string, buffers: readonly (readonly [binding: number, buffer: GPUBuffer])[]) {
    const pipeline = this.pipeline(code);
    const entries = buffers.map(([binding, buffer]) => ({ binding, resource: { buffer } }));
    const bindings = asked(() =>
      this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries })
    );
    return { pipeline, bindings };
  }

  /** @throws Unserved where the device is gone */
  submit(encode: (encoder: GPUCommandEncoder) => void): void {
    if (this.lost) throw new Unserved(this.lost);
    asked(() => {
      const encoder = this.device.createCommandEncoder();
      encode(encoder);
      this.device.queue.submit([encoder.finish()]);
    });
  }

  /** What stands in a buffer. @throws Unserved where the device is gone, or goes meanwhile */
  async read(buffer: GPUBuffer, offset: number, bytes: number): Promise<ArrayBuffer> {
    const staging = this.staging(bytes);
    try {
      return await this.look(staging, buffer, offset, (there) => there.slice(0, bytes));
    } finally {
      this.free(staging);
    }
  }

  /**
   * Copies as much of a buffer into `staging` as fits, and lets `use` look at it: the bytes are
   * gone after that. @throws Unserved as `read`
   */
  look<T>(
    staging: GPUBuffer,
    buffer: GPUBuffer,
    offset: number,
    use: (there: ArrayBuffer) => T,
  ): Promise<T> {
    const size = Math.min(staging.size, buffer.size - offset);
    const copy = (encoder: GPUCommandEncoder) =>
      encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
    return this.#mapped(staging, size, copy, use);
  }

  async #mapped<T>(
    staging: GPUBuffer,
    size: number,
    copy: (encoder: GPUCommandEncoder) => void,
    use: (there: ArrayBuffer) => T,
  ): Promise<T> {
    try {
      this.submit(copy);
      this.readbacks++;
      await staging.mapAsync(GPUMapMode.READ, 0, size);
    } catch (error) {
      if (error instanceof Unserved) throw error;
      throw new Unserved(this.lost ?? refuse(`no answer: ${(error as Error).message}`));
    }
    try {
      if (this.lost) throw new Unserved(this.lost);
      return use(asked(() => staging.getMappedRange(0, size)));
    } finally {
      staging.unmap();
    }
  }
}

/** The first byte in which what came back differs from what was sent, a whole number of words. */
export function differsAt(back: Uint8Array, sent: Uint8Array): number | null {
  const got = new Uint32Array(back.buffer, back.byteOffset, sent.length / 4);
  const words = new Uint32Array(sent.buffer, sent.byteOffset, got.length);
  for (let i = 0; i < words.length; i++) {
    if (got[i] === words[i]) continue;
    return 4 * i + [0, 1, 2, 3].findIndex((j) => back[4 * i + j] !== sent[4 * i + j]);
  }
  return null;
}
