/** Tensors of models (classes.md 2): a row a sentence. */
import { llama, llamaSlots, slotName } from "../../corpus/writer/build/model.ts";
import type { LlamaParameters } from "../../corpus/writer/bodies.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { dense, edited, type Edits, file, type Row, sentences } from "./sentences.ts";

const ARCHITECTURE = "25 UnsupportedArchitecture [manifest]";

const P: LlamaParameters = {
  dim: 4,
  head_dim: 2,
  heads: 2,
  hidden_dim: 3,
  kv_heads: 1,
  layers: 2,
  max_seq: 8,
  norm_eps: [1, 100000],
  rope_style: 0,
  rope_theta: [10000, 1],
  tied_output: false,
  vocab: 5,
};

type Change = (tensors: TensorDescription[]) => TensorDescription[];

const model = (change: Change = (t) => t, parameters: Partial<LlamaParameters> = {}) => {
  const slots = llamaSlots(P).map((slot) => ({
    ...dense(slot.role, slotName(slot), slot.shape),
    layer: slot.layer,
  }));
  return llama({ ...P, ...parameters }, change(slots));
};

const change = (name: string, to: Partial<TensorDescription>): Change => (tensors) =>
  tensors.map((t) => t.name === name ? { ...t, ...to } : t);

const rows = (name: string): Change => (tensors) =>
  tensors.map((t) =>
    t.name === name
      ? { ...t, type: "q8-row.exact", payload: new Uint8Array(t.shape.reduce((n, d) => n * d, 1)) }
      : t
  );

const l = (
  sentence: string,
  tensors: Change,
  expected: string,
  more: Partial<Description> = {},
): Row => [sentence, () => file({ ...model(tensors), ...more }), expected];

const e = (
  sentence: string,
  edits: Edits,
  expected = ARCHITECTURE,
): Row => [
  sentence,
  () =>
    edited(
      model(),
      Object.fromEntries(
        Object.entries(edits).map(([key, value]) => [`body.architecture.parameters.${key}`, value]),
      ),
    ),
  expected,
];

const scale = (name: string, n: number, layer: number, subindex_0 = -1) => ({
  ...dense("scale", name, [n]),
  layer,
  subindex_0,
});

sentences("classes.md 2, llama/1", [
  l("as the table has it", (t) => t, "accept"),
  l("f16 norms", change("final-norm", { type: "f16", payload: new Uint8Array(8) }), "accept"),
  l("an f64 weight", change("output", { type: "f64", payload: new Uint8Array(160) }), ARCHITECTURE),
  l("a u32 weight", change("output", { type: "u32" }), ARCHITECTURE),
  l(
    "a quantized norm",
    change("final-norm", { type: "q8-0.b32.row", payload: new Uint8Array(34) }),
    ARCHITECTURE,
  ),
  l("a subindex", change("output", { subindex_1: 0 }), ARCHITECTURE),
  l("a layer that is none", change("ffn-up.1", { layer: 2 }), ARCHITECTURE),
  l("a role more", (t) => [...t, dense("bias", "bias", [4])], ARCHITECTURE),
  l("a slot twice", (t) => [...t, dense("output", "zz", [5, 4])], ARCHITECTURE),
  l("a slot missing", (t) => t.slice(1), ARCHITECTURE),
  l("a transposed one", change("ffn-down.0", { shape: [3, 4] }), ARCHITECTURE),
  l("any name", change("output", { name: "a/b.c" }), "accept"),
  l("a scale that is no target", (t) => [...t, scale("s", 5, -1)], ARCHITECTURE),
  l(
    "a scale with its owner's layer and any subindex",
    (t) => [...rows("ffn-up.1")(t), scale("s", 3, 1, 7)],
    "accept",
    { auxiliaries: [{ owner: "ffn-up.1", target: "s" }] },
  ),
  l("a scale at another layer", (t) => [...rows("ffn-up.1")(t), scale("s", 3, -1)], ARCHITECTURE, {
    auxiliaries: [{ owner: "ffn-up.1", target: "s" }],
  }),
  l(
    "a scale of owners on two layers",
    (t) => [...rows("ffn-up.0")(rows("ffn-up.1")(t)), scale("s", 3, 1)],
    ARCHITECTURE,
    { auxiliaries: ["ffn-up.0", "ffn-up.1"].map((owner) => ({ owner, target: "s" })) },
  ),
  l(
    "a scale of two owners on one layer",
    (t) => [...rows("ffn-gate.1")(rows("ffn-up.1")(t)), scale("s", 3, 1)],
    "accept",
    { auxiliaries: ["ffn-gate.1", "ffn-up.1"].map((owner) => ({ owner, target: "s" })) },
  ),
  l("a norm as a target", (t) => rows("attention-q.1")(t), ARCHITECTURE, {
    auxiliaries: [{ owner: "attention-q.1", target: "ffn-norm.1" }],
  }),
  e("closed", { bias: false }),
  e("a key missing", { vocab: undefined }),
  e("0 heads", { heads: 0 }),
  e("heads no multiple", { heads: 3, kv_heads: 2 }),
  e("an odd head", { head_dim: 1, heads: 4, kv_heads: 2 }),
  e("layers beyond every tensor", { layers: 2n ** 64n - 1n }),
  e("layers of 2^53", { layers: 2n ** 53n }),
  e("dimensions whose product wraps", { heads: 2n ** 63n, head_dim: 2 }),
  e("max_seq is free above 0", { max_seq: 2n ** 64n - 1n }, "accept"),
  e("max_seq 0", { max_seq: 0 }),
  e("a negative size", { dim: -4 }),
  e("eps 0", { norm_eps: [0, 1] }),
  e("a negative theta", { rope_theta: [-1, 1] }),
  e("an unreduced theta", { rope_theta: [20000, 2] }),
  e("a theta of 64 bits", { rope_theta: [2n ** 64n - 1n, 2n ** 64n - 2n] }, "accept"),
  e("a theta that is no array", { rope_theta: 10000 }),
  e("style 2", { rope_style: 2 }),
  e("tied is a bool", { tied_output: 0 }),
  e("tied with an output", { tied_output: true }),
  ["tied without", () => file(model((t) => t.slice(0, -1), { tied_output: true })), "accept"],
]);
