/** Adapters of every operation over dense and quantized targets. */
import { adapter, type OperationParts } from "../../writer/build/adapter.ts";
import type { TensorDescription } from "../../writer/description.ts";
import { u64 } from "../../writer/bytes.ts";
import { concat } from "../../writer/bytes.ts";
import { blocks, floats, ramp } from "../bytes.ts";
import { lazy, type Recipe, valid, type ValidCase } from "../case.ts";
import { base, lora, ref, target, tok } from "../library.ts";
import { GROUPED, llamaOf } from "./models.ts";
import { scaleOf } from "./tensors.ts";

const over = (
  local: string,
  why: string,
  operations: readonly OperationParts[],
  more: Parameters<typeof adapter>[2] = {},
) => valid(`valid/adapter/${local}`, why, adapter(base().identities, operations, more));

const own = (
  role: string,
  shape: readonly number[],
  more: Partial<TensorDescription> = {},
): TensorDescription => ({
  role,
  name: role,
  shape,
  type: "f32",
  payload: floats(shape.reduce((a, b) => a * b, 1)),
  ...more,
});

/** A tensor of a model, as an operation targets it. */
export const targetOf = (model: ValidCase, name: string): Omit<TensorDescription, "payload"> => {
  const { payload: _, ...rest } = model.description.tensors!.find((one) => one.name === name)!;
  return rest;
};

const sparse = (n: number): OperationParts["tensors"] => ({
  index: own("index", [n], {
    type: "u64",
    payload: concat(...Array.from({ length: n }, (_, i) => u64(i))),
  }),
  value: own("value", [n]),
});

export const quantBase = lazy(() =>
  valid(
    "valid/adapter/quantized-base",
    "a base whose matrices are quantized by rows",
    llamaOf(GROUPED, "q8-0.b32.row"),
  )
);

/** An adapter of a quantized target. */
export const quantAdapter = lazy(() =>
  valid(
    "valid/adapter/quantized-target",
    "a lora/1 over a quantized target: the target's profile stands in the operation",
    adapter(quantBase().identities, [{
      op: "lora/1",
      target: targetOf(quantBase(), "ffn-up.0"),
      tensors: { a: own("a", [1, 8]), b: own("b", [6, 1]) },
    }]),
  )
);

/** Each operation once, over four targets. */
export const everyOperation = lazy(() =>
  over("every-operation", "each of the four operations", [
    lora(0),
    {
      op: "additive-delta/1",
      target: target("ffn-down.0"),
      tensors: { delta: own("delta", [2, 3]) },
      scale: [-1, 2],
    },
    { op: "sparse-delta/1", target: target("ffn-gate.0"), tensors: sparse(3), scale: [1, 3] },
    {
      op: "multiplicative-vector/1",
      target: target("ffn-up.0"),
      tensors: { v: own("vector", [2]) },
      axis: 1,
    },
  ])
);

/** An operand kept in q8-row, with its scales as an auxiliary target. */
export const scaledOperand = lazy(() => {
  const delta = own("delta", [2, 3], {
    type: "q8-row.exact",
    payload: blocks("q8-row.exact", [2, 3]),
  });
  return over("scaled-operand", "a quantized operand, whose scale no operation names", [
    { op: "additive-delta/1", target: target("ffn-down.0"), tensors: { delta } },
  ], {
    targets: [scaleOf("delta", [2, 3])],
    auxiliaries: [{ owner: "delta", target: "delta.scale" }],
  });
});

export const adapters: Recipe = {
  name: "valid/adapter",
  reason: "every operation, over dense and quantized targets, with and without a tokenizer",
  spec: "classes.md 3",
  cites: [
    "classes-3 `lora/1` |",
    "classes-3 `additive-delta/1`",
    "classes-3 `sparse-delta/1`",
    "classes-3 `multiplicative-vector/1` |",
    "classes-3 Relations, for each operation",
    "classes-3 key.layer",
    "classes-3 key.name",
    "classes-3 key.role",
    "classes-3 key.subindex_0",
    "classes-3 key.subindex_1",
  ],
  cases: () => [
    quantBase(),
    quantAdapter(),
    everyOperation(),
    scaledOperand(),
    over("vector-axis-0", "a vector along the rows", [{
      op: "multiplicative-vector/1",
      target: target("ffn-up.0"),
      tensors: { v: own("vector", [3]) },
      axis: 0,
    }]),
    over("vector-of-norm", "a vector over a norm", [{
      op: "multiplicative-vector/1",
      target: target("final-norm"),
      tensors: { v: own("vector", [2]) },
      axis: 0,
    }]),
    over("delta-of-norm", "a delta of rank one", [{
      op: "additive-delta/1",
      target: target("final-norm"),
      tensors: { delta: own("delta", [2]) },
    }]),
    over("rank-8", "lora/1 of a rank above the matrix's", [lora(0, 8)]),
    over("sparse-one", "a single index", [{
      op: "sparse-delta/1",
      target: target("final-norm"),
      tensors: sparse(1),
    }]),
    over("same-target-twice", "two operations on one target, one merged", [lora(0), {
      ...lora(1),
      merge: true,
    }]),
    over("half-operands", "operands of f16 and bf16", [{
      ...lora(0),
      tensors: {
        a: own("a", [1, 2], { type: "f16", payload: ramp(4) }),
        b: own("b", [2, 1], { type: "bf16", payload: ramp(4, 2) }),
      },
    }]),
    over("negative-scale", "a negative scale in lowest terms", [{ ...lora(0), scale: [-7, 3] }]),
    over("zero-scale", "a scale of nothing", [{ ...lora(0), scale: [0, 1] }]),
    over("huge-scale", "a scale at the ends of 64 bits", [{
      ...lora(0),
      scale: [-(2n ** 63n), 2n ** 64n - 1n],
    }]),
    over("with-tokenizer", "an adapter that is bound to a tokenizer", [lora(0)], {
      tokenizer: ref(tok()),
    }),
    valid(
      "valid/adapter/any-file-of-base",
      "an adapter that any file of its base will do for",
      anyFile(),
    ),
    valid("valid/adapter/orders", "orders may leave gaps", gaps()),
    over("operand-keys", "operands told apart by layer and subindexes alone", [{
      ...lora(0),
      tensors: {
        a: own("x", [1, 2], { name: "a", layer: 3, subindex_0: 1, subindex_1: 2 }),
        b: own("x", [2, 1], { name: "b", layer: 3, subindex_0: 1, subindex_1: 3 }),
      },
    }]),
  ],
};

function anyFile() {
  const one = adapter(base().identities, [lora(0)]);
  return {
    ...one,
    body: { ...one.body, base: { ...one.body.base, whole_file: null } },
    dependencies: one.dependencies!.map((entry) => ({ ...entry, whole_file: null })),
  };
}

function gaps() {
  const one = adapter(base().identities, [lora(0), lora(1)]);
  const [first, second] = one.body.operations;
  return {
    ...one,
    body: { ...one.body, operations: [{ ...first, order: 7 }, { ...second, order: 2 ** 53 - 1 }] },
  };
}
