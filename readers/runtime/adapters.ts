/**
 * Adapters (classes.md section 3): the four registered operations, applied in composition order
 * and then in `order` to a target dequantised to f32. Each step is one f32 operation.
 */
import type { Candidate, Reject } from "../contract.ts";
import { type Operation, operations, type TensorKey } from "./manifest.ts";
import { isReject, reject } from "./outcome.ts";
import { takeTensor } from "./payload.ts";
import { takeValues } from "./values.ts";

const f32 = Math.fround;

/** One operation, with the adapter that holds its tensors. */
export interface Change {
  readonly adapter: Candidate;
  readonly operation: Operation;
}

/** The operations of `adapters`, in the order in which they apply, by index of their target. */
export function changesTo(
  base: Candidate,
  adapters: readonly Candidate[],
): ReadonlyMap<number, readonly Change[]> {
  const changes = new Map<number, Change[]>();
  for (const adapter of adapters) {
    for (const operation of operations(adapter)) {
      const target = indexOf(base, operation.target);
      const before = changes.get(target);
      if (before) before.push({ adapter, operation });
      else changes.set(target, [{ adapter, operation }]);
    }
  }
  return changes;
}

/**
 * The base's tensor `index` after `changes`, in f32. Rejections: `ResourceConstruction` (a sparse
 * index that does not rise or is not inside the target, elements that cannot be computed with),
 * and those of `takeValues`.
 */
export function adapt(
  base: Candidate,
  index: number,
  changes: readonly Change[],
): Float32Array | Reject {
  const target = takeValues(base, index);
  if (isReject(target)) return target;
  for (const { adapter, operation } of changes) {
    const fault = OPERATIONS[operation.op]({
      adapter,
      operation,
      target,
      shape: base.tensors[index].shape,
    });
    if (fault) return fault;
  }
  return target;
}

interface Application extends Change {
  /** changed in place */
  readonly target: Float32Array;
  readonly shape: readonly number[];
}

/** The table "Registered operations" (classes.md section 3). */
const OPERATIONS: Readonly<Record<string, (it: Application) => Reject | null>> = {
  "lora/1": lora,
  "additive-delta/1": additiveDelta,
  "sparse-delta/1": sparseDelta,
  "multiplicative-vector/1": multiplicativeVector,
};

/** W + scale x (b a): a [rank, in], b [out, rank], W [out, in]; sums run over rank, from 0. */
function lora(it: Application): Reject | null {
  const a = operand(it, "a");
  if (isReject(a)) return a;
  const b = operand(it, "b");
  if (isReject(b)) return b;
  const [outs, ins] = it.shape;
  const rank = a.length / ins;
  const scale = f32(it.operation.scale);
  for (let o = 0; o < outs; o++) {
    for (let i = 0; i < ins; i++) {
      let sum = 0;
      for (let r = 0; r < rank; r++) sum = f32(sum + f32(b[o * rank + r] * a[r * ins + i]));
      it.target[o * ins + i] += f32(scale * sum);
    }
  }
  return null;
}

/** W + scale x delta. */
function additiveDelta(it: Application): Reject | null {
  const delta = operand(it, "delta");
  if (isReject(delta)) return delta;
  const scale = f32(it.operation.scale);
  delta.forEach((x, i) => it.target[i] += f32(scale * x));
  return null;
}

/** W[index] + scale x value; the index is flat and row-major, strictly increasing. */
function sparseDelta(it: Application): Reject | null {
  const index = takeTensor(it.adapter, indexOf(it.adapter, operandKey(it, "index")));
  if (isReject(index)) return index;
  const value = operand(it, "value");
  if (isReject(value)) return value;
  const scale = f32(it.operation.scale);
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  let before = -1n;
  for (let n = 0; n < value.length; n++) {
    const at = view.getBigUint64(8 * n, true);
    if (at <= before || at >= it.target.length) {
      return reject(31, "ResourceConstruction", "a sparse index that rises inside its target");
    }
    before = at;
    it.target[Number(at)] += f32(scale * value[n]);
  }
  return null;
}

/** W scaled along `axis` by v. */
function multiplicativeVector(it: Application): Reject | null {
  const v = operand(it, "v");
  if (isReject(v)) return v;
  const inner = it.shape.slice(it.operation.axis + 1).reduce((product, n) => product * n, 1);
  for (let i = 0; i < it.target.length; i++) {
    it.target[i] *= v[Math.floor(i / inner) % v.length];
  }
  return null;
}

function operand(it: Application, name: string): Float32Array | Reject {
  return takeValues(it.adapter, indexOf(it.adapter, operandKey(it, name)));
}

function operandKey(it: Application, name: string): TensorKey {
  const key = it.operation.tensors.get(name);
  if (!key) throw new Error(`an accepted ${it.operation.op} has no tensor ${name}`);
  return key;
}

function indexOf(candidate: Candidate, key: TensorKey): number {
  const index = candidate.tensors.findIndex((tensor) =>
    tensor.role === key.role && tensor.name === key.name && tensor.layer === key.layer &&
    tensor.subindex_0 === key.subindex_0 && tensor.subindex_1 === key.subindex_1
  );
  if (index < 0) throw new Error("an accepted adapter names a tensor that is not there");
  return index;
}
