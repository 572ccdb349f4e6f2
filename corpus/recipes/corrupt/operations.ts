/** Stage 25 of an adapter, without a resolver: its operations and its own tensors. */
import type { Item } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { edited, type Path, replaced, withEntry, without } from "../items.ts";
import { everyOperation, scaledOperand } from "../valid/adapters.ts";
import { dense } from "../valid/tensors.ts";

const OPERATION: Rejection = [25, "UnsupportedOperation", "manifest"];

const at = (index: number, ...path: Path): Path => ["body", "operations", index, ...path];

export const operationFaults: Recipe = {
  name: "corrupt/operation",
  reason: "operations that are not registered, and operands that are not just this file's tensors",
  spec: "classes.md 3",
  cites: [
    "classes-3 Stage 25, without a resolver too",
    "classes-3 every key there names",
    "classes-3 every tensor that is no auxiliary target",
  ],
  cases() {
    const parent = everyOperation();
    const fault = (local: string, why: string, bytes: Uint8Array, of: ValidCase = parent) =>
      corrupt(of, `${operationFaults.name}/${local}`, why, bytes, OPERATION);
    const put = (local: string, why: string, path: Path, value: Item, of = parent) =>
      fault(local, why, replaced(of, path, value), of);
    const delta: Item = { layer: -1, name: "delta", role: "delta", subindex_0: -1, subindex_1: -1 };
    return [
      ...["lora/2", "lora", "dora/1", "additive-delta/2", "merge/1"].map((op) =>
        put(`op-${op.replace("/", "-")}`, `the operation ${op}`, at(1, "op"), op)
      ),
      put(
        "op-sparse-as-additive",
        "another operation than its operands are for",
        at(2, "op"),
        "additive-delta/1",
      ),
      ...[0, 1, 2, 3].map((i) =>
        put(`${i}-no-operand`, `operation ${i} without operands`, at(i, "tensors"), {})
      ),
      fault(
        "lora-without-a",
        "lora/1 without a",
        edited(parent, at(0, "tensors"), (map) => without(map, "a")),
      ),
      fault(
        "lora-without-b",
        "lora/1 without b",
        edited(parent, at(0, "tensors"), (map) => without(map, "b")),
      ),
      fault(
        "lora-extra",
        "lora/1 with a third operand",
        edited(parent, at(0, "tensors"), (map) => withEntry(map, "c", delta)),
      ),
      fault(
        "additive-renamed",
        "additive-delta/1 whose operand is d",
        edited(parent, at(1, "tensors"), (map) => withEntry(without(map, "delta"), "d", delta)),
      ),
      fault(
        "sparse-extra",
        "sparse-delta/1 with a delta",
        edited(parent, at(2, "tensors"), (map) => withEntry(map, "delta", delta)),
      ),
      ...([
        ["name", "other"],
        ["role", "other"],
        ["layer", 0],
        ["layer", -2],
        ["layer", 2n ** 63n - 1n],
        ["layer", 2 ** 32 - 1],
        ["subindex_0", 0],
        ["subindex_1", 0],
      ] as const).map(([key, value]) =>
        put(
          `missing-${key.replace("_", "-")}-${String(value).replace("-", "minus-")}`,
          `no tensor of this file has ${key} ${value}`,
          at(1, "tensors", "delta", key),
          value,
        )
      ),
      put(
        "last-missing",
        "the last operation's operand is no tensor of this file",
        at(3, "tensors", "v", "name"),
        "w",
      ),
      put("twice-in-one", "both operands of an operation are one tensor", at(0, "tensors", "b"), {
        layer: -1,
        name: "a.0",
        role: "lora-a",
        subindex_0: -1,
        subindex_1: -1,
      }),
      put("twice-in-two", "two operations name one tensor", at(3, "tensors", "v"), delta),
      fault(
        "unnamed",
        "a tensor that no operation names",
        assemble({
          ...parent.description,
          tensors: [...parent.description.tensors!, dense("f32", [2], { role: "zz", name: "zz" })],
        }).bytes,
      ),
      fault(
        "unnamed-scale",
        "a scale that is no auxiliary target",
        assemble({
          ...parent.description,
          tensors: [
            ...parent.description.tensors!,
            dense("f32", [2], { role: "scale", name: "zz" }),
          ],
        }).bytes,
      ),
      put("target-named", "an operation names an auxiliary target", at(0, "tensors", "delta"), {
        layer: -1,
        name: "delta.scale",
        role: "scale",
        subindex_0: -1,
        subindex_1: -1,
      }, scaledOperand()),
      fault(
        "unnamed-of-last",
        "the last operation is missing, its tensor not",
        edited(parent, ["body", "operations"], (list) => (list as Item[]).slice(0, 3)),
      ),
    ];
  },
};
