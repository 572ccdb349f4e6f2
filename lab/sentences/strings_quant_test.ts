/** String table and profiles (slm2.md 6, 7.2 and 8, stages 19 and 20): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { profileId } from "../../corpus/writer/profiles.ts";
import { getField, setField } from "../../corpus/writer/fields.ts";
import { dense, file, hash, patched, sentences } from "./sentences.ts";

type Fields = Record<string, number | bigint | Uint8Array>;

const PACK = file(
  tensorPack([dense("a", "x", [2, 3]), dense("b", "y", [2, 3]), dense("c", "z", [])]),
);

/** A table of strings in place of PACK's, as its bytes after count and pool length. */
const strings = (count: number, pool: number, rest?: number[]) => () => {
  const bytes = PACK.slice();
  const at = Number(getField(bytes, "header.string_table_offset"));
  const view = new DataView(bytes.buffer);
  view.setUint32(at, count, true);
  view.setUint32(at + 4, pool, true);
  rest?.forEach((n, i) => view.setUint32(at + 8 + 4 * i, n, true));
  return bytes;
};

const pool = (text: string) => () => {
  const bytes = PACK.slice();
  const at = Number(getField(bytes, "header.string_table_offset"));
  bytes.set(new TextEncoder().encode(text), at + 8 + 4 * 7);
  return bytes;
};

sentences("slm2.md 8, stage 19", [
  ["no string", strings(0, 30), "19 StringTableSize [strings]"],
  ["a pool that does not fill it", strings(6, 5), "19 StringTableSize [strings]"],
  ["2^32 - 1 strings do not wrap", strings(2 ** 32 - 1, 34), "19 StringTableSize [strings]"],
  ["not from 0", strings(6, 6, [1, 1]), "19 StringOffsets [strings]"],
  ["an empty string", strings(6, 6, [0, 0]), "19 StringOffsets [strings]"],
  ["an end before the pool's", strings(6, 6, [0, 1, 2, 3, 4, 5, 7]), "19 StringOffsets [strings]"],
  ["the whole array before a string", () => {
    const bytes = pool("A")();
    bytes[Number(getField(bytes, "header.string_table_offset")) + 8 + 4 * 6] = 9;
    return bytes;
  }, "19 StringOffsets [strings]"],
  ["string by string: order before a later invalid one", pool("baC"), "19 StringOrder [strings]"],
  ["a string twice", pool("aa"), "19 StringDuplicate [strings]"],
  ["an invalid one before its order", pool("b/"), "19 StringInvalid [strings]"],
]);

const QUANT = file(
  tensorPack([{
    role: "w",
    name: "w",
    shape: [2, 64],
    type: "q8-0.b32.row",
    payload: new Uint8Array(136),
  }]),
);

/** A profile's fields overwritten and its id made right again. */
const quant = (fields: Fields) => () => {
  const bytes = patched(
    QUANT,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`quant[0].${name}`, value])),
  );
  const at = Number(getField(bytes, "header.quant_table_offset"));
  setField(
    bytes,
    "quant[0].profile_id",
    profileId("q8-0.b32.row", bytes.subarray(at + 36, at + 128)),
  );
  return bytes;
};

const INVALID = "20 QuantFieldInvalid [quant]";

const UNKNOWN = "25 UnsupportedQuantProfile [quant]";

sentences("slm2.md 7.2 and 8, stage 20", [
  [
    "name before version",
    quant({ canonical_name_string_id: 9, profile_version: 2 }),
    "20 BadStringId [quant]",
  ],
  ["version before flags", quant({ profile_version: 0, flags: 1 }), "20 BadRecordVersion [quant]"],
  ["flags before reserved", quant({ flags: 1, reserved_1: 1 }), "20 NonZeroFlags [quant]"],
  [
    "reserved before fields",
    quant({ reserved_0: 1, storage_type: 7 }),
    "20 NonZeroReserved [quant]",
  ],
  ["fields before the id", () => patched(QUANT, { "quant[0].storage_type": 7 }), INVALID],
  ["the id", () => patched(QUANT, { "quant[0].rounding_mode": 2 }), "20 ProfileIdMismatch [quant]"],
  ["another rounding is another profile", quant({ rounding_mode: 2 }), UNKNOWN],
  ["unsigned q8 is another profile", quant({ code_signedness: 0, storage_type: 6 }), UNKNOWN],
  [
    "contract 5 with the scale in the block is no fault of stage 20",
    quant({ kernel_contract: 5 }),
    UNKNOWN,
  ],
  ["contract 3 without a zero point is none either", quant({ kernel_contract: 3 }), UNKNOWN],
  ["a calibrated profile", quant({ calibration_mode: 1, calibration_identity: hash(1) }), UNKNOWN],
  ["a recipe of zeros", quant({ calibration_mode: 1 }), INVALID],
  ["a recipe without mode", quant({ calibration_identity: hash(1) }), INVALID],
  ["importance alone in the mask", quant({ auxiliary_mask: 8 }), "23 AuxMask [auxiliary]"],
  ["a mask of 32", quant({ auxiliary_mask: 32 }), INVALID],
  ["a scale in the mask and in the block", quant({ auxiliary_mask: 1 }), INVALID],
  [
    "no scale at all",
    quant({ scale_type: 0, scale_count_per_block: 0, scale_placement: 0, block_bytes: 32 }),
    "21 QuantFieldMismatch [tensors]",
  ],
  [
    "a scale type without placement",
    quant({ scale_count_per_block: 0, scale_placement: 0, block_bytes: 32 }),
    INVALID,
  ],
  [
    "an f32 scale in the block",
    quant({ scale_type: 1, block_bytes: 36 }),
    "21 QuantFieldMismatch [tensors]",
  ],
  [
    "a block of none",
    quant({ block_elements: 0, code_count_per_block: 0, block_bytes: 2 }),
    INVALID,
  ],
  [
    "a block of 4,096",
    quant({ block_elements: 4096, code_count_per_block: 4096, block_bytes: 4098 }),
    "21 QuantFieldMismatch [tensors]",
  ],
  [
    "a block of 4,097",
    quant({ block_elements: 4097, code_count_per_block: 4097, block_bytes: 4099 }),
    INVALID,
  ],
  ["five bits one a byte", quant({ code_bits: 5, block_bytes: 22 }), INVALID],
  [
    "four bits in pairs of an odd block",
    quant({
      code_bits: 4,
      packing_order: 3,
      block_elements: 31,
      code_count_per_block: 31,
      block_bytes: 18,
    }),
    INVALID,
  ],
  ["a codebook index without codebook", quant({ code_signedness: 3 }), INVALID],
  ["contract 4 without codebook", quant({ kernel_contract: 4 }), INVALID],
  [
    "a codebook of eight bits",
    quant({ kernel_contract: 4, code_signedness: 3, codebook_kind: 1 }),
    UNKNOWN,
  ],
  ["contract 0", quant({ kernel_contract: 0 }), INVALID],
  ["packing 0", quant({ packing_order: 0 }), INVALID],
  ["saturation 0", quant({ saturation_mode: 0 }), INVALID],
  ["profiles out of order, each in itself right", () => {
    const bytes = file(
      tensorPack(
        ["pad", "row"].map((tail) => ({
          role: "w",
          name: tail,
          shape: [64],
          type: `q8-0.b32.${tail}`,
          payload: new Uint8Array(68),
        })),
      ),
    );
    const at = Number(getField(bytes, "header.quant_table_offset"));
    const first = bytes.slice(at, at + 128);
    bytes.copyWithin(at, at + 128, at + 256);
    bytes.set(first, at + 128);
    return bytes;
  }, "20 DescriptorOrder [quant]"],
  ["a profile twice", () => {
    const bytes = file(
      tensorPack(
        ["pad", "row"].map((tail) => ({
          role: "w",
          name: tail,
          shape: [64],
          type: `q8-0.b32.${tail}`,
          payload: new Uint8Array(68),
        })),
      ),
    );
    const at = Number(getField(bytes, "header.quant_table_offset"));
    bytes.copyWithin(at + 128, at, at + 128);
    return bytes;
  }, "20 DescriptorDuplicate [quant]"],
]);
