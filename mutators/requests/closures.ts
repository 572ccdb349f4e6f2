/** Good compositions with all that they name: from these each check of a closure is one fault away. */
import { adapter, type OperationParts } from "../../corpus/writer/build/adapter.ts";
import { composition } from "../../corpus/writer/build/composition.ts";
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { template } from "../../corpus/writer/build/template.ts";
import { tokenizer } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write, type Written } from "../../corpus/writer/write.ts";
import { layOutRequest } from "../request.ts";

const written = (description: Description): Written => {
  const result = write(description);
  if (isWriteError(result)) throw new Error(`${result.code} at ${result.where}`);
  return result;
};

const tensor = (name: string, shape: readonly number[], type = "u8") => ({
  role: "w",
  name,
  shape,
  type,
  payload: new Uint8Array(shape.reduce((product, n) => product * n, SIZES[type])),
});
const SIZES: { readonly [type: string]: number } = { u8: 1, u64: 8, f32: 4 };

const TARGET = tensor("t", [2, 3]);

/** Every registered operation on one target. */
const OPERATIONS: readonly OperationParts[] = [
  { op: "lora/1", target: TARGET, tensors: { a: tensor("a", [1, 3]), b: tensor("b", [2, 1]) } },
  { op: "additive-delta/1", target: TARGET, tensors: { delta: tensor("d", [2, 3]) } },
  {
    op: "sparse-delta/1",
    target: TARGET,
    tensors: { index: tensor("i", [1], "u64"), value: tensor("v", [1], "f32") },
  },
  { op: "multiplicative-vector/1", target: TARGET, axis: 1, tensors: { v: tensor("v", [3]) } },
];

/** A request that is accepted for each way of having a closure: with adapters, and an adapter alone. */
export function seedClosures(): Uint8Array[] {
  const base = written(tensorPack([TARGET], 2));
  const words = written(tokenizer({ vocabulary: ["a"] }, { kind: "table/1" }));
  const chat = written(template(words.identities, [{ for_each_message: [{ do: "content" }] }]));
  const adapters = OPERATIONS.map((operation) =>
    written(adapter(base.identities, [operation], { tokenizer: words.identities }))
  );
  const whole = (changes: readonly Written[], template?: Written) =>
    asked(
      written(composition({
        base: base.identities,
        tokenizer: words.identities,
        chat_template: template?.identities,
        adapters: changes.map(({ identities }) => identities),
        kv: { max_positions: 4 },
      })),
      [base, words, ...template ? [template] : [], ...changes],
    );
  return [
    ...adapters.flatMap((one) => [asked(one, [base]), whole([one])]),
    whole(adapters.slice(0, 2), chat),
  ];
}

const asked = (main: Written, others: readonly Written[]): Uint8Array =>
  layOutRequest({
    line: { op: "read", path: "0", resolve: others.map((_, i) => ({ path: `${i + 1}` })) },
    artifacts: [main, ...others].map(({ bytes }) => bytes),
  });
