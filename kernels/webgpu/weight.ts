/** Weights on the device, in the bytes of the file, each byte read back and compared. */
import { type Fill, type MatrixSpec, type Refusal, Unserved, type Weight } from "../backend.ts";
import { LAYOUTS, storedBytes } from "../quant/format.ts";
import { differsAt, type Gpu } from "./device.ts";
import type { Dispatch } from "./pass.ts";
import { THREADS } from "./shaders_common.ts";
import { denseOne, denseTile, multiply, multiplyOne, row, TILE } from "./shaders_products.ts";

/** Bytes that are on the host at a time, on their way. */
const WINDOW = 1 << 20;

/** Rows of a weight that fit one storage buffer. */
interface WeightPart {
  readonly buffer: GPUBuffer;
  /** the first of its rows */
  readonly first: number;
  readonly rows: number;
}

export class GpuWeight implements Weight {
  readonly #uniforms = new Map<WeightPart, GPUBuffer>();

  constructor(
    readonly gpu: Gpu,
    readonly spec: MatrixSpec,
    readonly parts: readonly WeightPart[],
    readonly scales: GPUBuffer | null,
  ) {}

  /** The dispatches that multiply one x, [columns], into `y`, [rows]. */
  multiply(x: GPUBuffer, y: GPUBuffer): Dispatch[] {
    const { format } = this.spec, code = this.#vectors ? denseOne : multiplyOne(format);
    return this.parts.map((part) => {
      const groups = [...this.gpu.spread(Math.ceil(part.rows / THREADS)), 1] as const;
      return { ...this.#bound(code, part, [[2, x], [3, y]]), groups: () => groups };
    });
  }

  /** The dispatches that multiply each x of a span, [tokens, columns], into `y`, [tokens, rows]. */
  multiplyAll(x: GPUBuffer, y: GPUBuffer, span: GPUBuffer): Dispatch[] {
    const { format } = this.spec, tiled = this.#vectors;
    return this.parts.map((part): Dispatch => {
      const buffers = [[2, x], [3, y], [5, span]] as const;
      const bound = this.#bound(tiled ? denseTile : multiply(format), part, buffers);
      const tiles = (items: number) => Math.ceil(items / (8 * TILE));
      const [across, down] = this.gpu.spread(Math.ceil(part.rows / THREADS));
      return {
        ...bound,
        groups: (tokens) =>
          tiled ? [tiles(part.rows), tiles(tokens), 1] : [across, down, Math.ceil(tokens / 4)],
      };
    });
  }

  /** The dispatches that put the row of each token of a span into `y`. */
  row(tokens: GPUBuffer, span: GPUBuffer, y: GPUBuffer): Dispatch[] {
    const [across, down] = this.gpu.spread(Math.ceil(this.spec.columns / THREADS));
    return this.parts.map((part) => ({
      ...this.#bound(row(this.spec.format), part, [[2, tokens], [3, y], [5, span]]),
      groups: (count) => [across, down, count],
    }));
  }

  get #vectors(): boolean {
    return this.spec.format === "f32" && this.spec.columns % 4 === 0;
  }

  #bound(code: string, part: WeightPart, others: readonly (readonly [number, GPUBuffer])[]) {
    return this.gpu.bind(code, [
      [0, this.#uniform(part)],
      [1, part.buffer],
      ...others,
      ...this.scales ? [[4, this.scales]] as const : [],
    ]);
  }

  /** The fields of `Part` in shaders_products.ts. */
  #uniform(part: WeightPart): GPUBuffer {
    const there = this.#uniforms.get(part);
    if (there) return there;
    const { columns, tail, format, rows: all } = this.spec, { elements } = LAYOUTS[format];
    const lanes = tail === "row" ? Math.ceil(columns / elements) * elements : columns;
    const made = this.gpu.uniform([part.rows, columns, lanes, part.first, all, 0, 0, 0]);
    this.#uniforms.set(part, made);
    return made;
  }

  close(): void {
    for (const { buffer } of this.parts) this.gpu.free(buffer);
    for (const buffer of this.#uniforms.values()) this.gpu.free(buffer);
    if (this.scales) this.gpu.free(this.scales);
  }
}

/** The weight as one of this backend's; another backend's is a bug. */
export function gpuWeight(weight: Weight): GpuWeight {
  if (!(weight instanceof GpuWeight)) throw new TypeError("a weight of another backend");
  return weight;
}

/**
 * Takes a weight over, in parts where it is larger than a storage buffer may be. Refused where a
 * row is, where the device has no room, and where what it holds is not what it was given. What
 * `fill` throws passes through, and nothing stays on the device then.
 */
export async function loadWeight(
  gpu: Gpu,
  spec: MatrixSpec,
  fill: Fill,
  scales?: Float32Array,
): Promise<GpuWeight | Refusal> {
  if (spec.format === "q8-row" && scales?.length !== spec.rows) {
    throw new RangeError(`q8-row takes ${spec.rows} scales`);
  }
  const most = rowsOfPart(gpu, spec);
  if (most === 0) {
    return { refused: "ResourceLimit", why: `rows larger than ${gpu.limits.storage} bytes` };
  }
  using made = new DisposableStack();
  const keep = (buffer: GPUBuffer) => made.adopt(buffer, () => gpu.free(buffer));
  try {
    using onTheWay = new Window(gpu, Math.min(WINDOW, storedBytes(spec)));
    const parts: WeightPart[] = [];
    let offset = 0;
    for (let first = 0; first < spec.rows; first += most) {
      const rows = Math.min(most, spec.rows - first), size = storedBytes({ ...spec, rows });
      const buffer = keep(await room(gpu, size)), start = offset;
      parts.push({ buffer, first, rows });
      await onTheWay.send(buffer, size, (into, at) => fill(into, start + at));
      offset += size;
    }
    const beside = scales ? keep(await room(gpu, scales.byteLength)) : null;
    if (beside && scales) {
      const bytes = new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength);
      await onTheWay.send(beside, bytes.length, (into, at) => {
        into.set(bytes.subarray(at, at + into.length));
      });
    }
    made.move();
    return new GpuWeight(gpu, spec, parts, beside);
  } catch (error) {
    if (error instanceof Unserved) return error.refusal;
    throw error;
  }
}

/** A buffer that the device has answered for. @throws Unserved */
async function room(gpu: Gpu, bytes: number): Promise<GPUBuffer> {
  const { made, refusal } = gpu.guarded(() => gpu.buffer(bytes));
  const refused = await refusal;
  if (refused === null) return made;
  gpu.free(made);
  throw new Unserved(refused);
}

/** How many rows one buffer takes: so many that after them a block begins; 0 where none fit. */
function rowsOfPart(gpu: Gpu, spec: MatrixSpec): number {
  if (storedBytes(spec) <= gpu.limits.storage) return spec.rows;
  const { elements } = LAYOUTS[spec.format];
  let step = 1;
  if (spec.tail !== "row") { while (step * spec.columns % elements !== 0) step++; }
  return Math.floor(gpu.limits.storage / storedBytes({ ...spec, rows: step })) * step;
}

/** The window of host memory through which bytes go to the device, and that through which they return. */
class Window {
  readonly #there: Uint8Array;
  readonly #back: GPUBuffer;

  constructor(readonly gpu: Gpu, size: number) {
    const words = Math.max(16, Math.ceil(size / 4) * 4);
    this.#there = new Uint8Array(words);
    this.#back = gpu.staging(words);
  }

  /** Fills a buffer's first `size` bytes. @throws Unserved where one comes back changed */
  async send(buffer: GPUBuffer, size: number, fill: Fill): Promise<void> {
    const window = this.#there.length;
    for (let at = 0; at < size; at += window) {
      const length = Math.min(window, size - at), sent = this.#there.subarray(0, length);
      fill(sent, at);
      // the device takes whole words: those of the last one that are no payload are zero
      const words = this.#there.subarray(0, Math.ceil(length / 4) * 4).fill(0, length);
      this.gpu.write(buffer, words, at);
      const wrong = await this.gpu.look(this.#back, buffer, at, (back) => {
        return differsAt(new Uint8Array(back), words);
      });
      if (wrong !== null) {
        const why = `the device changed byte ${at + wrong} of a weight`;
        throw new Unserved({ refused: "RuntimeCapability", why });
      }
    }
  }

  [Symbol.dispose](): void {
    this.gpu.free(this.#back);
  }
}
