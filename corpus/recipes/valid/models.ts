/** Models: `llama/1` in every variant, `tensor-pack/1`. */
import type { LlamaParameters } from "../../writer/bodies.ts";
import { llama, llamaSlots, slotName, tensorPack } from "../../writer/build/model.ts";
import type { Description, TensorDescription } from "../../writer/description.ts";
import { storageOf, storedBytes } from "../../writer/storage.ts";
import { blocks, ramp } from "../bytes.ts";
import { lazy, type Recipe, valid } from "../case.ts";
import { LLAMA, llamaTensors } from "../library.ts";
import { dense, scaleOf } from "./tensors.ts";

const NORMS = ["attention-norm", "ffn-norm", "final-norm"];

/** A `llama/1` whose matrices are of one type, and whose norms are f32. */
export function llamaOf(p: LlamaParameters, type: string, artifact_class: 1 | 2 = 2): Description {
  const quantized = storageOf(type).profile !== null;
  const tensors = llamaSlots(p).map((slot, i): TensorDescription => {
    const own = quantized && NORMS.includes(slot.role) ? "f32" : type;
    const payload = own === type && quantized
      ? blocks(type, slot.shape, i)
      : ramp(Number(storedBytes(slot.shape, storageOf(own))), i + 1);
    return { ...slot, name: slotName(slot), type: own, payload };
  });
  const description = llama(p, tensors, artifact_class);
  if (!type.startsWith("q8-row")) return description;
  const owners = tensors.filter((tensor) => tensor.type === type);
  return {
    ...description,
    tensors: [
      ...tensors,
      ...owners.map((owner) => ({ ...scaleOf(owner.name, owner.shape), layer: owner.layer })),
    ],
    auxiliaries: owners.map(({ name }) => ({ owner: name, target: `${name}.scale` })),
  };
}

const p = (more: Partial<LlamaParameters>): LlamaParameters => ({ ...LLAMA, ...more });

/** Two layers, grouped heads, an output of its own. */
export const GROUPED = p({
  dim: 8,
  head_dim: 4,
  heads: 4,
  kv_heads: 2,
  hidden_dim: 6,
  layers: 2,
  max_seq: 16,
  vocab: 5,
  tied_output: false,
});

export const grouped = lazy(() =>
  valid(
    "valid/llama/grouped",
    "two layers, two heads a key-value head, an output matrix",
    llamaOf(GROUPED, "f32"),
  )
);
export const rowScaled = lazy(() =>
  valid(
    "valid/llama/q8-row.exact",
    "matrices of q8-row, each with its scale on its own layer",
    llamaOf(GROUPED, "q8-row.exact"),
  )
);

const variants: Recipe = {
  name: "valid/llama",
  reason: "llama/1 in its variants",
  spec: "classes.md 2",
  cites: [
    "classes-2 `llama/1`: parameters",
    "classes-2 `token-embedding`",
    "classes-2 `output` (absent",
    "classes-2 `attention-q`",
    "classes-2 `attention-k`",
    "classes-2 `attention-output`",
    "classes-2 `ffn-gate`",
    "classes-2 `ffn-down`",
    "classes-2 `final-norm`",
    "classes-2 `attention-norm`",
    "classes-2 Tensors, by (role, layer)",
  ],
  cases: () => [
    grouped(),
    rowScaled(),
    valid("valid/llama/scale-names", "scales of any name and subindex", freeScales(), {
      cites: ["classes-2 its subindexes and name are free"],
    }),
    valid(
      "valid/llama/standalone",
      "the same as a model of class 1",
      llamaOf(GROUPED, "f32", 1),
    ),
    ...[
      "f16",
      "bf16",
      "q8-0.b32.row",
      "q4-0.b32.pad",
      "q4-1.b32.row",
      "q5-0.b32.row",
      "nf4.b64.row",
    ].map((type) => valid(`valid/llama/${type}`, `matrices of ${type}`, llamaOf(GROUPED, type))),
    ...["f16", "bf16"].map((type) =>
      valid(`valid/llama/norms-${type}`, `norms of ${type} beside matrices of f32`, withNorms(type))
    ),
    valid(
      "valid/llama/half-split",
      "rotary pairs as halves, another base and epsilon",
      llama(
        p({ rope_style: 1, rope_theta: [500000, 1], norm_eps: [1, 1000000] }),
        llamaTensors(LLAMA),
      ),
    ),
    valid(
      "valid/llama/theta-below-one",
      "any positive base",
      llama(p({ rope_theta: [1, 2], norm_eps: [2n ** 63n, 3n] }), llamaTensors(LLAMA)),
    ),
    valid(
      "valid/llama/one-vocab",
      "a vocabulary of one",
      llama(p({ vocab: 1 }), llamaTensors(p({ vocab: 1 }))),
    ),
    valid(
      "valid/llama/wide-head",
      "heads x head_dim need not be dim",
      llama(
        p({ head_dim: 6, heads: 3, kv_heads: 3 }),
        llamaTensors(p({ head_dim: 6, heads: 3, kv_heads: 3 })),
      ),
    ),
    valid(
      "valid/llama/huge-max-seq",
      "max_seq is bounded by nothing but 64 bits",
      llama(p({ max_seq: 2 ** 53 - 1 }), llamaTensors(LLAMA)),
    ),
    valid(
      "valid/llama/free-names",
      "names are free: only role and layer count",
      llama(LLAMA, llamaTensors(LLAMA).map((tensor, i) => ({ ...tensor, name: `t${i}` }))),
    ),
  ],
};

/** `q8-row` with scales that have names and subindexes of their own. */
function freeScales(): Description {
  const { tensors = [], auxiliaries = [], ...rest } = llamaOf(GROUPED, "q8-row.exact");
  const renamed = (name: string) => `s-${name.replace(".scale", "")}`;
  return {
    ...rest,
    tensors: tensors.map((tensor, i) =>
      tensor.role === "scale"
        ? { ...tensor, name: renamed(tensor.name), subindex_0: i, subindex_1: 7 }
        : tensor
    ),
    auxiliaries: auxiliaries.map((one) => ({ ...one, target: renamed(one.target) })),
  };
}

function withNorms(type: string): Description {
  const { tensors = [], ...rest } = llamaOf(GROUPED, "f32");
  return {
    ...rest,
    tensors: tensors.map((tensor) =>
      NORMS.includes(tensor.role)
        ? dense(type, tensor.shape, { role: tensor.role, name: tensor.name, layer: tensor.layer })
        : tensor
    ),
  };
}

const packs: Recipe = {
  name: "valid/pack",
  reason: "tensor-pack/1: any tensors",
  spec: "classes.md 2",
  cites: ["classes-2 `tensor-pack/1`", "classes-2 any tensors"],
  cases: () => [
    valid("valid/pack/base", "a pack as a base", tensorPack([dense("i64", [2])], 2)),
    valid(
      "valid/pack/llama-roles",
      "roles of another architecture mean nothing here",
      tensorPack(llamaTensors(LLAMA).slice(0, 3)),
    ),
    valid(
      "valid/pack/every-type",
      "every dense element type in one file",
      tensorPack(
        ["f32", "f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"].map((
          type,
        ) => dense(type, [3], { role: "w", name: type })),
      ),
    ),
  ],
};

export const models: readonly Recipe[] = [variants, packs];
