/** Stage 25: profiles that are not registered, architectures, KV caches and retrieval indexes. */
import type { Description, TensorDescription } from "../../writer/description.ts";
import type { Item } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { llama, tensorPack } from "../../writer/build/model.ts";
import type { ProfileFields } from "../../writer/profiles.ts";
import { REGISTERED } from "../../writer/profiles.ts";
import { blocks, digestOf, floats, ramp } from "../bytes.ts";
import {
  type Case,
  corrupt,
  lazy,
  type Recipe,
  type Rejection,
  valid,
  type ValidCase,
} from "../case.ts";
import { edited, replaced, withEntry, without } from "../items.ts";
import { base, full, LLAMA, llamaTensors, model } from "../library.ts";
import { grouped, rowScaled } from "../valid/models.ts";
import { dense, quantized } from "../valid/tensors.ts";
import { richKv } from "../rich.ts";

const ARCHITECTURE: Rejection = [25, "UnsupportedArchitecture", "manifest"];

const single = lazy(() =>
  valid("valid/capability/q8", "a model of one registered profile", quantized("q8-0.b32.pad", [64]))
);

const valids: Recipe = {
  name: "valid/capability",
  reason: "capabilities that every reader has: what the negative cases are made from",
  spec: "slm2.md 7.2",
  cites: ["slm2-7.2 Registered profiles"],
  cases: () => [single()],
};

/** A profile whose fields are consistent, and which is registered under no such name. */
const PROFILES:
  readonly (readonly [local: string, why: string, name: string, fields: Partial<ProfileFields>])[] =
    [
      ["renamed", "a registered record under another name", "lab-q8", {}],
      ["name-taken", "a registered name over another record", "q8-0.b32.pad", { rounding_mode: 2 }],
      ["rounding-3", "another rounding mode", "lab-q8", { rounding_mode: 3 }],
      ["signedness-0", "unsigned codes of eight bits", "lab-q8", { code_signedness: 0 }],
      ["signedness-2", "biased codes of eight bits", "lab-q8", { code_signedness: 2 }],
      ["storage-u8", "codes stored as u8", "lab-q8", { storage_type: 6 }],
      ["contract-2", "another kernel contract", "lab-q8", { kernel_contract: 2 }],
      ["contract-5", "contract 5 with a scale in the block", "lab-q8", { kernel_contract: 5 }],
      ["scale-f32", "an f32 scale in the block", "lab-q8", { scale_type: 1, block_bytes: 36 }],
      ["block-64", "a block of 64", "lab-q8", {
        block_elements: 64,
        code_count_per_block: 64,
        block_bytes: 66,
      }],
      ["block-1", "a block of one", "lab-q8", {
        block_elements: 1,
        code_count_per_block: 1,
        block_bytes: 3,
      }],
      ["block-3", "a block of three, which an eight-bit code may have", "lab-q8", {
        block_elements: 3,
        code_count_per_block: 3,
        block_bytes: 5,
      }],
      ["block-4096", "the greatest block", "lab-q8", {
        block_elements: 4096,
        code_count_per_block: 4096,
        block_bytes: 4098,
      }],
      ["zero-point-f16", "a zero point in the block", "lab-q8", {
        zero_point_type: 2,
        zero_point_count_per_block: 1,
        zero_point_placement: 1,
        block_bytes: 36,
      }],
      ["zero-point-f32", "an f32 zero point in the block", "lab-q8", {
        zero_point_type: 1,
        zero_point_count_per_block: 1,
        zero_point_placement: 1,
        block_bytes: 38,
      }],
      ["no-scale", "no scale at all", "lab-q8", {
        scale_type: 0,
        scale_count_per_block: 0,
        scale_placement: 0,
        block_bytes: 32,
      }],
      ["calibrated", "a calibration recipe", "lab-q8", {
        calibration_mode: 1,
        calibration_identity: digestOf(1),
      }],
      ["pairs", "four-bit codes in pairs", "lab-q4", {
        code_bits: 4,
        packing_order: 3,
        block_bytes: 18,
        code_signedness: 2,
      }],
      ["halves-2", "four-bit codes in split halves, a block of two", "lab-q4", {
        code_bits: 4,
        packing_order: 2,
        block_elements: 2,
        code_count_per_block: 2,
        block_bytes: 3,
      }],
    ];

const unregistered: Recipe = {
  name: "corrupt/capability/profile",
  reason: "a profile may be consistent and yet unknown: that is not a fault of its fields",
  spec: "slm2.md 7.2 and 8, stage 25",
  cites: [
    "slm2-7.2 Registered profiles",
    "slm2-7.2 Each of the first five rows",
    "slm2-7.2 1 recipe hash",
    "slm2-decisions *Section 7.2, kernel contract 5",
  ],
  cases: () =>
    PROFILES.map(([local, why, name, fields]) => {
      const profile = { name, fields: { ...REGISTERED.get("q8-0.b32.pad")!.fields, ...fields } };
      const { block_elements, block_bytes } = profile.fields;
      const payload = ramp(Math.ceil(64 / block_elements) * block_bytes);
      const file = assemble({
        ...tensorPack([dense("u8", [64], { type: name, payload })]),
        profiles: [profile],
      });
      return corrupt(single(), `${unregistered.name}/${local}`, why, file.bytes, [
        25,
        "UnsupportedQuantProfile",
        "quant",
      ]);
    }),
};

/** A parent with other tensors, everything else derived. */
const withTensors = (
  parent: ValidCase,
  change: (tensors: readonly TensorDescription[]) => readonly TensorDescription[],
  more: Partial<Description> = {},
) =>
  assemble({ ...parent.description, ...more, tensors: change(parent.description.tensors ?? []) })
    .bytes;

const LEAST = [
  "dim",
  "head_dim",
  "heads",
  "hidden_dim",
  "kv_heads",
  "layers",
  "max_seq",
  "vocab",
] as const;
const P = ["body", "architecture", "parameters"] as const;

const parameters: Recipe = {
  name: "corrupt/architecture/parameters",
  reason: "parameters of llama/1 that break its rules",
  spec: "classes.md 2",
  cites: [
    "classes-2 `llama/1`: parameters",
    "classes-2 heads is a multiple of kv_heads",
    "classes-2 A missing, extra",
    "classes-2 (A reader's work",
  ],
  cases() {
    const put = (local: string, key: string, value: Item, why = `${key} is ${String(value)}`) =>
      corrupt(
        base(),
        `${parameters.name}/${local}`,
        why,
        replaced(base(), [...P, key], value),
        ARCHITECTURE,
      );
    return [
      ...Object.keys(LLAMA).map((key) =>
        corrupt(
          base(),
          `${parameters.name}/without-${key}`,
          `${key} is missing`,
          edited(base(), P, (map) => without(map, key)),
          ARCHITECTURE,
        )
      ),
      ...["a", "extra", "n_layers_of_another_kind"].map((key) =>
        corrupt(
          base(),
          `${parameters.name}/unknown-${key}`,
          `a parameter ${key}: the map is closed`,
          edited(base(), P, (map) => withEntry(map, key, 1)),
          ARCHITECTURE,
        )
      ),
      ...LEAST.flatMap((key) => [
        put(`${key}-0`, key, 0),
        put(`${key}-minus-1`, key, -1),
        put(`${key}-text`, key, "2", `${key} is a text`),
        put(`${key}-null`, key, null),
        put(`${key}-plus-2`, key, LLAMA[key] + 2, `${key} is two more than the tensors have`),
        put(`${key}-2-64`, key, 2n ** 64n - 1n, `${key} is 2^64 - 1`),
      ]).filter(({ id }) => !/max_seq-(plus-2|2-64)$/.test(id)),
      put("layers-65536", "layers", 65536, "more layers than a file can have tensors"),
      put("layers-2-53", "layers", 2 ** 53 - 1, "2^53 - 1 layers"),
      ...([
        ["heads-3-kv-2", { heads: 3, kv_heads: 2 }],
        ["heads-1-kv-2", { heads: 1, kv_heads: 2 }],
        ["head-dim-odd", { head_dim: 3 }],
      ] as const).map(([local, more]) => {
        const p = { ...LLAMA, ...more };
        return corrupt(
          base(),
          `${parameters.name}/${local}`,
          `${JSON.stringify(more)}, the tensors fitting`,
          assemble(llama(p, llamaTensors(p))).bytes,
          ARCHITECTURE,
        );
      }),
      put("norm-eps-0", "norm_eps", [0, 1], "an epsilon of zero"),
      put("norm-eps-negative", "norm_eps", [-1, 100000], "a negative epsilon"),
      put("norm-eps-int", "norm_eps", 1, "an epsilon that is no rational"),
      put("norm-eps-gcd", "norm_eps", [2, 4], "an epsilon that is not in lowest terms"),
      put("norm-eps-denominator-0", "norm_eps", [1, 0], "an epsilon over zero"),
      put("rope-theta-0", "rope_theta", [0, 1], "a base of zero"),
      put("rope-theta-negative", "rope_theta", [-10000, 1], "a negative base"),
      put("rope-theta-length", "rope_theta", [10000, 1, 1], "a base of three numbers"),
      put("rope-style-2", "rope_style", 2),
      put("rope-style-bool", "rope_style", true, "a style that is true"),
      put("tied-output-false", "tied_output", false, "an output of its own, which is not there"),
      put("tied-output-1", "tied_output", 1, "tied_output that is a number"),
    ];
  },
};

const ids: Recipe = {
  name: "corrupt/architecture/id",
  reason: "architectures that are not registered, and a pack with parameters",
  spec: "classes.md 2",
  cites: ["classes-2 `tensor-pack/1`", "classes-2 A missing, extra"],
  cases: () => [
    ...["llama", "llama/2", "llama/10", "lama/1", "gpt2/1", "tensor-pack", "tensor-pack/2"].map((
      id,
    ) =>
      corrupt(
        base(),
        `${ids.name}/${id.replace("/", "-")}`,
        `the architecture ${id}`,
        replaced(base(), ["body", "architecture", "id"], id),
        ARCHITECTURE,
      )
    ),
    corrupt(
      base(),
      `${ids.name}/pack-with-parameters`,
      "tensor-pack/1 has no parameters",
      replaced(base(), ["body", "architecture", "id"], "tensor-pack/1"),
      ARCHITECTURE,
    ),
    corrupt(
      model(),
      `${ids.name}/pack-with-one`,
      "tensor-pack/1 with one parameter",
      replaced(model(), P, { dim: 1 }),
      ARCHITECTURE,
    ),
    corrupt(
      model(),
      `${ids.name}/llama-without-parameters`,
      "llama/1 with an empty map",
      replaced(model(), ["body", "architecture", "id"], "llama/1"),
      ARCHITECTURE,
    ),
  ],
};

const tensors: Recipe = {
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

const cache: Recipe = {
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

const index: Recipe = {
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

export const architecture: readonly Recipe[] = [
  valids,
  unregistered,
  ids,
  parameters,
  tensors,
  cache,
  index,
];
