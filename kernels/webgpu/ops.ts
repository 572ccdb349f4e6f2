/** The single operations on arrays of the host: up, one dispatch or a few, and back. */
import {
  type AttentionShape,
  type LlamaShape,
  type Ops,
  Unserved,
  type Weight,
} from "../backend.ts";
import { ropeTurns } from "../rope.ts";
import type { Gpu } from "./device.ts";
import { type Dispatch, encodePass } from "./pass.ts";
import * as shaders from "./shaders.ts";
import { THREADS } from "./shaders_common.ts";
import { gpuWeight } from "./weight.ts";

/** Buffers of one operation, freed with it. */
class Scratch {
  readonly #made: GPUBuffer[] = [];
  constructor(readonly gpu: Gpu) {}

  keep(buffer: GPUBuffer): GPUBuffer {
    this.#made.push(buffer);
    return buffer;
  }

  put(values: Float32Array | Uint32Array): GPUBuffer {
    return this.keep(this.exact(values.length, values));
  }

  room(count: number): GPUBuffer {
    return this.keep(this.exact(count));
  }

  /** A buffer of exactly so many words: kernels over single elements ask for its length. */
  exact(count: number, values?: Float32Array | Uint32Array): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const made = this.gpu.memory.make(4 * count, STORAGE | COPY_SRC | COPY_DST);
    if (values) this.gpu.write(made, values);
    return made;
  }

  /** The first position of a span, and how many tokens it has. */
  span(position: number, tokens = 1): GPUBuffer {
    return this.put(new Uint32Array([position, tokens]));
  }

  close(): void {
    for (const buffer of this.#made) this.gpu.free(buffer);
  }
}

/** All operations over one device. */
export function operations(gpu: Gpu): Ops {
  /** Runs what `make` says, and gives the first `count` floats of the buffer that it names. */
  async function run(
    count: number,
    make: (scratch: Scratch) => { dispatches: readonly Dispatch[]; result: GPUBuffer },
    tokens = 1,
  ): Promise<Float32Array> {
    const scratch = new Scratch(gpu);
    try {
      const { made: { dispatches, result }, refusal } = gpu.guarded(() => make(scratch));
      gpu.submit((encoder) => encodePass(encoder, dispatches, tokens));
      const bytes = await gpu.read(result, 0, 4 * count);
      const refused = await refusal;
      if (refused) throw new Unserved(refused);
      return new Float32Array(bytes);
    } finally {
      scratch.close();
    }
  }

  const single = (
    code: string,
    buffers: readonly (readonly [number, GPUBuffer])[],
    items: number,
  ): Dispatch => {
    const [across, down] = gpu.spread(Math.ceil(items / THREADS));
    return { ...gpu.bind(code, buffers), groups: () => [across, down, 1] };
  };

  /** In place on `a`, with `b` beside it. */
  const inPlace = (code: string, a: Float32Array, b?: Float32Array, oneGroup = false) =>
    run(a.length, (scratch) => {
      const result = scratch.put(a), other = b ? [[1, scratch.put(b)] as const] : [];
      const items = oneGroup ? 1 : a.length;
      return { dispatches: [single(code, [[0, result], ...other], items)], result };
    });

  const matmul = (weight: Weight, xs: Float32Array, count: number) => {
    const { rows, columns } = weight.spec;
    if (xs.length !== count * columns) throw new RangeError(`${xs.length} values for ${columns}`);
    return run(count * rows, (scratch) => {
      const x = scratch.put(xs), result = scratch.room(count * rows), w = gpuWeight(weight);
      const dispatches = count === 1
        ? w.multiply(x, result)
        : w.multiplyAll(x, result, scratch.span(0, count));
      return { dispatches, result };
    }, count);
  };

  return {
    rmsNorm: (x, weight, eps) =>
      run(x.length, (scratch) => {
        const bits = new Uint32Array(new Float32Array([eps]).buffer)[0];
        const norm = scratch.keep(gpu.uniform([x.length, bits, 0, 0]));
        const w = dense(weight), result = scratch.room(x.length), span = scratch.span(0);
        const buffers = [[0, norm], [1, w], [2, scratch.put(x)], [3, result], [4, span]] as const;
        return { dispatches: [single(shaders.rmsNorm, buffers, 1)], result };
      }),
    rope: (x, position, shape: Pick<LlamaShape, "headDim" | "ropeTheta" | "ropeStyle">) =>
      run(x.length, (scratch) => {
        const { cos, sin } = ropeTurns(shape)(position), half = shape.headDim / 2;
        const turns = new Float32Array(2 * half);
        turns.set(cos);
        turns.set(sin, half);
        const how = scratch.keep(gpu.uniform([x.length / 2, half, shape.ropeStyle, 0]));
        const result = scratch.put(x), span = scratch.span(0);
        const buffers = [[0, how], [1, scratch.put(turns)], [2, result], [3, span]] as const;
        return { dispatches: [single(shaders.rope, buffers, x.length / 2)], result };
      }),
    matvec: (weight, x) => matmul(weight, x, 1),
    matmul,
    row: (weight, row) => {
      if (!(row >= 0 && row < weight.spec.rows)) throw new RangeError(`row ${row}`);
      return run(weight.spec.columns, (scratch) => {
        const tokens = scratch.put(new Uint32Array([row]));
        const result = scratch.room(weight.spec.columns);
        return { dispatches: gpuWeight(weight).row(tokens, scratch.span(0), result), result };
      });
    },
    attention: (q, keys, values, { heads, kvHeads, headDim, positions }: AttentionShape) =>
      run(q.length, (scratch) => {
        const how = scratch.keep(gpu.uniform([heads, heads / kvHeads, headDim, positions]));
        const result = scratch.room(q.length);
        const buffers = [
          [0, how],
          [1, scratch.put(q)],
          [2, scratch.put(keys)],
          [3, scratch.put(values)],
          [4, scratch.room(heads * positions)],
          [5, result],
          [6, scratch.span(positions - 1)],
        ] as const;
        const bound = gpu.bind(shaders.attention("f32"), buffers);
        return { dispatches: [{ ...bound, groups: () => [heads, 1, 1] }], result };
      }),
    swiglu: (gate, up) => inPlace(shaders.swiglu, gate, up),
    add: (a, b) => inPlace(shaders.add, a, b),
    softmax: (x) => inPlace(shaders.softmax, x, undefined, true),
  };
}

/** The one buffer of a norm's f32 values. */
export function dense(weight: Weight): GPUBuffer {
  const { parts, spec } = gpuWeight(weight);
  if (spec.format !== "f32" || parts.length !== 1) {
    throw new RangeError("a norm is f32 on a device");
  }
  return parts[0].buffer;
}
