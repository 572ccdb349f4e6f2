/** Weights on the device, in the bytes of the file, each byte read back and compared. */
import { type Fill, type MatrixSpec, type Refusal, Unserved, type Weight } from "../backend.ts";
import { LAYOUTS, storedBytes } from "../quant/format.ts";
import type { Dispatch, Gpu } from "./device.ts";
import { denseOne, denseTile, multiply, multiplyOne, row, THREADS, TILE } from "./shaders.ts";

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
  const parts: WeightPart[] = [];
  let offset = 0;
  for (let first = 0; first < spec.rows; first += most) {
    const rows = Math.min(most, spec.rows - first), size = storedBytes({ ...spec, rows });
    const { made: buffer, refusal } = gpu.guarded(() => gpu.buffer(size));
    const refused = await refusal;
    if (refused) return refused;
    parts.push({ buffer: keep(buffer), first, rows });
    for (let at = 0; at < size; at += WINDOW) {
      const bytes = new Uint8Array(Math.min(WINDOW, size - at));
      fill(bytes, offset + at);
      const differs = await writeAndCompare(gpu, buffer, at, bytes);
      if (differs) return differs;
    }
    offset += size;
  }
  const beside = scales ? keep(gpu.upload(scales)) : null;
  if (beside && scales) {
    const bytes = new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength);
    const differs = await writeAndCompare(gpu, beside, 0, bytes);
    if (differs) return differs;
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

/** Writes bytes, reads them back, and refuses where any differs. */
async function writeAndCompare(
  gpu: Gpu,
  buffer: GPUBuffer,
  at: number,
  bytes: Uint8Array,
): Promise<Refusal | null> {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  try {
    gpu.write(buffer, whole, at);
    const back = new Uint8Array(await gpu.read(buffer, at, whole.length));
    const wrong = back.findIndex((byte, i) => byte !== whole[i]);
    if (wrong < 0) return null;
    return {
      refused: "RuntimeCapability",
      why: `the device changed byte ${at + wrong} of a weight`,
    };
  } catch (error) {
    if (error instanceof Unserved) return error.refusal;
    throw error;
  }
}
