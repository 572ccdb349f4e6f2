/** An adapter alone with a resolver (classes.md 6): a row a sentence. */

import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import type { TensorDescription } from "../../corpus/writer/description.ts";
import {
  base,
  given,
  LORA,
  lora,
  make,
  MISSING,
  other,
  Q,
  twin,
  W,
  WHOLE,
  words,
  words2,
} from "./artifacts.ts";
import { dense, edited, type Edits, hash, receipt, type Row, sentences } from "./sentences.ts";

const target = (
  sentence: string,
  operation: OperationParts,
  code: string,
  edits: Edits = {},
): Row => [
  sentence,
  () => make(operation, edits),
  code === "accept" ? code : `25 ${code} [manifest]`,
  given(base),
];

const sparse = (
  index: TensorDescription,
  value: TensorDescription,
  on: TensorDescription = W,
): OperationParts => ({ op: "sparse-delta/1", target: on, tensors: { index, value } });

sentences("classes.md 6, an adapter alone", [
  ["without a resolver", () => lora, "accept"],
  ["with an empty one", () => lora, MISSING, given()],
  ["with its base", () => lora, "accept", given(base)],
  ["with others only", () => lora, MISSING, given(other, words)],
  ["of one id, the first where none has the whole_file", () => lora, WHOLE, given(twin)],
  ["of one id, the one with the whole_file", () => lora, "accept", given(twin, other, base)],
  [
    "a rejected candidate is none",
    () => lora,
    MISSING,
    given(base.bytes.slice(0, -1), new Uint8Array(0)),
  ],
  [
    "any file of that identity",
    () => make(LORA, { "body.base.whole_file": null, "dependencies.0.whole_file": null }),
    "accept",
    given(twin),
  ],
  [
    "a whole_file that the body leaves free and the dependency does not",
    () => make(LORA, { "body.base.whole_file": null }),
    WHOLE,
    given(twin),
  ],
  [
    "another layout",
    () => make(LORA, { "body.base.layout_id": hash(1) }),
    "25 LayoutMismatch [manifest]",
    given(base),
  ],
  [
    "a tokenizer is only a composition's affair",
    () => make(LORA, {}, { tokenizer: words2 }),
    "accept",
    given(base),
  ],
  target("its key, role", LORA, "TargetMissing", { "body.operations.0.target.role": "v" }),
  target("its key, layer", LORA, "TargetMissing", { "body.operations.0.target.layer": 0 }),
  target("its key, layer in 64 bits", LORA, "TargetMissing", {
    "body.operations.0.target.layer": 2n ** 64n - 1n,
  }),
  target("its key, name", LORA, "TargetMissing", { "body.operations.0.target.name": "z" }),
  target("missing before shape", LORA, "TargetMissing", {
    "body.operations.0.target.name": "v",
    "body.operations.0.shape": [],
  }),
  target("shape", LORA, "TargetShape", { "body.operations.0.shape": [3, 2] }),
  target("shape of 64 bits", LORA, "TargetShape", {
    "body.operations.0.shape": [2, 2n ** 64n - 1n],
  }),
  target("shape before quant", LORA, "TargetShape", {
    "body.operations.0.shape": [],
    "body.operations.0.element_type": 2,
  }),
  target("another rank than a's", LORA, "TargetShape", { "body.operations.0.rank": 2 }),
  target("a and b exchanged", {
    ...LORA,
    tensors: { a: dense("a", "a", [2, 1]), b: dense("b", "b", [1, 3]) },
  }, "TargetShape"),
  target("a lora on a scalar", { ...LORA, target: dense("z", "z", []) }, "TargetShape"),
  target("element types of its own are free", {
    ...LORA,
    tensors: { a: dense("a", "a", [1, 3], "u8"), b: dense("b", "b", [2, 1], "u64") },
  }, "accept"),
  target("element_type", LORA, "TargetQuant", { "body.operations.0.element_type": 2 }),
  target("a quantized target", { ...LORA, target: Q }, "accept"),
  target("of another profile", { ...LORA, target: Q }, "TargetQuant", {
    "body.operations.0.profile": hash(1),
  }),
  target("of another contract", { ...LORA, target: Q }, "TargetQuant", {
    "body.operations.0.kernel_contract": 1,
  }),
  target("a dense target said to be quantized", { ...LORA, target: Q }, "TargetQuant", {
    "body.operations.0.target.role": "w",
    "body.operations.0.target.name": "w",
  }),
  target("an auxiliary target of the base is a tensor of the base", {
    op: "additive-delta/1",
    target: dense("scale", "s", [2]),
    tensors: { delta: dense("d", "d", [2]) },
  }, "accept"),
  target("a delta on a scalar", {
    op: "additive-delta/1",
    target: dense("z", "z", []),
    tensors: { delta: dense("d", "d", []) },
  }, "accept"),
  target("a delta of another shape", {
    op: "additive-delta/1",
    target: W,
    tensors: { delta: dense("d", "d", [6]) },
  }, "TargetShape"),
  target("a vector", {
    op: "multiplicative-vector/1",
    axis: 1,
    target: W,
    tensors: { v: dense("v", "v", [3]) },
  }, "accept"),
  target("of another axis", {
    op: "multiplicative-vector/1",
    axis: 0,
    target: W,
    tensors: { v: dense("v", "v", [3]) },
  }, "TargetShape"),
  target("an axis that is none", {
    op: "multiplicative-vector/1",
    axis: 2,
    target: W,
    tensors: { v: dense("v", "v", [3]) },
  }, "TargetShape"),
  target(
    "an axis of 64 bits",
    { op: "multiplicative-vector/1", axis: 0, target: W, tensors: { v: dense("v", "v", [2]) } },
    "TargetShape",
    { "body.operations.0.axis": 2n ** 64n - 1n },
  ),
  target("sparse", sparse(dense("i", "i", [7], "u64"), dense("v", "v", [7])), "accept"),
  target(
    "sparse on a scalar",
    sparse(dense("i", "i", [1], "u64"), dense("v", "v", [1]), dense("z", "z", [])),
    "accept",
  ),
  target(
    "sparse of two lengths",
    sparse(dense("i", "i", [2], "u64"), dense("v", "v", [1])),
    "TargetShape",
  ),
  target(
    "sparse of rank 2",
    sparse(dense("i", "i", [1, 1], "u64"), dense("v", "v", [1, 1])),
    "TargetShape",
  ),
  target(
    "an index of u32",
    sparse(dense("i", "i", [1], "u32"), dense("v", "v", [1])),
    "TargetShape",
  ),
  target(
    "values of f16",
    sparse(dense("i", "i", [1], "u64"), dense("v", "v", [1], "f16")),
    "TargetShape",
  ),
  [
    "operation by operation",
    () =>
      edited(
        adapter(base, [LORA, {
          op: "additive-delta/1",
          target: W,
          tensors: { delta: dense("d", "d", [2, 3]) },
        }]),
        { "body.operations.0.element_type": 2, "body.operations.1.target.name": "v" },
      ),
    "25 TargetQuant [manifest]",
    given(base),
  ],
  [
    "a candidate's own operations are judged",
    () => receipt({}),
    MISSING,
    given(make(LORA, { "body.operations.0.tensors": {} })),
  ],
]);
