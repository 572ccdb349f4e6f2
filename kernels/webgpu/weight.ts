/** Weights on the device, in the bytes of the file, each byte read back and compared. */
import { type Fill, type MatrixSpec, type Refusal, Unserved, type Weight } from "../backend.ts";
import { LAYOUTS, storedBytes } from "../quant/format.ts";
import type { Dispatch, Gpu } from "./device.ts";
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
  /** by part and number of inputs */
  readonly #uniforms = new Map<string, GPUBuffer>();

  constructor(
    readonly spec: MatrixSpec,
    readonly parts: readonly WeightPart[],
    readonly scales: GPUBuffer | null,
  ) {}

  /** The dispatches that multiply `count` inputs at `x`, [count, columns], into `y`, [count, rows]. */
  multiply(gpu: Gpu, x: GPUBuffer, y: GPUBuffer, count = 1): Dispatch[] {
    const { format, columns } = this.spec;
    const vectors = format === "f32" && columns % 4 === 0;
    const [one, tile] = vectors ? [denseOne, denseTile] : [multiplyOne(format), multiply(format)];
    return this.parts.map((part): Dispatch => {
      const bound = gpu.bind(count === 1 ? one : tile, [
        [0, this.#uniform(gpu, part, count)],
        [1, part.buffer],
        [2, x],
        [3, y],
        ...this.#scales(),
      ]);
      if (count > 1 && vectors) {
        const groups = (items: number) => Math.ceil(items / (8 * TILE));
        return { ...bound, groups: [groups(part.rows), groups(count), 1] };
      }
      const [across, down] = gpu.spread(Math.ceil(part.rows / THREADS));
      return { ...bound, groups: [across, down, count === 1 ? 1 : Math.ceil(count / 4)] };
    });
  }

  /** The dispatches that put row `tokens[position]` into `y`. */
  row(gpu: Gpu, tokens: GPUBuffer, position: GPUBuffer, y: GPUBuffer): Dispatch[] {
    const groups = [...gpu.spread(Math.ceil(this.spec.columns / THREADS)), 1] as const;
    return this.parts.map((part) => ({
      ...gpu.bind(row(this.spec.format), [
        [0, this.#uniform(gpu, part, 1)],
        [1, part.buffer],
        [2, tokens],
        [3, y],
        [5, position],
        ...this.#scales(),
      ]),
      groups,
    }));
  }

  #scales(): [number, GPUBuffer][] {
    return this.scales ? [[4, this.scales]] : [];
  }

  /** The fields of `Part` in shaders.ts. */
  #uniform(gpu: Gpu, { rows, first }: WeightPart, count: number): GPUBuffer {
    const key = `${first} ${count}`, there = this.#uniforms.get(key);
    if (there) return there;
    const { columns, tail, format, rows: all } = this.spec, { elements } = LAYOUTS[format];
    const lanes = tail === "row" ? Math.ceil(columns / elements) * elements : columns;
    const made = gpu.uniform([rows, columns, lanes, first, all, count, 0, 0]);
    this.#uniforms.set(key, made);
    return made;
  }

  close(): void {
    for (const { buffer } of this.parts) buffer.destroy();
    for (const buffer of this.#uniforms.values()) buffer.destroy();
    this.scales?.destroy();
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
  const keep = (buffer: GPUBuffer) => made.adopt(buffer, () => buffer.destroy());
  using onTheWay = new Window(gpu, Math.min(WINDOW, storedBytes(spec) + (scales?.byteLength ?? 0)));
  const parts: WeightPart[] = [];
  let offset = 0;
  for (let first = 0; first < spec.rows; first += most) {
    const rows = Math.min(most, spec.rows - first), size = storedBytes({ ...spec, rows });
    const { made: buffer, refusal } = gpu.guarded(() => gpu.buffer(size));
    const refused = await refusal;
    if (refused) return refused;
    parts.push({ buffer: keep(buffer), first, rows });
    const start = offset;
    const wrong = await onTheWay.send(buffer, size, (into, at) => fill(into, start + at));
    if (wrong) return wrong;
    offset += size;
  }
  const beside = scales ? keep(gpu.buffer(scales.byteLength)) : null;
  if (beside && scales) {
    const bytes = new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength);
    const wrong = await onTheWay.send(beside, bytes.length, (into, at) => {
      into.set(bytes.subarray(at, at + into.length));
    });
    if (wrong) return wrong;
  }
  made.move();
  return new GpuWeight(spec, parts, beside);
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

  /** Fills a buffer's first `size` bytes; refused where one comes back changed. */
  async send(buffer: GPUBuffer, size: number, fill: Fill): Promise<Refusal | null> {
    const window = this.#there.length;
    for (let at = 0; at < size; at += window) {
      const length = Math.min(window, size - at), sent = this.#there.subarray(0, length);
      fill(sent, at);
      // the device takes whole words: those of the last one that are no payload are zero
      const words = this.#there.subarray(0, Math.ceil(length / 4) * 4).fill(0, length);
      try {
        this.gpu.write(buffer, words, at);
        const wrong = await this.gpu.look(this.#back, buffer, at, (back) => differsAt(back, words));
        if (wrong !== null) {
          const why = `the device changed byte ${at + wrong} of a weight`;
          return { refused: "RuntimeCapability", why };
        }
      } catch (error) {
        if (error instanceof Unserved) return error.refusal;
        throw error;
      }
    }
    return null;
  }

  [Symbol.dispose](): void {
    this.#back.destroy();
  }
}

/** The first byte of a whole number of words in which they differ, or null. */
function differsAt(back: ArrayBuffer, sent: Uint8Array): number | null {
  const got = new Uint32Array(back, 0, sent.length / 4);
  const words = new Uint32Array(sent.buffer, sent.byteOffset, got.length);
  for (let i = 0; i < words.length; i++) {
    if (got[i] === words[i]) continue;
    const bytes = new Uint8Array(back, 4 * i, 4);
    return 4 * i + bytes.findIndex((byte, j) => byte !== sent[4 * i + j]);
  }
  return null;
}
