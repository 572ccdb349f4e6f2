/** Tensor records (slm2.md 7.3 and 8, stage 21): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { dense, file, hash, patched, type Row, sentences } from "./sentences.ts";

type Fields = Record<string, number | bigint | Uint8Array>;

const PACK = file(
  tensorPack([dense("a", "x", [2, 3]), dense("b", "y", [2, 3]), dense("c", "z", [])]),
);

const pack = (fields: Fields) => () => patched(PACK, fields);

const QUANT = file(
  tensorPack([{
    role: "w",
    name: "w",
    shape: [2, 64],
    type: "q8-0.b32.row",
    payload: new Uint8Array(136),
  }]),
);

/** The fields of tensor 1 of PACK. */
const t = (fields: Fields) =>
  pack(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`tensor[1].${name}`, value])),
  );

const tensor = (
  sentence: string,
  fields: Fields,
  code: string,
  section = "[tensors]",
): Row => [sentence, t(fields), `21 ${code} ${section}`];

const q = (fields: Fields) => () =>
  patched(
    QUANT,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`tensor[0].${name}`, value])),
  );

sentences("slm2.md 8, stage 21", [
  tensor("version, flags", { record_version: 0, flags: 1 }, "BadRecordVersion"),
  tensor("flags_2 before reserved", { flags_2: 1, reserved_0: 1 }, "NonZeroFlags"),
  tensor("reserved before ids", { reserved_0: 1, semantic_role_string_id: 99 }, "NonZeroReserved"),
  tensor("ids before rank", { canonical_name_string_id: 6, rank: 9 }, "BadStringId"),
  tensor("rank before layer", { rank: 9, layer: -2 }, "ShapeInvalid"),
  tensor("layer before type", { subindex_1: -2147483648, element_type: 0 }, "TensorFieldInvalid"),
  tensor("type before index", { element_type: 13, quant_profile_index: 0 }, "UnknownElementType"),
  tensor("type 0", { element_type: 0 }, "UnknownElementType"),
  tensor("type 255", { element_type: 255 }, "UnknownElementType"),
  tensor(
    "dense with a profile, before its shape",
    { quant_profile_index: 0, shape_0: 0 },
    "BadQuantIndex",
  ),
  tensor("quantized without one", { element_type: 256 }, "BadQuantIndex"),
  tensor(
    "quantized where no table is",
    { element_type: 256, quant_profile_index: 0 },
    "BadQuantIndex",
  ),
  tensor("a dimension of 0", { shape_0: 0 }, "ShapeInvalid"),
  tensor("a dimension of 2^32", { shape_0: 2 ** 32 }, "ShapeInvalid"),
  tensor("an unused one", { shape_7: 1 }, "ShapeInvalid"),
  tensor("a scalar with a dimension", { rank: 0 }, "ShapeInvalid"),
  tensor("every dimension before the product", {
    rank: 3,
    shape_0: 2 ** 32 - 1,
    shape_1: 2 ** 32 - 1,
    shape_2: 0,
  }, "ShapeInvalid"),
  tensor(
    "the product before the count",
    { shape_0: 2 ** 32 - 1, shape_1: 2 ** 32 - 1 },
    "ShapeOverflow",
  ),
  tensor("the count", { shape_0: 2 ** 32 - 1, shape_1: 2 ** 21 }, "ElementCountMismatch"),
  tensor("the stored size is over, the count is not", {
    shape_0: 2 ** 32 - 1,
    shape_1: 2 ** 21,
    logical_element_count: (2n ** 32n - 1n) * 2n ** 21n,
  }, "ShapeOverflow"),
  tensor(
    "must-be-zero fields before the size",
    { tail_rule: 1, stored_bytes: 0 },
    "QuantFieldMismatch",
  ),
  tensor("accumulator of a dense tensor", { accumulator_type: 1 }, "QuantFieldMismatch"),
  tensor(
    "stored before payload length",
    { stored_bytes: 0, payload_length: 0 },
    "StoredSizeMismatch",
  ),
  tensor(
    "payload length before alignment",
    { payload_length: 25, payload_alignment: 0 },
    "PayloadLengthMismatch",
  ),
  tensor("alignment 32", { payload_alignment: 32, payload_hash: hash(0) }, "BadAlignment"),
  tensor("alignment 96", { payload_alignment: 96 }, "BadAlignment"),
  tensor("alignment 131,072", { payload_alignment: 131072 }, "BadAlignment"),
  tensor("alignment 2^31", { payload_alignment: 2 ** 31 }, "BadAlignment"),
  tensor("hash before order", { payload_hash: hash(0), semantic_role_string_id: 0 }, "ZeroHash"),
  tensor(
    "a whole key twice",
    { semantic_role_string_id: 0, canonical_name_string_id: 3 },
    "DescriptorDuplicate",
  ),
  tensor("order before the name", {
    semantic_role_string_id: 0,
    layer: -1,
    canonical_name_string_id: 2,
  }, "DescriptorOrder"),
  tensor("a name twice", { canonical_name_string_id: 3 }, "DuplicateName"),
  [
    "a role may be another's name",
    () => file(tensorPack([dense("a", "b", []), dense("b", "a", [])])),
    "accept",
  ],
  ["rank 8", () => file(tensorPack([dense("a", "x", [1, 1, 1, 1, 1, 1, 1, 2])])), "accept"],
  [
    "layers are signed",
    () =>
      file(
        tensorPack([{ ...dense("a", "x", []), layer: 2147483647 }, {
          ...dense("a", "y", []),
          layer: -1,
        }]),
      ),
    "accept",
  ],
  [
    "the tail before the stored size",
    () =>
      patched(
        file(
          tensorPack([{
            role: "w",
            name: "w",
            shape: [64],
            type: "q8-0.b32.exact",
            payload: new Uint8Array(68),
          }]),
        ),
        { "tensor[0].shape_0": 63, "tensor[0].logical_element_count": 63 },
      ),
    "21 TailRule [tensors]",
  ],
  [
    "repeated fields before the tail",
    q({ block_elements: 31, shape_1: 63, logical_element_count: 126 }),
    "21 QuantFieldMismatch [tensors]",
  ],
  ["rows of one each pad", q({ shape_0: 128, shape_1: 1 }), "21 StoredSizeMismatch [tensors]"],
  ["an index past the table", q({ quant_profile_index: 1 }), "21 BadQuantIndex [tensors]"],
]);
