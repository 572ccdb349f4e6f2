/** The buffers of one device: what is alive, in bytes, and the most that ever was. */
import { type Refusal, Unserved } from "../backend.ts";

/** Every buffer is made and freed here, so that none is forgotten and the bytes are known. */
export class DeviceMemory {
  readonly #alive = new Set<GPUBuffer>();
  #bytes = 0;
  #peak = 0;

  /** @param inProcess whether these bytes lie in this process, as a software adapter's do */
  constructor(readonly device: GPUDevice, readonly inProcess: boolean) {}

  /** Bytes of all buffers that are alive. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The largest that `bytes` ever was. */
  get peak(): number {
    return this.#peak;
  }

  /** A buffer of `bytes`, at least one word and whole words. @throws Unserved where there is no room */
  make(bytes: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const size = Math.max(4, Math.ceil(bytes / 4) * 4);
    const made = asked(() => this.device.createBuffer({ size, usage }), "ResourceLimit");
    this.#alive.add(made);
    this.#bytes += made.size;
    this.#peak = Math.max(this.#peak, this.#bytes);
    return made;
  }

  /** Frees a buffer; a second time does nothing. */
  free(buffer: GPUBuffer): void {
    if (!this.#alive.delete(buffer)) return;
    this.#bytes -= buffer.size;
    buffer.destroy();
  }

  close(): void {
    for (const buffer of [...this.#alive]) this.free(buffer);
  }
}

/** A call of the device; what it throws means that it does not serve. @throws Unserved */
export function asked<T>(call: () => T, refused: Refusal["refused"] = "RuntimeCapability"): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof Unserved) throw error;
    throw new Unserved({ refused, why: `the device: ${(error as Error).message}` });
  }
}
