/** Stage 25: tensors of a `llama/1` that are not the table's (classes.md section 2). */
import type { TensorDescription } from "../../writer/description.ts";
import { blocks, floats } from "../bytes.ts";
import { type Case, corrupt, type Recipe } from "../case.ts";
import { grouped, rowScaled } from "../valid/models.ts";
import { dense } from "../valid/tensors.ts";
import { ARCHITECTURE, withTensors } from "./architecture_fault.ts";

export const tensors: Recipe = {
  name: "corrupt/architecture/tensors",
  reason:
    "a llama/1 whose tensors are not the table's: missing, extra, of another layer, type or shape",
  spec: "classes.md 2",
  cites: [
    "classes-2 A missing, extra",
    "classes-2 Norm tensors are dense",
    "classes-2 Tensors, by (role, layer)",
    "classes-2 An auxiliary target has role",
    "classes-2 a `scale` tensor that is no target",
  ],
  cases() {
    const all = grouped().description.tensors!;
    const one = (
      local: string,
      why: string,
      change: (tensors: readonly TensorDescription[]) => readonly TensorDescription[],
    ) =>
      corrupt(
        grouped(),
        `${tensors.name}/${local}`,
        why,
        withTensors(grouped(), change),
        ARCHITECTURE,
      );
    const with_ =
      (name: string, more: Partial<TensorDescription>) => (list: readonly TensorDescription[]) =>
        list.map((tensor) => tensor.name === name ? { ...tensor, ...more } : tensor);
    const shaped = (name: string, shape: readonly number[]) =>
      with_(name, { shape, payload: floats(shape.reduce((a, b) => a * b, 1)) });
    const first = all.filter(({ layer = -1 }) => layer <= 0);
    return [
      ...all.map(({ name }) =>
        one(
          `without-${name}`,
          `${name} is missing`,
          (list) => list.filter((tensor) => tensor.name !== name),
        )
      ),
      ...first.map((tensor) =>
        one(
          `shape-${tensor.name}`,
          `${tensor.name} has one row more`,
          shaped(tensor.name, [tensor.shape[0] + 1, ...tensor.shape.slice(1)]),
        )
      ),
      ...first.filter(({ shape }) => shape.length === 2).map((tensor) =>
        one(
          `columns-${tensor.name}`,
          `${tensor.name} has one column more`,
          shaped(tensor.name, [tensor.shape[0], tensor.shape[1] + 1]),
        )
      ),
      one("rank-1", "a matrix as one row of all its elements", shaped("ffn-up.0", [48])),
      one("rank-3", "a matrix under a dimension of one", shaped("ffn-up.0", [1, 6, 8])),
      one("transposed", "a matrix the other way round", shaped("ffn-up.0", [8, 6])),
      ...["f64", "i8", "u8", "i32", "u64"].map((type) =>
        one(
          `type-${type}`,
          `a matrix of ${type}`,
          with_("ffn-up.0", { type, payload: dense(type, [6, 8]).payload }),
        )
      ),
      one(
        "norm-quantized",
        "a norm that is quantized",
        with_("final-norm", { type: "q8-0.b32.pad", payload: blocks("q8-0.b32.pad", [8]) }),
      ),
      one(
        "layer-2",
        "a layer more than the model has",
        (list) => [...list, { ...all[1], name: "more", layer: 2 }],
      ),
      one("layer-none", "a tensor of a layer without one", with_("ffn-up.0", { layer: -1 })),
      one(
        "global-layer-0",
        "a tensor of the whole model on a layer",
        with_("final-norm", { layer: 0 }),
      ),
      one("subindex-0", "a subindex", with_("ffn-up.0", { subindex_0: 0 })),
      one("subindex-1", "a subindex", with_("final-norm", { subindex_1: 0 })),
      one(
        "twice",
        "a tensor twice under two names",
        (list) => [...list, { ...all[1], name: "twin" }],
      ),
      one(
        "twice-subindex",
        "a tensor twice, told apart by a subindex",
        (list) => [...list, { ...all[1], name: "twin", subindex_0: 0 }],
      ),
      one(
        "extra-role",
        "a tensor of another role",
        (list) => [...list, dense("f32", [2], { role: "rope-freqs", name: "extra" })],
      ),
      one(
        "extra-scale",
        "a scale that is no target",
        (list) => [...list, dense("f32", [2], { role: "scale", name: "extra", layer: 0 })],
      ),
      ...scales(),
    ];
  },
};

function scales(): Case[] {
  const parent = rowScaled();
  const one = (local: string, why: string, more: Partial<TensorDescription>) =>
    corrupt(
      parent,
      `corrupt/architecture/tensors/scale-${local}`,
      why,
      withTensors(
        parent,
        (list) =>
          list.map((tensor) => tensor.name === "ffn-up.0.scale" ? { ...tensor, ...more } : tensor),
      ),
      ARCHITECTURE,
    );
  const shared = parent.description.auxiliaries!.map((one) =>
    one.owner === "ffn-up.1" ? { ...one, target: "ffn-up.0.scale" } : one
  );
  return [
    one("role", "an auxiliary target of another role", { role: "scales" }),
    one("layer", "an auxiliary target on another layer than its owner", { layer: 1 }),
    one("layer-none", "an auxiliary target on no layer", { layer: -1 }),
    corrupt(
      parent,
      "corrupt/architecture/tensors/scale-shared",
      "one target for owners of two layers",
      withTensors(parent, (list) => list.filter(({ name }) => name !== "ffn-up.1.scale"), {
        auxiliaries: shared,
      }),
      ARCHITECTURE,
    ),
  ];
}
