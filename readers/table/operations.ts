/** Adapter operations (`classes.md` section 3): stage 25 alone, and against a base (section 6). */
import type { Code } from "../contract.ts";
import { type Artifact, IN_OPERATION, TARGET } from "./artifact.ts";
import { type Fault, reject } from "./fault.ts";
import { sameBytes } from "./fields.ts";
import { DENSE, F32, Q, T, U64 } from "./layouts.ts";
import type { Item } from "./manifest.ts";
import { TENSOR_KEY, TensorRow } from "./tensors.ts";

type Shape = readonly number[];

/** A registered operation: its tensors, in the order of map keys, and what they must be. */
interface Operation {
  readonly tensors: readonly string[];
  /** whether the tensors (in that order) fit a target W */
  fits(tensors: readonly TensorRow[], target: Shape, rank: number | bigint, axis: number): boolean;
}

function isShape(tensor: TensorRow, ...shape: readonly (number | bigint)[]): boolean {
  return tensor.rank === shape.length && shape.every((n, axis) => n == tensor.dimension(axis));
}

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["lora/1", {
    tensors: ["a", "b"],
    fits: ([a, b], target, rank) =>
      target.length === 2 && isShape(a, rank, target[1]) && isShape(b, target[0], rank),
  }],
  ["additive-delta/1", {
    tensors: ["delta"],
    fits: ([delta], target) => isShape(delta, ...target),
  }],
  ["sparse-delta/1", {
    tensors: ["index", "value"],
    fits: ([index, value]) =>
      index.rank === 1 && isShape(value, index.dimension(0)) &&
      index.get(T.element_type) === U64 && value.get(T.element_type) === F32,
  }],
  ["multiplicative-vector/1", {
    tensors: ["v"],
    fits: ([v], target, _rank, axis) => axis < target.length && isShape(v, target[axis]),
  }],
]);

function operationOf(artifact: Artifact, item: Item): Operation | undefined {
  const op = artifact.manifest.get(item, "op");
  for (const [name, operation] of OPERATIONS) {
    if (artifact.manifest.isText(op, name)) return operation;
  }
  return undefined;
}

/** The tensor with a `key`, or -1. The table is searched by its sort key. */
function findTensor(artifact: Artifact, key: Item, keyIn: Artifact): number {
  const { strings, tensors } = artifact;
  const m = keyIn.manifest;
  const wanted = TENSOR_KEY.map((field) => {
    if (field === T.semantic_role_string_id) return strings.find(m.string(m.get(key, "role")));
    if (field === T.canonical_name_string_id) return strings.find(m.string(m.get(key, "name")));
    return m.integer(m.get(key, field.name));
  });
  let low = 0;
  let high = tensors.count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const order = compareKey(middle);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;

  function compareKey(row: number): number {
    for (let i = 0; i < TENSOR_KEY.length; i++) {
      const n = tensors.get(row, TENSOR_KEY[i]);
      if (n < wanted[i]) return -1;
      if (n > wanted[i]) return 1;
    }
    return 0;
  }
}

/** Stage 25 of class 3, without a resolver too. */
export function operationFault(artifact: Artifact): Fault {
  const { manifest: m, tensors, tensorMarks } = artifact;
  const fail = (at: Item, expected: string) =>
    reject(25, "UnsupportedOperation", "manifest", at, expected);
  const fault = m.each(artifact.get("operations"), (item) => {
    const operation = operationOf(artifact, item);
    if (operation === undefined) return fail(m.get(item, "op"), "a registered operation");
    const map = m.get(item, "tensors");
    const hasKeys = m.count(map) === operation.tensors.length &&
      operation.tensors.every((name) => m.find(map, name) >= 0);
    if (!hasKeys) return fail(map, `keys ${operation.tensors.join(", ")}`);
    return m.eachEntry(map, (_, key) => {
      const row = findTensor(artifact, key, artifact);
      if (row < 0 || (tensorMarks[row] & TARGET) !== 0) {
        return fail(key, "a tensor of this file that is no auxiliary target");
      }
      if ((tensorMarks[row] & IN_OPERATION) !== 0) return fail(key, "a tensor named once");
      tensorMarks[row] |= IN_OPERATION;
      return null;
    });
  });
  if (fault !== null) return fault;
  for (let row = 0; row < tensors.count; row++) {
    if ((tensorMarks[row] & (TARGET | IN_OPERATION)) === 0) {
      return fail(
        tensors.where(row, T.semantic_role_string_id),
        "a tensor that an operation names",
      );
    }
  }
  return null;
}

/** Operations of an accepted adapter against the tensors of its base (section 6). */
export function targetFault(
  adapter: Artifact,
  base: Artifact,
  fail: (code: Code, expected: string, item?: Item) => Fault,
): Fault {
  const m = adapter.manifest;
  const target = new TensorRow(base);
  return m.each(adapter.get("operations"), (item) => {
    const operation = operationOf(adapter, item);
    const key = m.get(item, "target");
    const row = findTensor(base, key, adapter);
    if (row < 0) return fail("TargetMissing", "a target in the base", key);
    target.to(row);
    const shape = target.shape;
    const map = m.get(item, "tensors");
    const tensors = (operation?.tensors ?? []).map((name) =>
      new TensorRow(adapter).to(findTensor(adapter, m.get(map, name), adapter))
    );
    const axis = Number(m.integer(m.get(item, "axis")));
    const hasShape = isStated(shape) &&
      operation?.fits(tensors, shape, m.integer(m.get(item, "rank")), axis);
    if (!hasShape) return fail("TargetShape", "the target's shape and tensors that fit it", item);
    return hasProfile(target) ? null : fail("TargetQuant", "the target's type and profile", item);

    function isStated(shape: Shape): boolean {
      const stated = m.get(item, "shape");
      let same = m.count(stated) === shape.length;
      m.each(stated, (n, i) => {
        same &&= m.integer(n) === shape[i];
        return null;
      });
      return same;
    }

    function hasProfile(target: TensorRow): boolean {
      const index = target.get(T.quant_profile_index);
      const isDense = index === DENSE;
      const id = isDense ? new Uint8Array(32) : base.quants.raw(index, Q.profile_id);
      const contract = isDense ? 0 : target.profile(Q.kernel_contract);
      return m.integer(m.get(item, "element_type")) === target.get(T.element_type) &&
        sameBytes(m.string(m.get(item, "profile")), id) &&
        m.integer(m.get(item, "kernel_contract")) === contract;
    }
  });
}
