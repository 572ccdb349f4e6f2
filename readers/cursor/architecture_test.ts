/** Stage 25 without a resolver: architectures, KV and retrieval tensors, adapter operations. */
import { assertEquals } from "@std/assert";
import type { Item } from "../../corpus/writer/cbor.ts";
import { adapter } from "../../corpus/writer/build/adapter.ts";
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { llama, llamaSlots, slotName } from "../../corpus/writer/build/model.ts";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { storageOf, storedBytes } from "../../corpus/writer/storage.ts";
import { described, PACK } from "./testing.ts";

const ARCHITECTURE = "25 UnsupportedArchitecture manifest";
const OPERATION = "25 UnsupportedOperation manifest";

const tensor = (
  role: string,
  shape: readonly number[],
  more: Partial<TensorDescription> = {},
): TensorDescription => {
  const { layer = -1, type = "f32" } = more;
  const payload = new Uint8Array(Number(storedBytes(shape, storageOf(type))));
  return { role, name: slotName({ role, layer }), shape, type, payload, ...more };
};

const PARAMETERS = {
  dim: 4,
  head_dim: 2,
  heads: 2,
  hidden_dim: 6,
  kv_heads: 1,
  layers: 2,
  max_seq: 8,
  norm_eps: [1, 100000] as const,
  rope_style: 0,
  rope_theta: [10000, 1] as const,
  tied_output: false,
  vocab: 5,
};
const slots = (parameters = PARAMETERS) =>
  llamaSlots(parameters).map(({ role, shape, layer }) => tensor(role, shape, { layer }));
const model = (more: Readonly<Record<string, Item>>, tensors = slots()): Description => ({
  ...llama(PARAMETERS, tensors),
  body: {
    architecture: { id: "llama/1", parameters: { ...PARAMETERS, ...more } },
    dependents: true,
  },
});
/** The model with the tensor called `name` changed, or left out. */
const changed = (name: string, more: Partial<TensorDescription> | null) =>
  described(model(
    {},
    slots().flatMap((one) =>
      one.name === name ? more === null ? [] : [{ ...one, ...more }] : [one]
    ),
  ));

Deno.test("llama/1: the model to break is good, tied or not, in any type", () => {
  assertEquals(described(model({})), "accept");
  const tied = { ...PARAMETERS, tied_output: true };
  assertEquals(described(model({ tied_output: true }, slots(tied))), "accept");
  for (const type of ["f16", "bf16", "q8-0.b32.row", "q4-1.b32.pad", "nf4.b64.row"]) {
    const payload = (shape: readonly number[]) => {
      const bytes = new Uint8Array(Number(storedBytes(shape, storageOf(type))));
      if (type === "nf4.b64.row") {
        // padded lanes hold code 7; so may all others
        for (let i = 0; i < bytes.length; i++) bytes[i] = i % 34 < 2 ? 0 : 0x77;
      }
      return bytes;
    };
    const tensors = slots().map((one) =>
      one.shape.length === 1 && type.length > 4
        ? one
        : { ...one, type, payload: payload(one.shape) }
    );
    assertEquals(described(model({}, tensors)), "accept", type);
  }
});

Deno.test("llama/1: parameters", () => {
  const bad: Readonly<Record<string, Item>>[] = [
    { more: 0 },
    { dim: 0 },
    { dim: "4" },
    { dim: -4 },
    { heads: 3 },
    { kv_heads: 2 },
    { layers: 3 },
    { layers: 1 },
    { layers: 2n ** 64n - 1n },
    { heads: 2n ** 64n - 1n },
    { max_seq: 0 },
    { norm_eps: [0, 1] },
    { norm_eps: [-1, 2] },
    { norm_eps: [2, 4] },
    { norm_eps: [1, 0] },
    { norm_eps: [1] },
    { norm_eps: 1 },
    { rope_theta: [0, 1] },
    { rope_style: 2 },
    { rope_style: false },
    { tied_output: null },
    { tied_output: 1 },
    { tied_output: true },
    { vocab: 6 },
    { hidden_dim: 7 },
  ];
  for (const more of bad) assertEquals(described(model(more)), ARCHITECTURE, Deno.inspect(more));
  const good: typeof bad = [{ max_seq: 2n ** 64n - 1n }, { rope_style: 1 }, { rope_theta: [1, 3] }];
  for (const more of good) {
    assertEquals(described(model(more)), "accept", Deno.inspect(more));
  }
  const { vocab: _, ...without } = PARAMETERS;
  const body = { architecture: { id: "llama/1", parameters: without }, dependents: true };
  assertEquals(described({ ...model({}), body }), ARCHITECTURE);
  const odd = { ...PARAMETERS, head_dim: 3 };
  assertEquals(described(model({ head_dim: 3 }, slots(odd))), ARCHITECTURE);
});

Deno.test("llama/1: tensors", () => {
  const q = "attention-q.1";
  const row = new Uint8Array(1 * 34);
  for (
    const [name, more] of [
      [q, null],
      ["final-norm", null],
      ["output", null],
      [q, { role: "attention-x" }],
      [q, { layer: 2 }],
      [q, { layer: -1 }],
      [q, { layer: 0 }], // two of layer 0, none of layer 1
      ["token-embedding", { layer: 0 }],
      [q, { subindex_0: 0 }],
      [q, { subindex_1: 0 }],
      [q, { shape: [4, 4, 1] }],
      [q, { shape: [16] }],
      ["attention-k.0", { shape: [4, 2] }],
      [q, { type: "f64", payload: new Uint8Array(128) }],
      [q, { type: "i8", payload: new Uint8Array(16) }],
      ["final-norm", { type: "q8-0.b32.row", payload: row }],
      ["ffn-norm.0", { type: "f64", payload: new Uint8Array(32) }],
      [q, { role: "scale" }],
    ] as [string, Partial<TensorDescription> | null][]
  ) assertEquals(changed(name, more), ARCHITECTURE, Deno.inspect([name, more]));
  assertEquals(changed(q, { name: "any/name" }), "accept");
  const extra = tensor("attention-q", [4, 4], { layer: 1, name: "again" });
  assertEquals(described(model({}, [...slots(), extra])), ARCHITECTURE);
  assertEquals(described(model({}, [...slots(), tensor("scale", [4])])), ARCHITECTURE);
});

Deno.test("llama/1: an auxiliary target is a scale of its owner's layer", () => {
  const row = { type: "q8-row.exact", payload: new Uint8Array(16) };
  const of = (scale: TensorDescription) => {
    const tensors = slots().map((one) => one.name === "attention-q.1" ? { ...one, ...row } : one);
    const auxiliaries = [{ owner: "attention-q.1", target: scale.name }];
    return described({ ...model({}, [...tensors, scale]), auxiliaries });
  };
  const scale = tensor("scale", [4], { layer: 1, subindex_0: 5, name: "s" });
  assertEquals(of(scale), "accept");
  assertEquals(of({ ...scale, layer: 0 }), ARCHITECTURE);
  assertEquals(of({ ...scale, layer: -1 }), ARCHITECTURE);
  assertEquals(of({ ...scale, role: "scales" }), ARCHITECTURE);
});

Deno.test("architectures: unknown, and a tensor-pack with parameters", () => {
  const of = (id: string, parameters: Item) =>
    described({ ...PACK, body: { architecture: { id, parameters }, dependents: false } });
  assertEquals(of("tensor-pack/1", { a: 1 }), ARCHITECTURE);
  assertEquals(of("tensor-pack/2", {}), ARCHITECTURE);
  assertEquals(of("llama/1", {}), ARCHITECTURE);
});

const reference = (byte: number, cls: number) => ({
  class: cls,
  artifact_id: new Uint8Array(32).fill(byte).toHex(),
  whole_file: new Uint8Array(32).fill(byte + 1).toHex(),
});

Deno.test("KV cache: keys and values of each layer, of one shape", () => {
  const payload = new Uint8Array(2 * 3 * 4 * 2);
  const good = kvCache({
    composition: reference(1, 6),
    abi: "lab/1",
    element: "f16",
    kv_heads: 2,
    head_dim: 4,
    prefix: [1, 2, 3],
    layers: [{ key: payload, value: payload }, { key: payload, value: payload }],
  });
  const of = (index: number, more: Partial<TensorDescription> | null) =>
    described({
      ...good,
      tensors: good.tensors!.flatMap((one, i) =>
        i !== index ? [one] : more === null ? [] : [{ ...one, ...more }]
      ),
    });
  assertEquals(described(good), "accept");
  for (
    const [index, more] of [
      [0, null],
      [3, null],
      [2, { role: "kv-keys" }],
      [2, { layer: 2 }],
      [2, { layer: 0 }],
      [2, { layer: -1 }],
      [3, { role: "kv-key", layer: 2 }],
      [1, { subindex_0: 0 }],
      [1, { shape: [2, 4, 3] }],
      [1, { shape: [6, 4] }],
      [1, { shape: [4, 3, 2] }],
      [1, { type: "bf16" }],
    ] as [number, Partial<TensorDescription> | null][]
  ) assertEquals(of(index, more), ARCHITECTURE, Deno.inspect([index, more]));
  const body = (more: Readonly<Record<string, Item>>) =>
    described({ ...good, body: { ...good.body, ...more } });
  assertEquals(body({ positions: 4 }), ARCHITECTURE);
  assertEquals(body({ element_type: 3 }), ARCHITECTURE);
  assertEquals(body({ element_type: 0 }), ARCHITECTURE);
});

Deno.test("retrieval: one tensor of vectors, and its scales", () => {
  const parts = {
    embedding: reference(1, 6),
    tokenizer: reference(2, 4),
    chunking: "line",
    corpus_revision: new Uint8Array(32),
    metric: "dot",
    documents: ["a", ""],
    dim: 3,
  } as const;
  const dense = retrievalIndex({ ...parts, type: "f32", vectors: new Uint8Array(24) });
  const row = retrievalIndex({
    ...parts,
    type: "q8-row.exact",
    vectors: new Uint8Array(6),
    scales: new Uint8Array(8),
  });
  assertEquals([described(dense), described(row)], ["accept", "accept"]);
  const [vectors] = dense.tensors!;
  const of = (base: Description, ...tensors: TensorDescription[]) =>
    described({ ...base, tensors });
  assertEquals(of(dense, { ...vectors, role: "vector" }), ARCHITECTURE);
  assertEquals(of(dense, { ...vectors, shape: [3, 2] }), ARCHITECTURE);
  assertEquals(of(dense, { ...vectors, layer: 0 }), ARCHITECTURE);
  assertEquals(of(dense, { ...vectors, subindex_0: 0 }), ARCHITECTURE);
  assertEquals(
    of(dense, { ...vectors, type: "f16", payload: new Uint8Array(12) }),
    ARCHITECTURE,
  );
  assertEquals(of(dense, vectors, { ...vectors, name: "more" }), ARCHITECTURE);
  assertEquals(of(dense, vectors, tensor("scale", [2])), ARCHITECTURE);
  const [quantized, scale] = row.tensors!;
  assertEquals(of(row, quantized, { ...scale, subindex_0: 4 }), "accept");
  assertEquals(of(row, quantized, { ...scale, layer: 0 }), ARCHITECTURE);
  assertEquals(of(row, quantized, { ...scale, role: "sc" }), ARCHITECTURE);
  assertEquals(of(row, quantized, scale, tensor("scale", [2])), ARCHITECTURE);
});

Deno.test("adapter: registered operations, each tensor named once", () => {
  const target = { role: "w", name: "w", shape: [2, 3], type: "f32" };
  const base = { ...reference(1, 2), tensor_layout: reference(3, 2).artifact_id };
  const good = adapter(base, [
    { op: "lora/1", target, tensors: { a: tensor("a", [1, 3]), b: tensor("b", [2, 1]) } },
    { op: "multiplicative-vector/1", target, axis: 1, tensors: { v: tensor("v", [3]) } },
  ]);
  assertEquals(described(good), "accept");
  const [lora, vector] = good.body.operations as unknown as Readonly<Record<string, Item>>[];
  const of = (more: Readonly<Record<string, Item>>, also: Partial<Description> = {}) => {
    const body = {
      ...good.body,
      operations: [{ ...lora, ...more }, vector],
    } as Description["body"];
    return described({ ...good, body, ...also });
  };
  const key = (name: string, role = name, layer = -1) => ({
    layer,
    name,
    role,
    subindex_0: -1,
    subindex_1: -1,
  });
  const relation = "18 BadValue manifest";
  for (
    const [more, verdict] of [
      [{ op: "lora/2", rank: 0 }, OPERATION],
      [{ op: "constructor", rank: 0 }, OPERATION],
      [{ tensors: { a: key("a") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("b"), c: key("v") } }, OPERATION],
      [{ tensors: { a: key("a"), c: key("b") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("a") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("v") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("x") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("b", "a") } }, OPERATION],
      [{ tensors: { a: key("a"), b: key("b", "b", 0) } }, OPERATION],
      [{ tensors: { a: key("a"), b: { ...key("b"), layer: -(2n ** 63n) } } }, OPERATION],
      [{ tensors: { a: key("a"), b: { ...key("b"), subindex_1: 0 } } }, OPERATION],
      [{ order: 1 }, relation],
      [{ rank: 0 }, relation],
      [{ axis: 0 }, relation],
      [{ axis: -2 }, relation],
      [{ element_type: 256 }, relation],
      [{ profile: new Uint8Array(32).fill(1) }, relation],
      [{ profile: new Uint8Array(32).fill(1), element_type: 256 }, relation],
      [{ kernel_contract: 1 }, relation],
      [{ op: "additive-delta/1" }, relation],
      [{ op: "multiplicative-vector/1", rank: 0 }, relation],
      [{ accumulator: 2 }, relation],
      [{ target: { ...key("w"), layer: 2n ** 64n - 1n } }, "accept"],
      [{ element_type: 77 }, "accept"],
      [{ profile: new Uint8Array(32).fill(1), element_type: 256, kernel_contract: 9 }, "accept"],
      [{ shape: [] }, "accept"],
    ] as [Readonly<Record<string, Item>>, string][]
  ) assertEquals(of(more), verdict, Deno.inspect(more));
  const extra = { tensors: [...good.tensors!, tensor("x", [1])] };
  assertEquals(of({}, extra), OPERATION, "a tensor that no operation names");
  // a quantized tensor of an operation's own, with its scales
  const b = tensor("b", [2, 1], { type: "q8-row.exact" });
  const scaled = {
    tensors: [...good.tensors!.filter(({ name }) => name !== "b"), b, tensor("s", [2])],
    auxiliaries: [{ owner: "b", target: "s" }],
  };
  assertEquals(of({}, scaled), "accept");
  assertEquals(of({ tensors: { a: key("a"), b: key("s") } }, scaled), OPERATION);
});
