/** Stage 21: counts, sizes, and what a record repeats of its profile. */
import type { FieldValue } from "../../writer/fields.ts";
import type { Recipe } from "../case.ts";
import { open } from "../parts.ts";
import { ALL_ONES } from "./header.ts";
import { MAX, one, three } from "./tensor_records.ts";

/** A number one off each way, at zero, and at the ends of 64 bits. */
const AROUND = (n: number): [string, FieldValue][] => [
  ["zero", 0],
  ["minus-one", n - 1],
  ["plus-one", n + 1],
  ["plus-2-32", n + 2 ** 32],
  ["max", MAX],
  ["2-53", 2n ** 53n],
  ["plus-2-53", BigInt(n) + 2n ** 53n],
  ["all-ones", ALL_ONES],
];

export const sizes: Recipe = {
  name: "corrupt/tensors/size",
  reason: "element count, stored size and payload length, each around what it must be",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: [
    "slm2-7.3 logical_element_count",
    "slm2-7.3 `stored_bytes` is",
    "slm2-7.3 `ceil(elements",
    "slm2-7.3 `rows x ceil",
    "slm2-7.3 | stored_bytes",
    "slm2-7.3 | payload_length",
  ],
  cases: () => [
    ...([[0, 6, 24], [1, 66, 136], [2, 64, 36]] as const).flatMap(([i, elements, stored]) => [
      ...AROUND(elements).map(([name, n]) =>
        one(
          sizes,
          i,
          `${i}-elements-${name}`,
          { logical_element_count: n },
          "ElementCountMismatch",
          `${n} elements for ${elements}`,
        )
      ),
      ...AROUND(stored).map(([name, n]) =>
        one(
          sizes,
          i,
          `${i}-stored-${name}`,
          { stored_bytes: n, payload_length: n },
          "StoredSizeMismatch",
          `${n} stored bytes for ${stored}, and as much payload`,
        )
      ),
      ...AROUND(stored).map(([name, n]) =>
        one(
          sizes,
          i,
          `${i}-payload-${name}`,
          { payload_length: n },
          "PayloadLengthMismatch",
          `${n} bytes of payload for ${stored}`,
        )
      ),
    ]),
    one(
      sizes,
      1,
      "row-as-pad",
      { stored_bytes: 102, payload_length: 102 },
      "StoredSizeMismatch",
      "2 x 33 elements in one run would be three blocks: each row has two",
    ),
    one(
      sizes,
      1,
      "row-exact",
      { stored_bytes: 70, payload_length: 70 },
      "StoredSizeMismatch",
      "66 elements at 34 bytes for 32, not rounded up to blocks",
    ),
    one(sizes, 0, "half-type", { element_type: 2 }, "StoredSizeMismatch", "f16 for f32"),
    one(
      sizes,
      2,
      "tail-not-whole",
      { shape_1: 33, logical_element_count: 66, stored_bytes: 54, payload_length: 54 },
      "TailRule",
      "66 elements in blocks of 32, tail rule exact",
    ),
    one(
      sizes,
      2,
      "tail-one",
      {
        rank: 0,
        shape_0: 0,
        shape_1: 0,
        logical_element_count: 1,
        stored_bytes: 18,
        payload_length: 18,
      },
      "TailRule",
      "a scalar, tail rule exact",
    ),
  ],
};

const SEVEN = [
  "block_elements",
  "block_bytes",
  "scale_type",
  "zero_point_type",
  "packing_order",
  "accumulator_type",
  "tail_rule",
] as const;

export const repeated: Recipe = {
  name: "corrupt/tensors/quant-field",
  reason:
    "the seven fields that a quantized tensor repeats of its profile, and a dense one leaves zero",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: [
    "slm2-7.3 For a dense tensor the seven fields",
    "slm2-7.3 for a quantized one they repeat",
    ...SEVEN.map((field) => `slm2-7.3 | ${field}`),
  ],
  cases: () =>
    SEVEN.flatMap((field) => {
      const right = Number(open(three().artifact.bytes).tensor[1][FIELD_AT[field]]);
      return [
        one(
          repeated,
          0,
          `dense-${field}`,
          { [field]: 1 },
          "QuantFieldMismatch",
          `${field} 1 in a dense tensor`,
        ),
        one(
          repeated,
          0,
          `dense-${field}-high`,
          { [field]: field.startsWith("block") ? 0x80000000 : 0x8000 },
          "QuantFieldMismatch",
          `the highest bit of ${field} in a dense tensor`,
        ),
        one(
          repeated,
          1,
          `quantized-${field}-plus-one`,
          { [field]: right + 1 },
          "QuantFieldMismatch",
          `${field} ${right + 1} for ${right}`,
        ),
        ...(right > 0
          ? [
            one(
              repeated,
              1,
              `quantized-${field}-zero`,
              { [field]: 0 },
              "QuantFieldMismatch",
              `${field} 0 for ${right}`,
            ),
          ]
          : []),
      ];
    }),
};

const FIELD_AT = {
  block_elements: 132,
  block_bytes: 136,
  scale_type: 140,
  zero_point_type: 142,
  packing_order: 144,
  accumulator_type: 146,
  tail_rule: 148,
} as const;
