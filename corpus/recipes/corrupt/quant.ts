/** Stage 20: quantization profiles. */
import { tensorPack } from "../../writer/build/model.ts";
import { type FieldValue, patch, QUANT } from "../../writer/fields.ts";
import { profileId } from "../../writer/profiles.ts";
import type { Code } from "../../../readers/contract.ts";
import { blocks, digestOf } from "../bytes.ts";
import { type Case, corrupt, lazy, type Recipe, valid } from "../case.ts";
import { open, rebuilt, stringsOf, withFields } from "../parts.ts";
import { dense, quantized } from "../valid/tensors.ts";

type Fields = { readonly [name in keyof typeof QUANT]?: FieldValue };

const parentOf = (name: string) =>
  lazy(() =>
    valid(`valid/quant/${name}`, `a model of one ${name} tensor`, quantized(name, [2, 64]))
  );

const PARENTS = Object.fromEntries(
  ["q8-0.b32.pad", "q4-0.b32.row", "q4-1.b32.exact", "q5-0.b32.pad", "nf4.b64.row", "q8-row.exact"]
    .map((
      name,
    ) => [name, parentOf(name)]),
);

const pair = lazy(() =>
  valid(
    "valid/quant/two-profiles",
    "two profiles in the order of their ids",
    tensorPack([
      dense("q8-0.b32.pad", [32], { name: "x", payload: blocks("q8-0.b32.pad", [32]) }),
      dense("q4-0.b32.pad", [32], { name: "y", payload: blocks("q4-0.b32.pad", [32]) }),
    ]),
  )
);

const valids: Recipe = {
  name: "valid/quant",
  reason: "profiles that corrupt ones are made from",
  spec: "slm2.md 7.2",
  cites: ["slm2-7.2 Registered profiles"],
  cases: () => [...Object.values(PARENTS).map((make) => make()), pair()],
};

/** The file of a parent with other fields in its profile, whose id is computed anew. */
export function withProfile(name: string, fields: Fields): Uint8Array {
  return rebuilt(PARENTS[name]().artifact.bytes, ({ quant, strings }) => {
    const [record] = quant;
    for (const [field, value] of Object.entries(fields)) {
      patch(record, QUANT, field as keyof typeof QUANT, value!);
    }
    const id = record[32] + 256 * record[33];
    const text = stringsOf(strings)[id] ?? name;
    if (!("profile_id" in fields)) record.set(profileId(text, record.subarray(36)), 0);
  });
}

function one(
  recipe: Recipe,
  name: string,
  local: string,
  fields: Fields,
  code: Code,
  why: string,
  cite: string,
): Case {
  return corrupt(
    PARENTS[name](),
    `${recipe.name}/${local}`,
    why,
    withProfile(name, fields),
    [20, code, "quant"],
    { cites: [cite, ...Object.keys(fields).map((field) => `slm2-7.2 | ${field}`)] },
  );
}

const plain: Recipe = {
  name: "corrupt/quant/record",
  reason: "the fields of a profile record that have one legal value, and its name",
  spec: "slm2.md 7.2 and 8, stage 20",
  cites: [],
  cases: () => {
    const q8 = "q8-0.b32.pad";
    const table = stringsOf(open(PARENTS[q8]().artifact.bytes).strings);
    return [
      ...[table.length, table.length + 1, 0x80000000, 0xffffffff].map((n) =>
        one(
          plain,
          q8,
          `name-${n}`,
          { canonical_name_string_id: n },
          "BadStringId",
          `string ${n} of ${table.length}`,
          "slm2-7.2 | canonical_name_string_id",
        )
      ),
      ...[0, 2, 0x0100, 0xffff].map((n) =>
        one(
          plain,
          q8,
          `version-${n}`,
          { profile_version: n },
          "BadRecordVersion",
          `profile_version ${n}`,
          "slm2-7.2 profile_version = 1",
        )
      ),
      ...[1, 0x8000].map((n) =>
        one(
          plain,
          q8,
          `flags-${n}`,
          { flags: n },
          "NonZeroFlags",
          `flags ${n}`,
          "slm2-7.2 | flags = 0",
        )
      ),
      ...[1, 0x8000].map((n) =>
        one(
          plain,
          q8,
          `reserved-0-${n}`,
          { reserved_0: n },
          "NonZeroReserved",
          `reserved_0 ${n}`,
          "slm2-7.2 reserved_0 = 0",
        )
      ),
      ...Array.from(
        { length: 8 },
        (_, i) =>
          one(
            plain,
            q8,
            `reserved-1-byte-${i}`,
            { reserved_1: new Uint8Array(8).with(i, 1) },
            "NonZeroReserved",
            `byte ${i} of reserved_1`,
            "slm2-7.2 reserved_1 = 0",
          ),
      ),
    ];
  },
};

/** Each field's values outside its enumeration or its consistency, where only that field changes. */
const VALUES: readonly (readonly [
  parent: string,
  field: keyof typeof QUANT,
  values: readonly number[],
  cite: string,
])[] = [
  ["q8-0.b32.pad", "storage_type", [0, 1, 4, 7, 256, 0xffff], "slm2-7.2 `storage_type` is"],
  ["q8-0.b32.pad", "decoded_type", [0, 2, 4, 0xffff], "slm2-7.2 `decoded_type` and"],
  ["q8-0.b32.pad", "accumulator_type", [0, 2, 4, 0xffff], "slm2-7.2 `decoded_type` and"],
  ["q8-0.b32.pad", "code_bits", [0, 1, 3, 4, 5, 6, 7, 9, 16, 0xffff], "slm2-7.2 `code_bits` in"],
  [
    "q8-0.b32.pad",
    "block_elements",
    [0, 31, 33, 4097, 0xffffffff],
    "slm2-7.2 `1 <= block_elements",
  ],
  [
    "q8-0.b32.pad",
    "code_count_per_block",
    [0, 31, 33, 0xffff],
    "slm2-7.2 `code_count_per_block =",
  ],
  ["q8-0.b32.pad", "block_bytes", [0, 32, 33, 35, 0xffffffff], "slm2-7.2 `block_bytes` ="],
  ["q4-0.b32.row", "block_bytes", [17, 19, 34], "slm2-7.2 `block_bytes` ="],
  ["q4-1.b32.exact", "block_bytes", [18, 19, 21], "slm2-7.2 `block_bytes` ="],
  ["q5-0.b32.pad", "block_bytes", [18, 21, 23], "slm2-7.2 `block_bytes` ="],
  ["q8-0.b32.pad", "code_signedness", [3, 4, 255], "slm2-7.2 `code_signedness`: 0"],
  ["nf4.b64.row", "code_signedness", [0, 1, 2, 4], "slm2-7.2 `codebook_kind` nonzero"],
  ["q8-0.b32.pad", "packing_order", [0, 2, 3, 4, 5, 255], "slm2-7.2 packing 1 needs"],
  ["q4-0.b32.row", "packing_order", [0, 1, 4, 5], "slm2-7.2 packing 1 needs"],
  ["q5-0.b32.pad", "packing_order", [0, 1, 2, 3, 5], "slm2-7.2 packing 1 needs"],
  ["q8-0.b32.pad", "scale_type", [0, 1, 3, 256, 0xffff], "slm2-7.2 `scale_type` and"],
  ["q8-0.b32.pad", "scale_count_per_block", [0, 2, 0xffff], "slm2-7.2 counts per block"],
  ["q8-0.b32.pad", "scale_placement", [0, 2, 3, 0xffff], "slm2-7.2 `scale_placement`, `zero"],
  ["q8-row.exact", "scale_count_per_block", [1], "slm2-7.2 counts per block"],
  ["q8-row.exact", "scale_type", [0, 3], "slm2-7.2 `scale_type` and"],
  ["q8-row.exact", "scale_placement", [0, 1, 3], "slm2-7.2 `scale_placement`, `zero"],
  ["q8-0.b32.pad", "zero_point_type", [1, 2, 3], "slm2-7.2 `scale_type` and"],
  ["q8-0.b32.pad", "zero_point_count_per_block", [1, 2], "slm2-7.2 counts per block"],
  [
    "q8-0.b32.pad",
    "zero_point_placement",
    [1, 2, 3, 0xffff],
    "slm2-7.2 `scale_placement`, `zero",
  ],
  ["q4-1.b32.exact", "zero_point_type", [0, 1, 3], "slm2-7.2 `scale_type` and"],
  ["q4-1.b32.exact", "zero_point_count_per_block", [0, 2], "slm2-7.2 counts per block"],
  ["q4-1.b32.exact", "zero_point_placement", [0, 2, 3], "slm2-7.2 `scale_placement`, `zero"],
  ["q8-0.b32.pad", "codebook_kind", [1, 2, 0xffff], "slm2-7.2 `codebook_kind`: 0"],
  ["nf4.b64.row", "codebook_kind", [0, 2], "slm2-7.2 `codebook_kind` nonzero"],
  ["q8-0.b32.pad", "tail_rule", [0, 4, 256, 0xffff], "slm2-7.2 `tail_rule`: 1"],
  ["q8-0.b32.pad", "rounding_mode", [0, 4, 0xffff], "slm2-7.2 `rounding_mode`: 1"],
  ["q8-0.b32.pad", "saturation_mode", [0, 2, 0xffff], "slm2-7.2 `saturation_mode`"],
  ["q8-0.b32.pad", "kernel_contract", [0, 4, 6, 0xffff], "slm2-7.2 `kernel_contract`"],
  ["nf4.b64.row", "kernel_contract", [1, 2, 3, 5], "slm2-7.2 `codebook_kind` nonzero"],
  [
    "q8-0.b32.pad",
    "auxiliary_mask",
    [1, 2, 32, 0x8000, 0xffff],
    "slm2-7.2 `auxiliary_mask` < 32",
  ],
  ["q8-row.exact", "auxiliary_mask", [0, 2, 3, 33], "slm2-7.2 `auxiliary_mask` < 32"],
  ["q8-0.b32.pad", "calibration_mode", [1, 2, 0xffff], "slm2-7.2 `calibration_mode`"],
];

const fields: Recipe = {
  name: "corrupt/quant/field",
  reason:
    "each field out of its enumeration, or at odds with another, the profile's id computed anew",
  spec: "slm2.md 7.2 and 8, stage 20",
  cites: ["slm2-7.2 Enumerations (any other"],
  cases: () => [
    ...VALUES.filter(([parent, field]) =>
      !(parent === "q4-1.b32.exact" && field === "zero_point_type")
    ).flatMap(
      ([parent, field, values, cite]) =>
        values.map((n) =>
          one(
            fields,
            parent,
            `${parent}-${field}-${n}`,
            { [field]: n },
            "QuantFieldInvalid",
            `${field} ${n} in ${parent}`,
            cite,
          )
        ),
    ),
    // f32 in the block would be a type that is allowed: only its bytes then disagree
    ...[0, 1, 3].map((n) =>
      one(
        fields,
        "q4-1.b32.exact",
        `q4-1.b32.exact-zero_point_type-${n}`,
        { zero_point_type: n },
        "QuantFieldInvalid",
        `zero_point_type ${n} in q4-1`,
        "slm2-7.2 `scale_type` and",
      )
    ),
    one(
      fields,
      "q8-0.b32.pad",
      "calibration-identity-without-mode",
      { calibration_identity: digestOf(1) },
      "QuantFieldInvalid",
      "a calibration identity with calibration_mode 0",
      "slm2-7.2 `calibration_mode`",
    ),
    one(
      fields,
      "q8-0.b32.pad",
      "calibration-identity-last-byte",
      { calibration_identity: new Uint8Array(32).with(31, 1) },
      "QuantFieldInvalid",
      "one byte of a calibration identity with mode 0",
      "slm2-7.2 `calibration_mode`",
    ),
    one(
      fields,
      "q8-0.b32.pad",
      "block-4097",
      { block_elements: 4097, code_count_per_block: 4097, block_bytes: 4099 },
      "QuantFieldInvalid",
      "a block of 4,097 elements, all else fitting",
      "slm2-7.2 `1 <= block_elements",
    ),
    one(
      fields,
      "q8-0.b32.pad",
      "block-0",
      { block_elements: 0, code_count_per_block: 0, block_bytes: 2 },
      "QuantFieldInvalid",
      "a block of no elements, all else fitting",
      "slm2-7.2 `1 <= block_elements",
    ),
    one(
      fields,
      "q4-0.b32.row",
      "odd-block",
      { block_elements: 31, code_count_per_block: 31, block_bytes: 18 },
      "QuantFieldInvalid",
      "four-bit codes in an odd block, all else fitting",
      "slm2-7.2 packing 1 needs",
    ),
    one(
      fields,
      "q5-0.b32.pad",
      "block-64",
      { block_elements: 64, code_count_per_block: 64, block_bytes: 42 },
      "QuantFieldInvalid",
      "a fifth-bit plane of 64, all else fitting",
      "slm2-7.2 packing 1 needs",
    ),
  ],
};

const ids: Recipe = {
  name: "corrupt/quant/id",
  reason:
    "a profile's id is the hash of its name and its record; profiles stand in the order of their ids",
  spec: "slm2.md 7.2 and 8, stage 20",
  cites: ["slm2-7.2 `profile_id = SLM_HASH", "slm2-7.2 | profile_id |"],
  cases: () => {
    const q8 = "q8-0.b32.pad";
    const { bytes } = PARENTS[q8]().artifact;
    const good = open(bytes).quant[0].slice(0, 32);
    return [
      ...[0, 15, 31].map((i) =>
        corrupt(
          PARENTS[q8](),
          `${ids.name}/byte-${i}`,
          `byte ${i} of profile_id differs`,
          withFields(bytes, { "quant[0].profile_id": good.with(i, good[i] ^ 1) }),
          [20, "ProfileIdMismatch", "quant"],
        )
      ),
      corrupt(
        PARENTS[q8](),
        `${ids.name}/zero`,
        "a profile_id of zeros",
        withFields(bytes, { "quant[0].profile_id": new Uint8Array(32) }),
        [20, "ProfileIdMismatch", "quant"],
      ),
      corrupt(
        PARENTS[q8](),
        `${ids.name}/of-other-fields`,
        "the id of the record as it was before its rounding mode changed",
        withFields(bytes, { "quant[0].rounding_mode": 2 }),
        [20, "ProfileIdMismatch", "quant"],
      ),
      corrupt(
        PARENTS[q8](),
        `${ids.name}/of-other-name`,
        "the id of the same record under another registered name",
        withFields(bytes, {
          "quant[0].profile_id": profileId("q8-0.b32.row", open(bytes).quant[0].subarray(36)),
        }),
        [20, "ProfileIdMismatch", "quant"],
      ),
      corrupt(
        pair(),
        `${ids.name}/order`,
        "two profiles, the greater id first",
        rebuilt(pair().artifact.bytes, (parts) => void parts.quant.reverse()),
        [20, "DescriptorOrder", "quant"],
      ),
      corrupt(
        pair(),
        `${ids.name}/duplicate`,
        "one profile twice",
        rebuilt(pair().artifact.bytes, (parts) => void (parts.quant[1] = parts.quant[0].slice())),
        [20, "DescriptorDuplicate", "quant"],
      ),
    ];
  },
};

export const quant: readonly Recipe[] = [valids, plain, fields, ids];
