/** Adapter operations (`classes.md` section 3): against their own file, and against a base. */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { BitSet, firstNonZero, u16 } from "./bytes.ts";
import { reject } from "./fault.ts";
import { DENSE, PROFILE, QUANT_RECORD, tensor, TENSOR_RECORD } from "./records.ts";
import type { Tape } from "./tape.ts";
import { findTensor } from "./tensor_key.ts";
import { hasShape } from "./tensor_rules.ts";
import { F32, U64 } from "./types.ts";

/** The shape of W, the operation's rank and axis, and how a tensor of its own is held against them. */
interface Fit {
  readonly target: readonly number[];
  readonly rank: number;
  readonly axis: number;
  /** whether the operation's tensor under `key` has this shape, and this type if one is asked */
  has(key: string, shape: readonly number[], type?: number): boolean;
  /** the shape of the operation's tensor under `key` */
  shapeOf(key: string): readonly number[];
}

interface Registered {
  /** the keys of `tensors` */
  readonly keys: readonly string[];
  /** whether the operation's tensors have the shapes of the table */
  readonly fits: (fit: Fit) => boolean;
}

const OPERATIONS: ReadonlyMap<string, Registered> = new Map<string, Registered>([
  ["lora/1", {
    keys: ["a", "b"],
    fits: ({ target, rank, has }) =>
      target.length === 2 && has("a", [rank, target[1]]) && has("b", [target[0], rank]),
  }],
  ["additive-delta/1", {
    keys: ["delta"],
    fits: ({ target, has }) => has("delta", target),
  }],
  ["sparse-delta/1", {
    keys: ["index", "value"],
    fits({ has, shapeOf }) {
      const shape = shapeOf("index");
      return shape.length === 1 && has("index", shape, U64) && has("value", shape, F32);
    },
  }],
  ["multiplicative-vector/1", {
    keys: ["v"],
    fits: ({ target, axis, has }) => axis < target.length && has("v", [target[axis]]),
  }],
]);

/** The operations of an adapter's body, as items. */
function* operationsOf({ tape, body }: Artifact): Generator<number> {
  const operations = tape.get(body, "operations");
  for (let i = operations + 1; i < tape.next(operations); i = tape.next(i)) yield i;
}

/** Stage 25 for class 3: registered, with their keys, each tensor named exactly once. */
export function checkOperations(artifact: Artifact): Reject | null {
  const { memory, sections: { tensors }, tape, targets } = artifact;
  const fault = (at: number, expected: string) =>
    reject(25, "UnsupportedOperation", "manifest", at, expected);
  const named = new BitSet(memory.bytes(BitSet.size(tensors.count)));
  for (const operation of operationsOf(artifact)) {
    const op = tape.get(operation, "op");
    const registered = OPERATIONS.get(tape.text(op));
    if (registered === undefined) return fault(tape.start(op), "a registered operation");
    const its = tape.get(operation, "tensors");
    const { keys } = registered;
    if (tape.length(its) !== keys.length || keys.some((key) => tape.find(its, key) < 0)) {
      return fault(tape.start(its), `the keys ${keys.join(", ")}`);
    }
    for (let k = its + 1; k < tape.next(its); k = tape.next(k + 1)) {
      const index = findTensor(artifact, tape, k + 1);
      if (index < 0) return fault(tape.start(k + 1), "a tensor of this file");
      if (targets.has(index)) return fault(tape.start(k + 1), "no auxiliary target");
      if (named.has(index)) return fault(tape.start(k + 1), "a tensor not named before");
      named.add(index);
    }
  }
  for (let i = 0; i < tensors.count; i++) {
    if (!named.has(i) && !targets.has(i)) {
      return fault(tensors.offset + TENSOR_RECORD * i, "a tensor that an operation names");
    }
  }
  return null;
}

/** The dimensions of the tensor record at `at`. */
function shapeAt(bytes: Uint8Array, at: number): number[] {
  return Array.from(
    { length: tensor.rank(bytes, at) },
    (_, axis) => tensor.dimension(bytes, at, axis),
  );
}

/**
 * Section 6, per operation: the adapter's operations against a base.
 *
 * @param adapter an accepted adapter
 * @param base an accepted base
 * @returns the code of the first operation that does not fit, or null
 */
export function operationFault(adapter: Artifact, base: Artifact): Code | null {
  for (const operation of operationsOf(adapter)) {
    const index = findTensor(base, adapter.tape, adapter.tape.get(operation, "target"));
    if (index < 0) return "TargetMissing";
    const at = base.sections.tensors.offset + TENSOR_RECORD * index;
    if (!isShaped(adapter, operation, base, at)) return "TargetShape";
    if (!isTyped(adapter.tape, operation, base, at)) return "TargetQuant";
  }
  return null;
}

/** Whether `shape` is the target's, and the operation's tensors fit it. */
function isShaped(adapter: Artifact, operation: number, base: Artifact, at: number): boolean {
  const { bytes, sections: { tensors }, tape } = adapter;
  const field = (key: string) => tape.get(operation, key);
  const target = shapeAt(base.bytes, at);
  const shape = field("shape");
  if (tape.length(shape) !== target.length) return false;
  if (target.some((dimension, axis) => tape.uint(shape + 1 + axis) !== dimension)) return false;

  const its = field("tensors");
  const recordOf = (key: string) =>
    tensors.offset + TENSOR_RECORD * findTensor(adapter, tape, tape.get(its, key));
  const fit: Fit = {
    target,
    rank: tape.uint(field("rank")),
    axis: Number(tape.integer(field("axis"))),
    has(key, shape, type) {
      const record = recordOf(key);
      return hasShape(bytes, record, shape) &&
        (type === undefined || tensor.element_type(bytes, record) === type);
    },
    shapeOf: (key) => shapeAt(bytes, recordOf(key)),
  };
  return OPERATIONS.get(tape.text(field("op")))?.fits(fit) ?? false;
}

/** Whether `element_type`, `profile` and `kernel_contract` are the target's. */
function isTyped(tape: Tape, operation: number, base: Artifact, at: number): boolean {
  const { bytes, sections: { quant } } = base;
  const profile = tape.string(tape.get(operation, "profile"));
  const contract = tape.uint(tape.get(operation, "kernel_contract"));
  const type = tape.uint(tape.get(operation, "element_type"));
  if (type !== tensor.element_type(bytes, at)) return false;
  const index = tensor.profile(bytes, at);
  if (index === DENSE) return contract === 0 && firstNonZero(profile, 0, profile.length) < 0;
  const its = quant.offset + QUANT_RECORD * index;
  return profile.every((byte, i) => byte === bytes[its + i]) &&
    contract === u16(bytes, its + PROFILE.kernel_contract);
}
