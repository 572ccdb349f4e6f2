/** Standalone models and immutable bases (classes 1 and 2), adapters (3). */
import fc from "fast-check";
import type { LlamaParameters } from "../../corpus/writer/bodies.ts";
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import { llama, llamaSlots, slotName, tensorPack } from "../../corpus/writer/build/model.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import {
  digest,
  dressed,
  elementType,
  identifier,
  joinStored,
  matrixType,
  payload,
  rational,
  reference,
  type Stored,
  stored,
} from "./parts.ts";

const modelClass = fc.constantFrom(1 as const, 2 as const);
const position = fc.oneof(fc.constant(undefined), fc.integer({ min: -1, max: 3 }));

/** Any shape of few elements, scalars and rank 8 included. */
const shape = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 30, max: 66 })),
  },
  { weight: 1, arbitrary: fc.constantFrom([], [2, 1, 1, 1, 1, 2, 1, 1], [64]) },
);

const anyTensor = (name: string): fc.Arbitrary<Stored> =>
  fc.tuple(shape, identifier, position, position, position).chain(
    ([shape, role, layer, subindex_0, subindex_1]) =>
      stored(
        { role, name, layer, subindex_0, subindex_1, shape },
        fc.oneof(elementType, matrixType(shape)),
      ),
  );

/** `tensor-pack/1`. */
export const anyTensorPack: fc.Arbitrary<Description> = dressed(
  fc.uniqueArray(identifier.filter((name) => !name.endsWith(".scale")), {
    minLength: 1,
    maxLength: 6,
    selector: (name) => name.slice(0, 240),
  }).chain((names) =>
    fc.record({
      parts: fc.tuple(...names.map(anyTensor)).map(joinStored),
      artifact_class: modelClass,
    })
  ).map(({ parts: { tensors, auxiliaries }, artifact_class }) => ({
    ...tensorPack(tensors, artifact_class),
    auxiliaries,
  })),
);

/** Parameters of tiny `llama/1` models. */
export const llamaParameters: fc.Arbitrary<LlamaParameters> = fc.record({
  dim: fc.integer({ min: 1, max: 5 }),
  half_head: fc.integer({ min: 1, max: 2 }),
  kv_heads: fc.integer({ min: 1, max: 2 }),
  group: fc.integer({ min: 1, max: 2 }),
  hidden_dim: fc.integer({ min: 1, max: 5 }),
  layers: fc.integer({ min: 1, max: 2 }),
  max_seq: fc.integer({ min: 1, max: 512 }),
  vocab: fc.integer({ min: 1, max: 6 }),
  norm_eps: rational.filter(([n]) => n > 0),
  rope_theta: rational.filter(([n]) => n > 0),
  rope_style: fc.constantFrom(0, 1),
  tied_output: fc.boolean(),
}).map(({ half_head, group, ...rest }) => ({
  ...rest,
  head_dim: 2 * half_head,
  heads: rest.kv_heads * group,
}));

/** `llama/1` with matrices of any type that a model may have. */
export const anyLlama: fc.Arbitrary<Description> = dressed(
  llamaParameters.chain((parameters) =>
    fc.record({
      parts: fc.tuple(
        ...llamaSlots(parameters).map((slot) =>
          stored(
            { ...slot, name: slotName(slot) },
            slot.shape.length === 1
              ? fc.constantFrom("f32", "f16", "bf16")
              : matrixType(slot.shape),
          )
        ),
      ).map(joinStored),
      artifact_class: modelClass,
    }).map(({ parts: { tensors, auxiliaries }, artifact_class }) => ({
      ...llama(parameters, tensors, artifact_class),
      auxiliaries,
    }))
  ),
);

/** Shapes of each registered operation's own tensors, for a target [out, in] and a rank. */
const OPERANDS = {
  "lora/1": (out: number, into: number, rank: number) => ({ a: [rank, into], b: [out, rank] }),
  "additive-delta/1": (out: number, into: number) => ({ delta: [out, into] }),
  "sparse-delta/1": () => ({ index: [1], value: [1] }),
  "multiplicative-vector/1": (out: number) => ({ v: [out] }),
} as const;

const operation = (index: number): fc.Arbitrary<OperationParts> =>
  fc.record({
    op: fc.constantFrom(...Object.keys(OPERANDS) as (keyof typeof OPERANDS)[]),
    out: fc.integer({ min: 1, max: 4 }),
    into: fc.integer({ min: 1, max: 4 }),
    rank: fc.integer({ min: 1, max: 2 }),
    scale: rational,
    merge: fc.boolean(),
    role: identifier,
    layer: position,
  }).chain(({ op, out, into, rank, scale, merge, role, layer }) => {
    const operands = Object.entries(OPERANDS[op](out, into, rank) as Record<string, number[]>);
    return fc.record({
      type: matrixType([out, into]),
      tensors: fc.tuple(
        ...operands.map(([operand, shape]) => operandTensor(`${index}.${operand}`, operand, shape)),
      ),
    }).map(({ type, tensors }) => ({
      op,
      target: { role, name: `target.${index}`, layer, shape: [out, into], type },
      tensors: Object.fromEntries(operands.map(([operand], i) => [operand, tensors[i]])),
      scale,
      merge,
    }));
  });

function operandTensor(
  name: string,
  operand: string,
  shape: number[],
): fc.Arbitrary<TensorDescription> {
  const types = operand === "index" ? ["u64"] : operand === "value" ? ["f32"] : ["f32", "f16"];
  return fc.constantFrom(...types).chain((type) =>
    payload(type, shape).map((content) => ({
      role: `delta-${operand}`,
      name,
      shape,
      type,
      payload: content,
    }))
  );
}

/** Adapters of one to three operations. */
export const anyAdapter: fc.Arbitrary<Description> = dressed(
  fc.integer({ min: 1, max: 3 }).chain((count) =>
    fc.record({
      base: reference(2),
      layout: digest,
      operations: fc.tuple(...Array.from({ length: count }, (_, index) => operation(index))),
      tokenizer: fc.option(reference(4), { nil: undefined }),
    })
  ).map(({ base, layout, operations, tokenizer }) =>
    adapter({ ...base, tensor_layout: layout.toHex() }, operations, { tokenizer })
  ),
);
