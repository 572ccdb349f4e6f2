/** Adapters without a resolver (classes.md 3): a row a sentence. */
import { adapter } from "../../corpus/writer/build/adapter.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { dense, edited, type Edits, hash, type Row, sentences } from "./sentences.ts";

const BASE = {
  class: 2,
  artifact_id: "11".repeat(32),
  whole_file: "22".repeat(32),
  tensor_layout: "33".repeat(32),
};

const target = { role: "w", name: "w", shape: [2, 3], type: "f32" };

const LORA = adapter(BASE, [{
  op: "lora/1",
  target,
  tensors: { a: dense("a", "a", [1, 3]), b: dense("b", "b", [2, 1]) },
}]);

const VECTOR = adapter(BASE, [{
  op: "multiplicative-vector/1",
  target,
  tensors: { v: dense("v", "v", [2]) },
}]);

const TWO = adapter(
  BASE,
  ["x", "y"].map((name) => ({
    op: "additive-delta/1" as const,
    target,
    tensors: { delta: dense("d", name, [2, 3]) },
  })),
);

const OPERATION = "25 UnsupportedOperation [manifest]";

const VALUE = "18 BadValue [manifest]";

const op = (
  sentence: string,
  description: Description,
  edits: Edits,
  expected: string,
): Row => [sentence, () => edited(description, edits), expected];

const key = (name: string, role: string) => ({
  layer: -1,
  name,
  role,
  subindex_0: -1,
  subindex_1: -1,
});

sentences("classes.md 3", [
  op("a lora", LORA, {}, "accept"),
  op("no operation", LORA, { "body.operations": [] }, VALUE),
  op(
    "an unknown op",
    LORA,
    { "body.operations.0.op": "x/1", "body.operations.0.rank": 0 },
    OPERATION,
  ),
  op("an unknown op with a rank", LORA, { "body.operations.0.op": "x/1" }, VALUE),
  op("rank 0 of a lora", LORA, { "body.operations.0.rank": 0 }, VALUE),
  op(
    "rank 2^64 - 1 is for a resolver",
    LORA,
    { "body.operations.0.rank": 2n ** 64n - 1n },
    "accept",
  ),
  op("an axis of a lora", LORA, { "body.operations.0.axis": 0 }, VALUE),
  op("axis -1 of a vector", VECTOR, { "body.operations.0.axis": -1 }, VALUE),
  op("axis -2^63 of a vector", VECTOR, { "body.operations.0.axis": -(2n ** 63n) }, VALUE),
  op("axis 2^64 - 1 of a vector is for a resolver", VECTOR, {
    "body.operations.0.axis": 2n ** 64n - 1n,
  }, "accept"),
  op("element_type 256 without a profile", LORA, { "body.operations.0.element_type": 256 }, VALUE),
  op("a profile without element_type 256", LORA, {
    "body.operations.0.profile": hash(1),
    "body.operations.0.kernel_contract": 1,
  }, VALUE),
  op("a contract without a profile", LORA, { "body.operations.0.kernel_contract": 1 }, VALUE),
  op("a profile without contract", LORA, {
    "body.operations.0.profile": hash(1),
    "body.operations.0.element_type": 256,
  }, VALUE),
  op("element_type 0 is for a resolver", LORA, { "body.operations.0.element_type": 0 }, "accept"),
  op("all of shape is for a resolver", LORA, { "body.operations.0.shape": [] }, "accept"),
  op("accumulator 2", LORA, { "body.operations.0.accumulator": 2 }, VALUE),
  op("order beyond 2^53", TWO, {
    "body.operations.0.order": 2n ** 53n,
    "body.operations.1.order": 2n ** 53n + 1n,
  }, "accept"),
  op("one order twice", TWO, { "body.operations.1.order": 0 }, VALUE),
  op("an operand too many", VECTOR, { "body.operations.0.tensors.w": key("v", "v") }, OPERATION),
  op(
    "an operand of another name",
    VECTOR,
    { "body.operations.0.tensors": { w: key("v", "v") } },
    OPERATION,
  ),
  op("no operands", VECTOR, { "body.operations.0.tensors": {} }, OPERATION),
  op(
    "an operand's name is an identifier",
    VECTOR,
    { "body.operations.0.tensors": { V: 1 } },
    "18 BadIdentifier [manifest]",
  ),
  op(
    "a tensor that is not there",
    VECTOR,
    { "body.operations.0.tensors.v.layer": 2n ** 64n - 1n },
    OPERATION,
  ),
  op("layer -2^63", VECTOR, { "body.operations.0.tensors.v.layer": -(2n ** 63n) }, OPERATION),
  op(
    "a layer that is -1 in 64 bits",
    VECTOR,
    { "body.operations.0.tensors.v.layer": 2 ** 32 - 1 },
    OPERATION,
  ),
  op("a tensor named twice", TWO, { "body.operations.1.tensors.delta": key("x", "d") }, OPERATION),
  op(
    "a tensor that none names",
    { ...VECTOR, tensors: [...VECTOR.tensors!, dense("u", "u", [])] },
    {},
    OPERATION,
  ),
  op(
    "a target need not be named",
    adapter(BASE, [{
      op: "additive-delta/1",
      target,
      tensors: {
        delta: { ...dense("d", "d", [2, 3]), type: "q8-row.exact", payload: new Uint8Array(6) },
      },
    }], { targets: [dense("s", "s", [2])], auxiliaries: [{ owner: "d", target: "s" }] }),
    {},
    "accept",
  ),
  op(
    "a target may not be named",
    adapter(BASE, [{
      op: "sparse-delta/1",
      target,
      tensors: {
        index: { ...dense("d", "d", [2, 3]), type: "q8-row.exact", payload: new Uint8Array(6) },
        value: dense("s", "s", [2]),
      },
    }], { auxiliaries: [{ owner: "d", target: "s" }] }),
    {},
    OPERATION,
  ),
  op("a target outside i32 is for a resolver", VECTOR, {
    "body.operations.0.target.layer": -(2n ** 63n),
  }, "accept"),
]);
