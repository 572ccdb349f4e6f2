/** Stage 21: tensor records. */
import { tensorPack } from "../../writer/build/model.ts";
import type { FieldValue, TENSOR } from "../../writer/fields.ts";
import type { Code } from "../../../readers/contract.ts";
import { blocks } from "../bytes.ts";
import { type Case, corrupt, lazy, type Recipe, type Rejection, valid } from "../case.ts";
import { open, rebuilt, stringsOf, withFields } from "../parts.ts";
import { dense } from "../valid/tensors.ts";
import { ALL_ONES } from "./header.ts";

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
const keyed = lazy(() =>
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

const valids: Recipe = {
  name: "valid/tensors",
  reason: "tensors that corrupt ones are made from",
  spec: "slm2.md 7.3",
  cites: ["slm2-7.3 `stored_bytes` is", "slm2-7.3 Records are strictly"],
  cases: () => [three(), keyed()],
};

type Fields = { readonly [name in keyof typeof TENSOR]?: FieldValue };

function one(
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

const fixed: Recipe = {
  name: "corrupt/tensors/record",
  reason:
    "fields of a tensor record that have one legal value or a bound, in the first record and the last",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: [
    "slm2-7.3 record_version = 1",
    "slm2-7.3 | flags = 0",
    "slm2-7.3 reserved_0 = 0",
    "slm2-7.3 flags_2 = 0",
    "slm2-7.3 semantic_role_string_id",
    "slm2-7.3 canonical_name_string_id",
    "slm2-7.3 `layer`, `subindex_0`",
    "slm2-7.3 layer (i32",
    "slm2-7.3 subindex_0 (i32)",
    "slm2-7.3 subindex_1 (i32)",
    "slm2-1 `uN` unsigned",
  ],
  cases: () => {
    const strings = stringsOf(open(three().artifact.bytes).strings).length;
    return [0, 2].flatMap((i) => [
      ...[0, 2, 0x0100, 0xffff].map((n) =>
        one(
          fixed,
          i,
          `${i}-version-${n}`,
          { record_version: n },
          "BadRecordVersion",
          `record_version ${n}`,
        )
      ),
      ...[1, 0x80].map((n) =>
        one(fixed, i, `${i}-flags-${n}`, { flags: n }, "NonZeroFlags", `flags ${n}`)
      ),
      ...[1, 0x8000].map((n) =>
        one(fixed, i, `${i}-flags-2-${n}`, { flags_2: n }, "NonZeroFlags", `flags_2 ${n}`)
      ),
      ...[1, 0x80000000].map((n) =>
        one(
          fixed,
          i,
          `${i}-reserved-0-${n}`,
          { reserved_0: n },
          "NonZeroReserved",
          `reserved_0 ${n}`,
        )
      ),
      ...[strings, 0x80000000, 0xffffffff].flatMap((n) => [
        one(
          fixed,
          i,
          `${i}-role-${n}`,
          { semantic_role_string_id: n },
          "BadStringId",
          `role is string ${n} of ${strings}`,
        ),
        one(
          fixed,
          i,
          `${i}-name-${n}`,
          { canonical_name_string_id: n },
          "BadStringId",
          `name is string ${n} of ${strings}`,
        ),
      ]),
      ...(["layer", "subindex_0", "subindex_1"] as const).flatMap((field) =>
        [-2, -3, -0x80000000].map((n) =>
          one(
            fixed,
            i,
            `${i}-${field.replace("_", "-")}-minus-${-n}`,
            { [field]: n },
            "TensorFieldInvalid",
            `${field} ${n}`,
          )
        )
      ),
    ]);
  },
};

const types: Recipe = {
  name: "corrupt/tensors/type",
  reason: "element types that there are none of, and profiles that do not go with them",
  spec: "slm2.md 7.1, 7.3 and 8, stage 21",
  cites: [
    "slm2-7.1 `0` = none",
    "slm2-7.1 `256` = `quantized`",
    "slm2-7.3 | element_type",
    "slm2-7.3 quant_profile_index",
  ],
  cases: () => [
    ...[0, 13, 100, 255, 257, 512, 0xffff].flatMap((n) =>
      [0, 1].map((i) =>
        one(
          types,
          i,
          `${i}-element-${n}`,
          { element_type: n },
          "UnknownElementType",
          `element_type ${n}`,
        )
      )
    ),
    one(
      types,
      0,
      "quantized-without-profile",
      { element_type: 256 },
      "BadQuantIndex",
      "type 256 and index 0xffff",
    ),
    ...[0, 1, 2, 0xfffe].map((n) =>
      one(
        types,
        0,
        `dense-with-profile-${n}`,
        { quant_profile_index: n },
        "BadQuantIndex",
        `a dense tensor and index ${n}`,
      )
    ),
    one(
      types,
      1,
      "profile-none",
      { quant_profile_index: 0xffff },
      "BadQuantIndex",
      "type 256 and index 0xffff",
    ),
    ...[2, 3, 0xfffe].map((n) =>
      one(
        types,
        1,
        `profile-${n}`,
        { quant_profile_index: n },
        "BadQuantIndex",
        `profile ${n} of 2`,
      )
    ),
    ...[1, 5, 12].map((n) =>
      one(
        types,
        1,
        `profile-of-dense-${n}`,
        { element_type: n },
        "BadQuantIndex",
        `element_type ${n} and a profile`,
      )
    ),
    one(
      types,
      1,
      "other-profile",
      { quant_profile_index: open(three().artifact.bytes).tensor[1][6] === 0 ? 1 : 0 },
      "QuantFieldMismatch",
      "the other profile, whose fields the record does not repeat",
    ),
  ],
};

const MAX = Number.MAX_SAFE_INTEGER;

const shapes: Recipe = {
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
  cases: () => [
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
  ],
};

const ones = (rank: number) =>
  Object.fromEntries(Array.from({ length: rank }, (_, i) => [`shape_${i}`, 1]));

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

const sizes: Recipe = {
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

const repeated: Recipe = {
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

export const NO_ALIGNMENTS = [
  0,
  1,
  2,
  32,
  63,
  65,
  96,
  192,
  0x10001,
  0x18000,
  0x20000,
  0x80000000,
  0xffffffff,
];

const rest: Recipe = {
  name: "corrupt/tensors/end",
  reason: "alignment and the empty hash",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: [
    "slm2-7.3 Alignment is a power of two",
    "slm2-7.3 payload_alignment",
    "slm2-7.3 payload_hash",
  ],
  cases: () => [
    ...NO_ALIGNMENTS.map((n) =>
      one(rest, 0, `alignment-${n}`, { payload_alignment: n }, "BadAlignment", `alignment ${n}`)
    ),
    one(
      rest,
      2,
      "last-alignment-0",
      { payload_alignment: 0 },
      "BadAlignment",
      "alignment 0 in the last record",
    ),
    ...[0, 2].map((i) =>
      one(
        rest,
        i,
        `hash-zero-${i}`,
        { payload_hash: new Uint8Array(32) },
        "ZeroHash",
        "a payload_hash of zeros",
      )
    ),
  ],
};

/** Two records of `keyed` change places. */
const swapped = (i: number, j: number) =>
  rebuilt(keyed().artifact.bytes, ({ tensor }) => {
    [tensor[i], tensor[j]] = [tensor[j], tensor[i]];
  });

const order: Recipe = {
  name: "corrupt/tensors/order",
  reason: "records strictly increase by role, layer, subindexes and name, and no name stands twice",
  spec: "slm2.md 7.3 and 8, stage 21",
  cites: ["slm2-7.3 Records are strictly", "slm2-7.4 No name is used twice"],
  cases: () => {
    const key = ["layer", "subindex_0", "subindex_1", "name", "role"];
    const bytes = keyed().artifact.bytes;
    const strings = stringsOf(open(bytes).strings);
    const at = (text: string) => strings.indexOf(text);
    const change = (
      local: string,
      why: string,
      code: Code,
      fields: { readonly [path: string]: FieldValue },
    ) =>
      corrupt(keyed(), `${order.name}/${local}`, why, withFields(bytes, fields), [
        21,
        code,
        "tensors",
      ]);
    return [
      ...key.map((part, i) =>
        corrupt(
          keyed(),
          `${order.name}/${part.replace("_", "-")}`,
          `records ${i} and ${i + 1}, which differ in ${part}, changed places`,
          swapped(i, i + 1),
          [21, "DescriptorOrder", "tensors"],
        )
      ),
      change(
        "layer-signed",
        "layer 0, then -1: as unsigned numbers they would rise",
        "DescriptorOrder",
        { "tensor[0].layer": 0, "tensor[1].layer": -1 },
      ),
      change("subindex-0-signed", "subindex_0 0, then -1", "DescriptorOrder", {
        "tensor[1].subindex_0": 0,
        "tensor[2].subindex_0": -1,
      }),
      change("subindex-1-signed", "subindex_1 0, then -1", "DescriptorOrder", {
        "tensor[2].subindex_1": 0,
        "tensor[3].subindex_1": -1,
      }),
      change(
        "layer-high-byte",
        "layer 256, then 255: compared as bytes they would rise",
        "DescriptorOrder",
        { "tensor[1].layer": 256, "tensor[2].layer": 255 },
      ),
      change("duplicate", "one key twice", "DescriptorDuplicate", {
        "tensor[4].canonical_name_string_id": at("k3"),
      }),
      change("duplicate-name", "one name under two layers", "DuplicateName", {
        "tensor[1].canonical_name_string_id": at("k0"),
      }),
      change("duplicate-name-apart", "the last record has the name of the first", "DuplicateName", {
        "tensor[5].canonical_name_string_id": at("k0"),
      }),
    ];
  },
};

export const tensorFaults: readonly Recipe[] = [
  valids,
  fixed,
  types,
  shapes,
  sizes,
  repeated,
  rest,
  order,
];
