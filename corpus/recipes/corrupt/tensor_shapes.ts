/** Stage 21: ranks, dimensions and their product. */
import type { FieldValue } from "../../writer/fields.ts";
import type { Expected } from "../../index.ts";
import type { Case, Recipe } from "../case.ts";
import { ALL_ONES } from "./header.ts";
import { MAX, one } from "./tensor_records.ts";

export const shapes: Recipe = {
  name: "corrupt/tensors/shape",
  reason: "ranks, dimensions and their product",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: [
    "slm2-7.3 Used dimensions",
    "slm2-7.3 unused entries zero",
    "slm2-7.3 shape[8] u64",
    "slm2-4 (Two rows differ",
    "slm2-7.3 | rank |",
  ],
  cases: () =>
    cases().map((one) => ({
      ...one,
      cites: citesOf(one.id.slice(shapes.name.length + 1), one.expected),
    })),
};

/** The sentence of stage 21 that sees a case. */
const citesOf = (local: string, expected: Expected): string[] => {
  if (expected.verdict === "accept" || expected.stage !== 21) return [];
  if (expected.code === "ShapeOverflow") {
    return [
      local === "stored-size-over" ? "slm2-8.21 stored size > MAX" : "slm2-8.21 product > MAX",
    ];
  }
  if (expected.code !== "ShapeInvalid") return [];
  return [/^rank-(9|\d\d)/.test(local) ? "slm2-8.21 rank > 8" : "slm2-8.21 a used dimension 0"];
};

const cases = (): Case[] => [
  ...[9, 16, 128, 255].map((n) =>
    one(shapes, 0, `rank-${n}`, { rank: n }, "ShapeInvalid", `rank ${n}`)
  ),
  ...[9, 255].map((n) =>
    one(
      shapes,
      0,
      `rank-${n}-of-ones`,
      { rank: n, ...ones(8) },
      "ShapeInvalid",
      `rank ${n}, and every dimension that a record has is 1`,
    )
  ),
  one(shapes, 0, "rank-0", { rank: 0 }, "ShapeInvalid", "a scalar with dimensions"),
  one(shapes, 0, "rank-1", { rank: 1 }, "ShapeInvalid", "the second dimension is no longer used"),
  one(shapes, 0, "rank-3", { rank: 3 }, "ShapeInvalid", "the third dimension is 0"),
  one(shapes, 0, "rank-8", { rank: 8 }, "ShapeInvalid", "the third dimension is 0"),
  ...[0, 1].map((axis) =>
    one(
      shapes,
      0,
      `dim-${axis}-0`,
      { [`shape_${axis}`]: 0, logical_element_count: 0, stored_bytes: 0, payload_length: 0 },
      "ShapeInvalid",
      `dimension ${axis} is 0, and every size with it`,
    )
  ),
  ...[["2-32", 2 ** 32], ["2-32-plus-2", 2 ** 32 + 2], ["max", MAX], ["2-53", 2n ** 53n], [
    "2-63",
    2n ** 63n,
  ], ["all-ones", ALL_ONES]].map(([name, n]) =>
    one(
      shapes,
      0,
      `dim-0-${name}`,
      { shape_0: n as FieldValue },
      "ShapeInvalid",
      `dimension 0 is ${n}`,
    )
  ),
  ...Array.from(
    { length: 6 },
    (_, i) =>
      one(
        shapes,
        0,
        `unused-${i + 2}`,
        { [`shape_${i + 2}`]: 1 },
        "ShapeInvalid",
        `unused dimension ${i + 2} is 1`,
      ),
  ),
  one(
    shapes,
    0,
    "unused-7-high",
    { shape_7: 2n ** 63n },
    "ShapeInvalid",
    "the highest bit of the last unused dimension",
  ),
  one(
    shapes,
    0,
    "product-2-53",
    { shape_0: 2 ** 27, shape_1: 2 ** 26 },
    "ShapeOverflow",
    "2^27 x 2^26",
  ),
  one(
    shapes,
    0,
    "product-2-64-wraps-to-0",
    {
      rank: 4,
      shape_0: 65536,
      shape_1: 65536,
      shape_2: 65536,
      shape_3: 65536,
      logical_element_count: 0,
      stored_bytes: 0,
      payload_length: 0,
    },
    "ShapeOverflow",
    "65,536 four times: the product wraps to 0 in 64 bits, and every size says 0",
  ),
  one(
    shapes,
    0,
    "product-2-64-plus-6",
    {
      rank: 3,
      shape_0: 2 ** 31,
      shape_1: 2 ** 31,
      shape_2: 4,
      logical_element_count: 0,
    },
    "ShapeOverflow",
    "2^64",
  ),
  one(
    shapes,
    0,
    "product-2-32-wraps-to-0",
    {
      shape_0: 65536,
      shape_1: 65536,
      logical_element_count: 0,
      stored_bytes: 0,
      payload_length: 0,
    },
    "ElementCountMismatch",
    "2^32 elements, which 32 bits call 0",
  ),
  one(
    shapes,
    0,
    "product-greatest",
    {
      rank: 8,
      ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`shape_${i}`, 0xffffffff])),
    },
    "ShapeOverflow",
    "every dimension 2^32 - 1",
  ),
  one(
    shapes,
    0,
    "product-overflows-then-one",
    {
      rank: 3,
      shape_0: 0xffffffff,
      shape_1: 0xffffffff,
      shape_2: 1,
    },
    "ShapeOverflow",
    "the product of the first two is over already",
  ),
  // 2^53 - 1 = 6361 x 69431 x 20394401
  one(
    shapes,
    0,
    "stored-size-over",
    {
      rank: 3,
      shape_0: 6361,
      shape_1: 69431,
      shape_2: 20394401,
      logical_element_count: MAX,
    },
    "ShapeOverflow",
    "just 2^53 - 1 elements, of four bytes each",
  ),
  one(
    shapes,
    0,
    "elements-max",
    {
      rank: 3,
      element_type: 6,
      shape_0: 6361,
      shape_1: 69431,
      shape_2: 20394401,
      logical_element_count: MAX,
      stored_bytes: MAX,
      payload_length: MAX,
    },
    "PayloadOutOfBounds",
    "just 2^53 - 1 bytes: allowed by the record, and past the payload",
    { stage: [24, "PayloadOutOfBounds", "payload"] },
  ),
  one(
    shapes,
    0,
    "other-shape-same-product",
    { shape_0: 3, shape_1: 2 },
    "PayloadHashMismatch",
    "3 x 2 for 2 x 3: only the hash knows the shape",
    { stage: [26, "PayloadHashMismatch", "payload"] },
  ),
  one(
    shapes,
    0,
    "other-type-same-size",
    { element_type: 10 },
    "PayloadHashMismatch",
    "u32 for f32: only the hash knows the type",
    { stage: [26, "PayloadHashMismatch", "payload"] },
  ),
];

export const ones = (rank: number) =>
  Object.fromEntries(Array.from({ length: rank }, (_, i) => [`shape_${i}`, 1]));
