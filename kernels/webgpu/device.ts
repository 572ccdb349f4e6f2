/** One GPU device: its limits, its pipelines, and the way bytes go there and back. */
import { type Refusal, Unserved } from "../backend.ts";

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

/** A pipeline and what is bound to it, for one dispatch. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindings: GPUBindGroup;
  readonly groups: readonly [x: number, y: number, z: number];
}

export class Gpu {
  /** How often the host waited for the device to give bytes back. */
  readbacks = 0;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  #lost: string | null = null;

  private constructor(readonly device: GPUDevice, readonly limits: Limits) {
    device.lost.then(({ message }) => this.#lost ??= `the device was lost: ${message}`);
  }

  /** Opens the first adapter; refused where there is none. */
  static async open(most: Partial<Limits> = {}): Promise<Gpu | Refusal> {
    const adapter = await requestAdapter();
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
      return new Gpu(device, limits);
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
    this.device.destroy();
  }

  pipeline(code: string): GPUComputePipeline {
    const there = this.#pipelines.get(code);
    if (there) return there;
    const module = this.device.createShaderModule({ code });
    const made = this.device.createComputePipeline({
      layout: "auto",
      compute: { module, entryPoint: "main" },
    });
    this.#pipelines.set(code, made);
    return made;
  }

  /** Room for `bytes`, rounded up to whole words: zeros that shaders and copies may use. */
  buffer(bytes: number): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const size = Math.max(16, Math.ceil(bytes / 4) * 4);
    return this.device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
  }

  /** A buffer with these words. */
  upload(values: Float32Array | Uint32Array): GPUBuffer {
    const made = this.buffer(values.byteLength);
    this.write(made, values);
    return made;
  }

  write(buffer: GPUBuffer, values: Float32Array | Uint32Array | Uint8Array, offset = 0): void {
    this.device.queue.writeBuffer(buffer, offset, values as BufferSource);
  }

  uniform(words: readonly number[]): GPUBuffer {
    const { UNIFORM, COPY_DST } = GPUBufferUsage;
    const made = this.device.createBuffer({ size: 4 * words.length, usage: UNIFORM | COPY_DST });
    this.write(made, new Uint32Array(words));
    return made;
  }

  /** Runs `make`, whose allocations may fail: the refusal comes later. */
  guarded<T>(make: () => T): { made: T; refusal: Promise<Refusal | null> } {
    this.device.pushErrorScope("out-of-memory");
    this.device.pushErrorScope("validation");
    const made = make();
    const validation = this.device.popErrorScope(), memory = this.device.popErrorScope();
    const refusal = Promise.all([validation, memory]).then((errors) => {
      const error = errors.find((one) => one !== null);
      return this.lost ?? (error ? refuse(error.message, "ResourceLimit") : null);
    }, () => this.lost ?? refuse("the device does not answer"));
    return { made, refusal };
  }

  /** A dispatch of `threads` of a kernel over single elements, over as many rows of groups as need be. */
  spread(items: number): [number, number] {
    const rows = Math.ceil(items / this.limits.groups);
    return [Math.ceil(items / rows), rows];
  }

  bind(code: string, buffers: readonly (readonly [binding: number, buffer: GPUBuffer])[]) {
    const pipeline = this.pipeline(code);
    const entries = buffers.map(([binding, buffer]) => ({ binding, resource: { buffer } }));
    const layout = pipeline.getBindGroupLayout(0);
    return { pipeline, bindings: this.device.createBindGroup({ layout, entries }) };
  }

  /** @throws Unserved where the device is gone */
  submit(encode: (encoder: GPUCommandEncoder) => void): void {
    if (this.lost) throw new Unserved(this.lost);
    const encoder = this.device.createCommandEncoder();
    encode(encoder);
    this.device.queue.submit([encoder.finish()]);
  }

  /** What stands in a buffer. @throws Unserved where the device is gone, or goes meanwhile */
  async read(buffer: GPUBuffer, offset: number, bytes: number): Promise<ArrayBuffer> {
    const staging = this.staging(bytes);
    try {
      return await this.look(staging, buffer, offset, (there) => there.slice(0, bytes));
    } finally {
      staging.destroy();
    }
  }

  /** A buffer through which at most `bytes` come back at a time. */
  staging(bytes: number): GPUBuffer {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    return this.device.createBuffer({ size: Math.ceil(bytes / 4) * 4, usage: MAP_READ | COPY_DST });
  }

  /**
   * Copies as much of a buffer into `staging` as fits, and lets `use` look at it: the bytes are
   * gone after that. @throws Unserved as `read`
   */
  async look<T>(
    staging: GPUBuffer,
    buffer: GPUBuffer,
    offset: number,
    use: (there: ArrayBuffer) => T,
  ): Promise<T> {
    const size = Math.min(staging.size, buffer.size - offset);
    try {
      this.submit((encoder) => encoder.copyBufferToBuffer(buffer, offset, staging, 0, size));
      this.readbacks++;
      await staging.mapAsync(GPUMapMode.READ, 0, size);
    } catch (error) {
      if (error instanceof Unserved) throw error;
      throw new Unserved(this.lost ?? refuse(`no answer: ${(error as Error).message}`));
    }
    try {
      return use(staging.getMappedRange(0, size));
    } finally {
      staging.unmap();
    }
  }
}

/** Encodes dispatches into one pass, in order: each sees what those before it wrote. */
export function encodePass(encoder: GPUCommandEncoder, dispatches: Iterable<Dispatch>): void {
  const pass = encoder.beginComputePass();
  for (const { pipeline, bindings, groups } of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(...groups);
  }
  pass.end();
}

/** The machine's first adapter, or null; a driver that cannot be asked counts as none. */
async function requestAdapter(): Promise<GPUAdapter | null> {
  try {
    return await navigator.gpu?.requestAdapter() ?? null;
  } catch {
    return null;
  }
}
