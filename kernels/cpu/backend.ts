/** The reference backend: plain TypeScript, one thread, f32 throughout. */
import {
  type Backend,
  type Envelopes,
  type Fill,
  type KvShape,
  type LlamaModel,
  type MatrixSpec,
  type Ops,
  type Refusal,
  type Session,
  type Weight,
} from "../backend.ts";
import { storedBytes } from "../quant/format.ts";
import { ropeTurns } from "../rope.ts";
import { add, attention, rmsNorm, rope, softmax, swiglu } from "./ops.ts";
import { CpuSession } from "./session.ts";
import { CpuWeight, cpuWeight } from "./weight.ts";

/** The reference lies nowhere from itself. */
const EXACT: Envelopes = {
  rmsNorm: 0,
  rope: 0,
  dense: 0,
  quantised: 0,
  row: 0,
  attention: 0,
  swiglu: 0,
  add: 0,
  softmax: 0,
  logits: 0,
};

/** Applies an operation that works in place to a copy. */
function onCopy(x: Float32Array, op: (copy: Float32Array) => void): Float32Array {
  const copy = x.slice();
  op(copy);
  return copy;
}

const OPS: Ops = {
  rmsNorm: (x, weight, eps) => onCopy(x, (out) => rmsNorm(out, x, cpuWeight(weight).row(0), eps)),
  rope: (x, position, shape) =>
    onCopy(x, (out) => rope(out, shape.headDim, shape.ropeStyle, ropeTurns(shape)(position))),
  matvec: (weight, x) => multiply(weight, x, 1),
  matmul: multiply,
  row: (weight, row) => cpuWeight(weight).row(row).slice(),
  attention: (q, keys, values, shape) => onCopy(q, (out) => attention(out, q, keys, values, shape)),
  swiglu: (gate, up) => onCopy(gate, (out) => swiglu(out, gate, up)),
  add: (a, b) => onCopy(a, (out) => add(out, b)),
  softmax: (x) => onCopy(x, softmax),
};

function multiply(weight: Weight, xs: Float32Array, count: number): Float32Array {
  const { rows, columns } = weight.spec;
  if (xs.length !== count * columns) throw new RangeError(`${xs.length} values for ${columns}`);
  const out = new Float32Array(count * rows);
  for (let i = 0; i < count; i++) {
    const x = xs.subarray(i * columns, (i + 1) * columns);
    cpuWeight(weight).multiply(out.subarray(i * rows, (i + 1) * rows), x);
  }
  return out;
}

/** Runs `make`, whose only way to fail is for want of memory. */
function within<T>(what: string, make: () => T): T | Refusal {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return { refused: "ResourceLimit", why: `no room: ${what}` };
    throw error;
  }
}

export function openCpu(): Backend {
  return {
    name: "cpu",
    ops: OPS,
    envelopes: EXACT,
    load(spec: MatrixSpec, fill: Fill, scales?: Float32Array): Weight | Refusal {
      const size = storedBytes(spec);
      const bytes = within(`${size} bytes of weights`, () => new Uint8Array(size));
      if ("refused" in bytes) return bytes;
      fill(bytes, 0);
      return new CpuWeight(spec, bytes, scales?.slice());
    },
    session(model: LlamaModel, kv: KvShape): Session | Refusal {
      return within(`a cache of ${kv.positions} positions`, () => new CpuSession(model, kv));
    },
    close() {},
  };
}
