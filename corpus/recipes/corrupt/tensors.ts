/** Stage 21: tensor records. */
import type { Code } from "../../../readers/contract.ts";
import type { FieldValue } from "../../writer/fields.ts";
import { corrupt, type Recipe } from "../case.ts";
import { open, rebuilt, stringsOf, withFields } from "../parts.ts";
import { keyed, one, three, valids } from "./tensor_records.ts";
import { shapes } from "./tensor_shapes.ts";
import { repeated, sizes } from "./tensor_sizes.ts";

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
