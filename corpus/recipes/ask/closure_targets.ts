/** Stage 25 with a resolver: what an operation asks of its target (classes.md sections 3 and 6). */
import type { Code } from "../../../readers/contract.ts";
import type { AdapterOperation } from "../../writer/bodies.ts";
import { adapter, type OperationParts } from "../../writer/build/adapter.ts";
import { profileBody, profileId, REGISTERED } from "../../writer/profiles.ts";
import { digestOf, ramp } from "../bytes.ts";
import type { Recipe } from "../case.ts";
import { base, target, tok } from "../library.ts";
import { quantBase, targetOf } from "../valid/adapters.ts";
import { over, reject, varied } from "./closure_world.ts";
import { accept } from "./closure_world.ts";

type OperationChange = Partial<
  { -readonly [key in keyof AdapterOperation]: AdapterOperation[key] }
>;

/** An adapter over the base whose first operation is changed. */
const operated = (
  local: string,
  why: string,
  operations: readonly OperationParts[],
  change: OperationChange = {},
  on = base(),
) => {
  const from = adapter(on.identities, operations);
  return varied(
    local,
    why,
    (body) => ({
      ...body,
      operations: body.operations.map((one, i) => i === 0 ? { ...one, ...change } : one),
    }),
    from,
  );
};

export const own = (name: string, shape: readonly number[], type = "f32") => {
  const size = { f32: 4, u64: 8, i64: 8, f16: 2, u32: 4, f64: 8 }[type]!;
  return { role: name, name, shape, type, payload: ramp(size * shape.reduce((a, b) => a * b, 1)) };
};

const loraOf = (a: readonly number[], b: readonly number[], to = "ffn-up.0"): OperationParts[] => [
  { op: "lora/1", target: target(to), tensors: { a: own("a", a), b: own("b", b) } },
];

const additive = (shape: readonly number[]): OperationParts[] => [
  { op: "additive-delta/1", target: target("ffn-up.0"), tensors: { delta: own("delta", shape) } },
];

const sparse = (
  index: readonly number[],
  value: readonly number[],
  types = ["u64", "f32"],
): OperationParts[] => [
  {
    op: "sparse-delta/1",
    target: target("ffn-up.0"),
    tensors: { index: own("index", index, types[0]), value: own("value", value, types[1]) },
  },
];

const vector = (v: readonly number[], axis: number): OperationParts[] => [
  { op: "multiplicative-vector/1", target: target("ffn-up.0"), tensors: { v: own("v", v) }, axis },
];

/** Operations over each tensor of the base in turn, the first and the last of its table too. */
export const everyTarget: Recipe = {
  name: "closure/every-target",
  reason: "every tensor of a base can be a target, wherever it stands in the table",
  spec: "classes.md 3 and 6",
  cites: ["classes-6 then per operation"],
  cases: () =>
    base().description.tensors!.map(({ name, shape }) =>
      accept(
        everyTarget,
        operated(`target-${name}`, `an additive delta over ${name}`, [{
          op: "additive-delta/1",
          target: target(name),
          tensors: { delta: own("delta", shape) },
        }]),
        name,
        `a delta over ${name}`,
        { resolve: [base()] },
      )
    ),
};

export const targets: Recipe = {
  name: "closure/target",
  reason: "targets that the base does not have, or has in another shape or type",
  spec: "classes.md 3 and 6",
  cites: ["classes-3 `shape`, `element_type`"],
  cases: () => {
    const up = loraOf([1, 2], [3, 1]);
    const key = { layer: 0, name: "ffn-up.0", role: "ffn-up", subindex_0: -1, subindex_1: -1 };
    const to = (change: Partial<typeof key>) => ({ target: { ...key, ...change } });
    const list: (readonly [Code, string, string, readonly OperationParts[], OperationChange?])[] = [
      ["TargetMissing", "name", "the base has no tensor of that name", up, to({ name: "ffn-up" })],
      ["TargetMissing", "role", "nor of that role", up, to({ role: "ffn-gate" })],
      ["TargetMissing", "layer", "nor on that layer", up, to({ layer: 1 })],
      [
        "TargetMissing",
        "layer-wraps",
        "a layer that 32 bits would take for 0",
        up,
        to({ layer: 2 ** 32 }),
      ],
      ["TargetMissing", "subindex-0", "nor of that subindex", up, to({ subindex_0: 0 })],
      ["TargetMissing", "subindex-1", "nor of that subindex", up, to({ subindex_1: 0 })],
      ["TargetShape", "shape", "another shape than the target's", up, { shape: [3, 3] }],
      ["TargetShape", "shape-transposed", "the target's the other way round", up, {
        shape: [2, 3],
      }],
      ["TargetShape", "shape-short", "one dimension of two", up, { shape: [3] }],
      ["TargetShape", "shape-long", "a dimension of one more", up, { shape: [3, 2, 1] }],
      ["TargetShape", "shape-empty", "no dimension", up, { shape: [] }],
      ["TargetShape", "shape-huge", "a dimension of 2^64 - 1", up, {
        shape: [3, 2n ** 64n - 1n as unknown as number],
      }],
      ["TargetShape", "lora-in", "a has another number of columns", loraOf([1, 3], [3, 1])],
      ["TargetShape", "lora-out", "b has another number of rows", loraOf([1, 2], [2, 1])],
      ["TargetShape", "lora-rank-of-b", "b has another rank than a", loraOf([1, 2], [3, 2])],
      ["TargetShape", "lora-rank", "the operation says another rank", up, { rank: 2 }],
      ["TargetShape", "lora-transposed", "a and b the other way round", loraOf([2, 1], [1, 3])],
      ["TargetShape", "lora-vectors", "operands of one dimension", loraOf([2], [3])],
      [
        "TargetShape",
        "lora-of-norm",
        "lora/1 over a target of rank 1",
        loraOf([1, 2], [2, 1], "final-norm"),
      ],
      ["TargetShape", "additive-transposed", "a delta the other way round", additive([2, 3])],
      ["TargetShape", "additive-flat", "a delta in one row", additive([6])],
      ["TargetShape", "additive-larger", "a delta of one row more", additive([4, 2])],
      ["TargetShape", "sparse-lengths", "more values than indexes", sparse([2], [3])],
      ["TargetShape", "sparse-index-rank", "indexes of rank 2", sparse([2, 1], [2])],
      ["TargetShape", "sparse-value-rank", "values of rank 2", sparse([2], [2, 1])],
      ["TargetShape", "sparse-both-rank", "both of rank 2", sparse([1, 2], [1, 2])],
      ["TargetShape", "sparse-scalar", "both scalars", sparse([], [])],
      ["TargetShape", "sparse-index-type", "indexes of i64", sparse([2], [2], ["i64", "f32"])],
      ["TargetShape", "sparse-index-u32", "indexes of u32", sparse([2], [2], ["u32", "f32"])],
      ["TargetShape", "sparse-value-type", "values of f16", sparse([2], [2], ["u64", "f16"])],
      ["TargetShape", "vector-length", "a vector of the other axis", vector([2], 0)],
      ["TargetShape", "vector-axis-2", "an axis that a matrix does not have", vector([2], 2)],
      ["TargetShape", "vector-axis-max", "an axis of 2^63 - 1", vector([2], 1), {
        axis: 2n ** 63n - 1n as unknown as number,
      }],
      ["TargetShape", "vector-rank", "a vector of rank 2", vector([3, 1], 0)],
      ["TargetQuant", "element-type", "f16 for a target of f32", up, { element_type: 2 }],
      ["TargetQuant", "element-type-0", "type 0 for a target of f32", up, { element_type: 0 }],
      ["TargetQuant", "claimed-quantized", "a profile for a target of f32", up, {
        element_type: 256,
        profile: profileOf("q8-0.b32.row"),
        kernel_contract: 1,
      }],
    ];
    const q = quantBase(),
      quant = () =>
        adapter(q.identities, [{
          op: "lora/1",
          target: targetOf(q, "ffn-up.0"),
          tensors: { a: own("a", [1, 8]), b: own("b", [6, 1]) },
        }]);
    const quantized: (readonly [string, string, OperationChange])[] = [
      ["other-profile", "another registered profile", { profile: profileOf("q8-0.b32.pad") }],
      ["unknown-profile", "a profile that is none", { profile: digestOf(61) }],
      ["contract-2", "another kernel contract", { kernel_contract: 2 }],
      ["contract-max", "a kernel contract of 2^64 - 1", {
        kernel_contract: 2n ** 64n - 1n as unknown as number,
      }],
      ["claimed-dense", "f32 for a quantized target", {
        element_type: 1,
        profile: new Uint8Array(32),
        kernel_contract: 0,
      }],
    ];
    const CITE: { readonly [code: string]: string } = {
      TargetMissing: "classes-6 then per operation",
      TargetShape: "classes-6 `shape` not the target's",
      TargetQuant: "classes-6 `element_type`, `profile`",
    };
    return [
      ...list.map(([code, local, why, operations, change]) =>
        reject(
          targets,
          operated(local, why, operations, change),
          local,
          why,
          { resolve: [base()] },
          code,
          [CITE[code]],
        )
      ),
      ...quantized.map(([local, why, change]) =>
        reject(
          targets,
          varied(
            `quantized-${local}`,
            why,
            (body) => ({
              ...body,
              operations: body.operations.map((one) => ({ ...one, ...change })),
            }),
            quant(),
          ),
          `quantized-${local}`,
          why,
          { resolve: [q] },
          "TargetQuant",
          [CITE.TargetQuant],
        )
      ),
      (() => {
        const faulty = operated(
          "in-composition",
          "an adapter of a target that the base does not have",
          up,
          to({ name: "ffn-up" }),
        );
        return reject(
          targets,
          over("composition-target", "a composition with such an adapter", faulty),
          "in-composition",
          "the same in a composition",
          { resolve: [base(), tok(), faulty] },
          "TargetMissing",
          [CITE.TargetMissing],
        );
      })(),
    ];
  },
};

const profileOf = (name: string) => profileId(name, profileBody(REGISTERED.get(name)!));
