/** For tests: the machine's adapter with one fault in it, which counts what is made and freed. */
import type { FindAdapter } from "./device.ts";

/** What may go wrong, each at a call of its own kind. */
export const FAULTS = [
  "no adapter",
  "no device",
  "a buffer cannot be made",
  "the device is out of memory",
  "a write fails",
  "a write changes a byte",
  "a submission fails",
  "a readback fails",
  "a readback differs by one byte",
  "a readback is no number",
  "a shader does not compile",
  "a pipeline cannot be made",
  "the device is lost",
] as const;
export type Fault = typeof FAULTS[number];

/** One fault at its call number `at`, from 1 on; later calls are well. */
export interface Plan {
  readonly fault: Fault | null;
  readonly at: number;
}

export class FaultyMachine {
  /** calls so far at which each fault could strike */
  readonly calls = new Map<Fault, number>();
  /** whether the fault struck */
  struck = false;
  readonly made = { devices: 0, buffers: 0 };
  readonly freed = { devices: 0, buffers: 0 };

  #devices: GPUDevice[] = [];

  constructor(readonly plan: Plan = { fault: null, at: 0 }) {}

  /** Takes all devices away, as a driver does that is reset. */
  async lose(): Promise<void> {
    for (const device of this.#devices) own(device).destroy();
    await Promise.all(this.#devices.map(({ lost }) => lost));
  }

  readonly find: FindAdapter = async () => {
    if (this.#strikes("no adapter")) return null;
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) return null;
    const request = adapter.requestDevice.bind(adapter);
    return replaced(adapter, {
      requestDevice: async (wanted?: GPUDeviceDescriptor) => {
        if (this.#strikes("no device")) throw new TypeError("no device");
        this.made.devices++;
        return this.#device(await request(wanted));
      },
    });
  };

  /** Whether the fault strikes at this call of its kind. */
  #strikes(fault: Fault): boolean {
    const calls = (this.calls.get(fault) ?? 0) + 1;
    this.calls.set(fault, calls);
    const strikes = this.plan.fault === fault && this.plan.at === calls;
    this.struck ||= strikes;
    return strikes;
  }

  #fails(fault: Fault): void {
    if (this.#strikes(fault)) throw new TypeError(fault);
  }

  #device(device: GPUDevice): GPUDevice {
    this.#devices.push(device);
    const { queue } = device, real = own(device), sent = own(queue);
    const here = () => {
      if (this.#strikes("the device is lost")) real.destroy();
    };
    const scopes: GPUErrorFilter[] = [];
    let gone = false;
    replaced(queue, {
      writeBuffer: (buffer: GPUBuffer, offset: number, data: ArrayBufferView<ArrayBuffer>) => {
        here();
        this.#fails("a write fails");
        if (!this.#strikes("a write changes a byte")) return sent.writeBuffer(buffer, offset, data);
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
        bytes[bytes.length - 1] ^= 1;
        sent.writeBuffer(buffer, offset, bytes);
      },
      submit: (buffers: GPUCommandBuffer[]) => {
        here();
        this.#fails("a submission fails");
        sent.submit(buffers);
      },
    });
    return replaced(device, {
      createBuffer: (wanted: GPUBufferDescriptor) => {
        here();
        this.#fails("a buffer cannot be made");
        this.made.buffers++;
        return this.#buffer(real.createBuffer(wanted));
      },
      createShaderModule: ({ code }: GPUShaderModuleDescriptor) =>
        real.createShaderModule({
          code: this.#strikes("a shader does not compile") ? `${code} no WGSL` : code,
        }),
      createComputePipeline: (wanted: GPUComputePipelineDescriptor) => {
        here();
        this.#fails("a pipeline cannot be made");
        return real.createComputePipeline(wanted);
      },
      pushErrorScope: (filter: GPUErrorFilter) => {
        scopes.push(filter);
        real.pushErrorScope(filter);
      },
      popErrorScope: () => {
        const noRoom = scopes.pop() === "out-of-memory" &&
          this.#strikes("the device is out of memory");
        const error = real.popErrorScope();
        return noRoom ? error.then(() => ({ message: "no room" })) : error;
      },
      destroy: () => {
        if (!gone) this.freed.devices++;
        gone = true;
        real.destroy();
      },
    });
  }

  #buffer(buffer: GPUBuffer): GPUBuffer {
    const real = own(buffer);
    let gone = false;
    return replaced(buffer, {
      mapAsync: (mode: number, offset: number, size: number) => {
        if (this.#strikes("a readback fails")) return Promise.reject(new TypeError("no readback"));
        return real.mapAsync(mode, offset, size);
      },
      getMappedRange: (offset: number, size: number) => {
        const there = real.getMappedRange(offset, size);
        const bytes = new Uint8Array(there);
        if (this.#strikes("a readback differs by one byte")) bytes[size - 1] ^= 1;
        if (this.#strikes("a readback is no number")) bytes.fill(0xff, size - 4, size);
        return there;
      },
      destroy: () => {
        if (!gone) this.freed.buffers++;
        gone = true;
        real.destroy();
      },
    });
  }
}

/** The engine's own methods of an object, whatever stands in their place on it. */
function own<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(Object.getPrototypeOf(object), name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

/** The object itself, with methods in the place of the engine's: the engine takes no stand-in. */
function replaced<T extends object>(target: T, methods: Readonly<Record<string, unknown>>): T {
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(target, name, { value, configurable: true });
  }
  return target;
}
