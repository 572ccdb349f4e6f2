/** Tensor records that corrupt ones are made from, and one field of them changed. */
import type { Code } from "../../../readers/contract.ts";
import { tensorPack } from "../../writer/build/model.ts";
import type { FieldValue, TENSOR } from "../../writer/fields.ts";
import { blocks } from "../bytes.ts";
import { type Case, corrupt, lazy, type Recipe, type Rejection, valid } from "../case.ts";
import { withFields } from "../parts.ts";
import { dense } from "../valid/tensors.ts";

/** Record 0 is dense, 1 quantized by rows, 2 quantized whole blocks only. */
export const three = lazy(() =>
  valid(
    "valid/tensors/three",
    "a dense tensor, one quantized by rows, one in whole blocks",
    tensorPack([
      dense("f32", [2, 3], { role: "a", name: "x" }),
      dense("q8-0.b32.row", [2, 33], {
        role: "b",
        name: "y",
        payload: blocks("q8-0.b32.row", [2, 33]),
      }),
      dense("q4-0.b32.exact", [2, 32], {
        role: "c",
        name: "z",
        payload: blocks("q4-0.b32.exact", [2, 32]),
      }),
    ]),
  )
);

/** Records that differ in one part of the key each. */
export const keyed = lazy(() =>
  valid(
    "valid/tensors/keys",
    "five records, each after the one before in another part of the key",
    tensorPack([
      dense("u8", [], { role: "a", name: "k0" }),
      dense("u8", [], { role: "a", name: "k1", layer: 0 }),
      dense("u8", [], { role: "a", name: "k2", layer: 0, subindex_0: 0 }),
      dense("u8", [], { role: "a", name: "k3", layer: 0, subindex_0: 0, subindex_1: 0 }),
      dense("u8", [], { role: "a", name: "k4", layer: 0, subindex_0: 0, subindex_1: 0 }),
      dense("u8", [], { role: "b", name: "k5" }),
    ]),
  )
);

export const valids: Recipe = {
  name: "valid/tensors",
  reason: "tensors that corrupt ones are made from",
  spec: "slm2.md 7.3",
  cites: ["slm2-7.3 `stored_bytes` is", "slm2-7.3 Records are strictly"],
  cases: () => [three(), keyed()],
};

type Fields = { readonly [name in keyof typeof TENSOR]?: FieldValue };

export function one(
  recipe: Recipe,
  index: number,
  local: string,
  fields: Fields,
  code: Code,
  why: string,
  more: { readonly stage?: Rejection } = {},
): Case {
  const paths = Object.entries(fields).map(([name, value]) => [`tensor[${index}].${name}`, value!]);
  return corrupt(
    three(),
    `${recipe.name}/${local}`,
    why,
    withFields(three().artifact.bytes, Object.fromEntries(paths)),
    more.stage ?? [21, code, "tensors"],
  );
}

export const MAX = Number.MAX_SAFE_INTEGER;
