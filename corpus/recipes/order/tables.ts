/**
 * The order set: files with two faults, whose verdict is that of the check which comes first.
 * Each list below names faults in the order of their checks; every two that stand near each
 * other, and each with the last of its list, are one case.
 */
import { integer } from "../../writer/bytes.ts";
import { type FieldValue, getField, setField } from "../../writer/fields.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { full } from "../library.ts";
import { two } from "../corrupt/auxiliary.ts";
import { richTokenizer } from "../rich.ts";
import { three } from "../corrupt/tensor_records.ts";

/** One fault: its name, what it does to a file in place, and what the specification says of it. */
export interface Fault {
  readonly name: string;
  readonly change: (file: Uint8Array) => void;
  readonly says: Rejection;
}

export const field = (path: string, value: FieldValue, says: Rejection, name = path): Fault => ({
  name: name.replace(/^.*\./, "").replaceAll("_", "-"),
  change: (file) => setField(file, path, value),
  says,
});

/** How far apart two faults of a list may stand to be tried together. */
const REACH = 3;

/** A case for every two faults of a list that are near, and for each with the last. */
export function pairs(
  recipe: Recipe,
  parent: ValidCase,
  faults: readonly Fault[],
  prefix = "",
): Case[] {
  return faults.flatMap((first, i) =>
    faults.slice(i + 1).filter((_, j) => j < REACH || i + 1 + j === faults.length - 1).flatMap(
      (second) => {
        const [a, b] = [first, second].map(({ change }) => {
          const file = parent.artifact.bytes.slice();
          change(file);
          return file;
        });
        const file = a.slice();
        second.change(file);
        // faults that touch the same bytes are not two
        if (parent.artifact.bytes.some((byte, at) => a[at] !== byte && b[at] !== byte)) return [];
        return [corrupt(
          parent,
          `${recipe.name}/${prefix}${first.name}-before-${second.name}`,
          `${first.name} (${first.says[1]}) comes before ${second.name} (${second.says[1]})`,
          file,
          first.says,
          { tags: ["two-faults"] },
        )];
      },
    )
  );
}

const MAX = Number.MAX_SAFE_INTEGER;
const header = (code: Rejection[1], stage: number): Rejection => [stage, code, "header"];
const manifestAt = (file: Uint8Array) => Number(getField(file, "header.manifest_offset"));

/** Overwrites a text in the manifest that stands there once. */
function text(from: string, to: string) {
  return (file: Uint8Array) => {
    const at = new TextDecoder("latin1").decode(file).indexOf(from);
    for (let i = 0; i < to.length; i++) file[at + i] = to.charCodeAt(i);
  };
}

const STAGES: readonly Fault[] = [
  field("header.magic", new Uint8Array(8), header("BadMagic", 4)),
  field("header.format_id", new Uint8Array(16), header("BadFormatId", 5)),
  field("header.version_minor", 1, header("UnsupportedVersion", 6)),
  field("header.header_size", 0, header("BadHeaderSize", 7)),
  field("header.byte_order_marker", 0x04030201, header("BadByteOrderMarker", 8)),
  field("header.artifact_class", 14, header("UnknownArtifactClass", 9)),
  field("header.header_flags", 1, header("NonZeroFlags", 10)),
  field("header.reserved", new Uint8Array(64).with(63, 1), header("NonZeroReserved", 10)),
  field("header.file_size", 0, header("FileSizeMismatch", 11)),
  field("header.payload_length", 2n ** 53n, header("IntegerRange", 12)),
  field("header.manifest_length", 0, header("MissingManifest", 12)),
  field("header.string_table_length", 0, header("AbsentNotZero", 12)),
  field("header.quant_count", 1025, header("FormatLimitExceeded", 12)),
  field("header.tensor_record_size", 191, header("BadRecordSize", 12)),
  field("header.blob_count", 0, header("AbsentNotZero", 12)),
  field("header.auxiliary_record_size", 0, header("BadRecordSize", 12)),
  {
    name: "payload-absent",
    change(file) {
      setField(file, "header.payload_offset", 0);
      setField(file, "header.payload_length", 0);
    },
    says: header("PayloadPresence", 12),
  },
  field("header.payload_offset", MAX, [13, "SectionOverflow", "payload"]),
  field("header.manifest_offset", 1, [14, "SectionMisaligned", "manifest"]),
  field("header.tensor_table_offset", 64, [14, "SectionOutOfPlace", "tensors"]),
  field("header.blob_table_offset", 1, [14, "SectionMisaligned", "blobs"]),
  {
    name: "payload-past-the-end",
    change: (file) =>
      setField(file, "header.payload_length", Number(getField(file, "header.payload_length")) + 1),
    says: [15, "SectionOutOfBounds", "payload"],
  },
  { name: "gap", change: (file) => void (file[224] = 1), says: [16, "NonZeroPadding", "manifest"] },
  {
    name: "cbor",
    change: (file) => void (file[manifestAt(file)] = 0x1c),
    says: [17, "CborReservedInfo", "manifest"],
  },
  {
    name: "schema",
    change: text("org.minimodel", "orb.minimodel"),
    says: [18, "SchemaMismatch", "manifest"],
  },
  {
    name: "string-table",
    change: (file) => file.set(integer(0, 4), Number(getField(file, "header.string_table_offset"))),
    says: [19, "StringTableSize", "strings"],
  },
  field("quant[0].flags", 1, [20, "NonZeroFlags", "quant"], "quant-flags"),
  field("tensor[0].reserved_0", 1, [21, "NonZeroReserved", "tensors"], "tensor-reserved"),
  field("blob[0].codec", 1, [22, "UnsupportedCodec", "blobs"], "blob-codec"),
  field("auxiliary[0].flags", 1, [23, "AuxFieldInvalid", "auxiliary"], "auxiliary-flags"),
  field(
    "tensor[1].payload_relative_offset",
    1,
    [24, "PayloadOutOfPlace", "payload"],
    "payload-place",
  ),
  {
    name: "architecture",
    change: text("ecount\x03", "ecount\x04"),
    says: [25, "UnsupportedArchitecture", "manifest"],
  },
  {
    name: "payload",
    change: (file) => void (file[file.length - 1] ^= 1),
    says: [26, "PayloadHashMismatch", "payload"],
  },
];

const stages: Recipe = {
  name: "order/stages",
  reason: "two stages at once: the earlier gives the verdict",
  spec: "slm2.md 1 and 8",
  cites: ["slm2-1 Checks run in the order", "slm2-1 the first that fails"],
  cases: () => pairs(stages, full(), STAGES),
};

const sections: Recipe = {
  name: "order/sections",
  reason: "stage by stage over all sections, not section by section",
  spec: "slm2.md 8, stages 12 to 16",
  cites: ["slm2-1 Checks run in the order", "slm2-8.12 (b) then section by section"],
  cases: () => [
    ...pairs(sections, full(), [
      field("header.auxiliary_table_offset", 2n ** 53n, header("IntegerRange", 12)),
      field("header.manifest_length", (4 << 20) + 1, header("FormatLimitExceeded", 12)),
      field("header.string_table_offset", 0, header("AbsentNotZero", 12)),
      field("header.quant_record_size", 0, header("BadRecordSize", 12)),
      field("header.tensor_count", 65537, header("FormatLimitExceeded", 12)),
      field("header.blob_record_size", 0, header("BadRecordSize", 12)),
      field("header.auxiliary_count", 0, header("AbsentNotZero", 12)),
    ], "limits-"),
    ...pairs(sections, full(), [
      field("header.auxiliary_table_offset", MAX, [13, "SectionOverflow", "auxiliary"]),
      field("header.payload_offset", MAX, [13, "SectionOverflow", "payload"]),
      field("header.manifest_offset", 320, [14, "SectionOutOfPlace", "manifest"]),
      field("header.string_table_offset", 1, [14, "SectionMisaligned", "strings"]),
      field("header.quant_table_offset", 64, [14, "SectionOutOfPlace", "quant"]),
    ], "places-"),
  ],
};

const says = (stage: number, section: Rejection[2]) => (code: Rejection[1]): Rejection => [
  stage,
  code,
  section,
];

const tensors: Recipe = {
  name: "order/tensors",
  reason: "the checks of a tensor record, in order, and record after record",
  spec: "slm2.md 8, stage 21",
  cites: ["slm2-1 In a table, all checks of record"],
  cases() {
    const t = says(21, "tensors");
    const dense = (i: number): Fault[] => [
      field(`tensor[${i}].record_version`, 0, t("BadRecordVersion")),
      field(`tensor[${i}].flags`, 1, t("NonZeroFlags")),
      field(`tensor[${i}].reserved_0`, 1, t("NonZeroReserved")),
      field(`tensor[${i}].semantic_role_string_id`, 0xffffffff, t("BadStringId"), "role"),
      field(`tensor[${i}].canonical_name_string_id`, 0xffffffff, t("BadStringId"), "name"),
      field(`tensor[${i}].rank`, 9, t("ShapeInvalid")),
      field(`tensor[${i}].layer`, -2, t("TensorFieldInvalid")),
      field(`tensor[${i}].element_type`, 13, t("UnknownElementType")),
      field(`tensor[${i}].quant_profile_index`, 0, t("BadQuantIndex")),
      field(`tensor[${i}].shape_0`, 0, t("ShapeInvalid")),
      field(`tensor[${i}].logical_element_count`, 7, t("ElementCountMismatch")),
      field(`tensor[${i}].block_bytes`, 1, t("QuantFieldMismatch")),
      field(`tensor[${i}].stored_bytes`, 25, t("StoredSizeMismatch")),
      field(`tensor[${i}].payload_length`, 25, t("PayloadLengthMismatch")),
      field(`tensor[${i}].payload_alignment`, 0, t("BadAlignment")),
      field(`tensor[${i}].payload_hash`, new Uint8Array(32), t("ZeroHash")),
    ];
    const last = dense(0).at(-1)!;
    return [
      ...pairs(tensors, three(), dense(0)),
      ...pairs(tensors, three(), [
        field("tensor[0].shape_0", 2 ** 32 - 1, t("ElementCountMismatch"), "count-of-shape"),
        field("tensor[0].tail_rule", 1, t("QuantFieldMismatch")),
      ], "shape-"),
      ...pairs(tensors, three(), [
        {
          name: "product",
          change(file) {
            setField(file, "tensor[0].shape_0", 2 ** 27);
            setField(file, "tensor[0].shape_1", 2 ** 26);
          },
          says: t("ShapeOverflow"),
        },
        field("tensor[0].logical_element_count", 7, t("ElementCountMismatch")),
      ], "overflow-"),
      ...pairs(tensors, three(), [
        last,
        field("tensor[1].record_version", 0, t("BadRecordVersion"), "next-record"),
      ], "record-"),
      ...pairs(tensors, three(), [
        field("tensor[0].flags_2", 1, t("NonZeroFlags")),
        field("tensor[0].reserved_0", 1, t("NonZeroReserved")),
      ], "flags-"),
      ...pairs(tensors, three(), [
        field("tensor[2].shape_1", 33, t("ElementCountMismatch"), "count"),
        field("tensor[2].tail_rule", 1, t("QuantFieldMismatch")),
        field("tensor[2].stored_bytes", 1, t("StoredSizeMismatch")),
      ], "tail-"),
      ...pairs(tensors, three(), [
        {
          name: "tail",
          change(file) {
            setField(file, "tensor[2].shape_1", 33);
            setField(file, "tensor[2].logical_element_count", 66);
          },
          says: t("TailRule"),
        },
        field("tensor[2].stored_bytes", 1, t("StoredSizeMismatch")),
        field("tensor[2].payload_alignment", 1, t("BadAlignment")),
      ], "exact-"),
    ];
  },
};

const quant: Recipe = {
  name: "order/quant",
  reason: "the checks of a profile record, in order",
  spec: "slm2.md 8, stage 20",
  cites: ["slm2-1 Checks run in the order"],
  cases() {
    const q = says(20, "quant");
    return pairs(quant, three(), [
      field("quant[0].canonical_name_string_id", 0xffffffff, q("BadStringId"), "name"),
      field("quant[0].profile_version", 2, q("BadRecordVersion")),
      field("quant[0].flags", 1, q("NonZeroFlags")),
      field("quant[0].reserved_0", 1, q("NonZeroReserved")),
      field("quant[0].reserved_1", new Uint8Array(8).with(7, 1), q("NonZeroReserved")),
      field("quant[0].code_bits", 9, q("QuantFieldInvalid")),
      field("quant[0].profile_id", new Uint8Array(32), q("ProfileIdMismatch")),
      field("quant[1].profile_version", 2, q("BadRecordVersion"), "next-record"),
    ]);
  },
};

const blobs: Recipe = {
  name: "order/blobs",
  reason: "the checks of a blob record, in order, and record after record",
  spec: "slm2.md 8, stage 22",
  cites: ["slm2-1 Checks run in the order"],
  cases() {
    const b = says(22, "blobs");
    return pairs(blobs, richTokenizer(), [
      field("blob[0].record_version", 0, b("BadRecordVersion")),
      field("blob[0].blob_kind", 7, b("BlobKindNotPermitted")),
      field("blob[0].flags", 1, b("NonZeroFlags")),
      field("blob[0].reserved_0", 1, b("NonZeroReserved")),
      field("blob[0].auxiliary_count", 1, b("NonZeroReserved")),
      field("blob[0].canonical_name_string_id", 0xffffffff, b("BadStringId"), "name"),
      field("blob[0].media_type_string_id", 0xffffffff, b("BadStringId"), "media"),
      field("blob[0].codec", 1, b("UnsupportedCodec")),
      field("blob[0].payload_length", 0, b("BlobLength")),
      field("blob[0].logical_length", 1, b("LogicalLengthMismatch")),
      field("blob[0].alignment", 0, b("BadAlignment")),
      field("blob[0].content_hash", new Uint8Array(32), b("ZeroHash")),
      field("blob[1].record_version", 0, b("BadRecordVersion"), "next-record"),
    ]);
  },
};

const auxiliary: Recipe = {
  name: "order/auxiliary",
  reason: "the checks of an auxiliary record, in order; then, after the table, tensor by tensor",
  spec: "slm2.md 8, stage 23",
  cites: ["slm2-1 In a table, all checks of record"],
  cases() {
    const a = says(23, "auxiliary");
    return [
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].target", 6, a("AuxIndex")),
        field("auxiliary[0].kind", 0, a("AuxFieldInvalid")),
        field("auxiliary[1].target", 5, a("AuxSelfReference"), "self"),
        field("tensor[4].auxiliary_count", 2, a("AuxRun"), "run"),
      ], "index-"),
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].flags", 1, a("AuxFieldInvalid")),
        field("auxiliary[0].target", 4, a("AuxSelfReference"), "self"),
        field("auxiliary[1].kind", 6, a("AuxFieldInvalid"), "next-record"),
        field("auxiliary[1].axis", -1, a("AuxFieldInvalid"), "contract-axis"),
      ], "field-"),
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].axis", 1, a("AuxFieldInvalid")),
        field("auxiliary[1].target", 5, a("AuxSelfReference"), "self-of-next"),
        field("tensor[4].auxiliary_count", 2, a("AuxRun"), "run"),
      ], "axis-"),
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].target", 5, a("AuxTarget")),
        field(
          "auxiliary[1].reserved",
          new Uint8Array(8).with(0, 1),
          a("AuxFieldInvalid"),
          "next-record",
        ),
        field("tensor[0].auxiliary_first", 1, a("AuxRun"), "run"),
        field("tensor[5].auxiliary_count", 2, a("AuxRun"), "later-run"),
      ], "target-"),
      ...pairs(auxiliary, two(), [
        field("tensor[4].auxiliary_count", 2, a("AuxRun"), "run"),
        field("auxiliary[1].kind", 2, a("AuxMask"), "mask"),
      ], "run-"),
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].kind", 2, a("AuxMask"), "mask"),
        field("auxiliary[0].group_size", 2, a("AuxFieldInvalid"), "contract-group"),
        field("tensor[5].auxiliary_count", 0, a("AuxRun"), "run-of-next"),
      ], "mask-"),
      ...pairs(auxiliary, two(), [
        field("auxiliary[0].group_size", 2, a("AuxFieldInvalid"), "contract-group"),
        field("tensor[5].auxiliary_count", 0, a("AuxRun"), "run-of-next"),
      ], "contract-"),
    ];
  },
};

export const tableOrder: readonly Recipe[] = [stages, sections, quant, tensors, blobs, auxiliary];
