/** Stage 25: the tensors of KV caches and retrieval indexes (classes.md section 9). */
import type { Item } from "../../writer/cbor.ts";
import type { Description, TensorDescription } from "../../writer/description.ts";
import { ramp } from "../bytes.ts";
import { corrupt, type Recipe } from "../case.ts";
import { replaced } from "../items.ts";
import { full } from "../library.ts";
import { richKv } from "../rich.ts";
import { dense } from "../valid/tensors.ts";
import { ARCHITECTURE, withTensors } from "./architecture_fault.ts";

export const cache: Recipe = {
  name: "corrupt/architecture/kv-cache",
  reason: "a KV cache whose tensors are not one key and one value a layer, all alike",
  spec: "classes.md 9",
  cites: ["classes-9 KV tensors"],
  cases() {
    const parent = richKv();
    const [key, value] = parent.description.tensors!;
    const one = (local: string, why: string, list: readonly TensorDescription[]) =>
      corrupt(parent, `${cache.name}/${local}`, why, withTensors(parent, () => list), ARCHITECTURE);
    const body = (local: string, why: string, path: string, put: Item) =>
      corrupt(
        parent,
        `${cache.name}/${local}`,
        why,
        replaced(parent, ["body", path], put),
        ARCHITECTURE,
      );
    return [
      one("no-value", "a key without a value", [key]),
      one("no-key", "a value without a key", [value]),
      one("layer-1-only", "the layers begin at 1", [{ ...key, layer: 1 }, { ...value, layer: 1 }]),
      one("layer-gap", "layers 0 and 2", [key, value, { ...key, name: "k2", layer: 2 }, {
        ...value,
        name: "v2",
        layer: 2,
      }]),
      one("layer-none", "no layer", [{ ...key, layer: -1 }, { ...value, layer: -1 }]),
      one("half-layer", "layer 1 has a key only", [key, value, { ...key, name: "k1", layer: 1 }]),
      one("two-keys", "two keys of one layer", [key, { ...key, name: "k2" }, value]),
      one("subindex", "a subindex", [{ ...key, subindex_0: 0 }, value]),
      one("subindex-1", "a subindex", [key, { ...value, subindex_1: 0 }]),
      one("extra", "a tensor of another role", [
        key,
        value,
        dense("f32", [1, 1, 2], { role: "state", name: "s", layer: 0 }),
      ]),
      one("rank-2", "no axis of heads", [{ ...key, shape: [1, 2] }, { ...value, shape: [1, 2] }]),
      one("rank-4", "an axis too many", [{ ...key, shape: [1, 1, 2, 1] }, {
        ...value,
        shape: [1, 1, 2, 1],
      }]),
      one("positions", "two positions for one", [{ ...key, shape: [1, 2, 1] }, {
        ...value,
        shape: [1, 2, 1],
      }]),
      one("shapes-differ", "key and value of two shapes", [key, { ...value, shape: [2, 1, 1] }]),
      one("type", "tensors of another type than the body's", [{ ...key, type: "i32" }, {
        ...value,
        type: "i32",
      }]),
      one("type-of-one", "a value of another type", [key, {
        ...value,
        type: "f16",
        payload: ramp(4),
      }]),
      body("body-positions", "the body says two positions", "positions", 2),
      body("body-positions-0", "the body says none", "positions", 0),
      body("body-element-type", "the body says f16", "element_type", 2),
      body("body-element-type-256", "the body says 256", "element_type", 256),
      body("body-element-type-0", "the body says type 0", "element_type", 0),
      body("body-positions-2-64", "the body says 2^64 - 1 positions", "positions", 2n ** 64n - 1n),
    ];
  },
};

export const index: Recipe = {
  name: "corrupt/architecture/retrieval",
  reason: "a retrieval index whose tensors are not one matrix of vectors and its scale",
  spec: "classes.md 9",
  cites: ["classes-9 Retrieval: exactly one tensor"],
  cases() {
    const parent = full();
    const [vectors, scale] = parent.description.tensors!;
    const one = (
      local: string,
      why: string,
      list: readonly TensorDescription[],
      more: Partial<Description> = {},
    ) =>
      corrupt(
        parent,
        `${index.name}/${local}`,
        why,
        withTensors(parent, () => list, more),
        ARCHITECTURE,
      );
    const floats34 = dense("f32", [3, 4], { role: "vectors", name: "vectors" });
    const plain = { auxiliaries: [] };
    return [
      one("role", "another role", [{ ...vectors, role: "vector" }, scale]),
      one("layer", "a layer", [{ ...vectors, layer: 0 }, scale]),
      one("subindex-0", "a subindex", [{ ...vectors, subindex_0: 0 }, scale]),
      one("subindex-1", "a subindex", [{ ...vectors, subindex_1: 1 }, scale]),
      one("scale-role", "the scale has another role", [vectors, { ...scale, role: "scales" }]),
      one("scale-layer", "the scale has a layer", [vectors, { ...scale, layer: 0 }]),
      one("two", "two matrices", [floats34, { ...floats34, name: "more" }], plain),
      one("extra", "a tensor beside them", [
        vectors,
        scale,
        dense("f32", [1], { role: "norms", name: "norms" }),
      ]),
      one("extra-scale", "a scale that nothing has", [floats34, scale], plain),
      one("rows", "a row more than documents", [
        dense("f32", [4, 4], { role: "vectors", name: "vectors" }),
      ], plain),
      one("columns", "a column more than dim", [
        dense("f32", [3, 5], { role: "vectors", name: "vectors" }),
      ], plain),
      one("transposed", "the other way round", [
        dense("f32", [4, 3], { role: "vectors", name: "vectors" }),
      ], plain),
      one("rank-1", "one row of everything", [
        dense("f32", [12], { role: "vectors", name: "vectors" }),
      ], plain),
      one("rank-3", "an axis too many", [
        dense("f32", [3, 4, 1], { role: "vectors", name: "vectors" }),
      ], plain),
      ...["f16", "bf16", "f64", "i8", "u32"].map((type) =>
        one(`type-${type}`, `dense vectors of ${type}`, [
          dense(type, [3, 4], { role: "vectors", name: "vectors" }),
        ], plain)
      ),
      ...([["count", 4], ["count", 0], ["dim", 5], ["dim", 0], ["dim", 2n ** 64n - 1n]] as const)
        .map(([key, value]) =>
          corrupt(
            parent,
            `${index.name}/body-${key}-${value}`,
            `the body says ${key} ${value}`,
            replaced(parent, ["body", key], value),
            ARCHITECTURE,
          )
        ),
    ];
  },
};
