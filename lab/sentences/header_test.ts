/** Header and sections (slm2.md 2, 4 and 8, stages 2 to 16): a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import { concat } from "../../corpus/writer/bytes.ts";
import { getField } from "../../corpus/writer/fields.ts";
import type { Policy } from "../../readers/contract.ts";
import { dense, file, patched, RECEIPT, type Row, sentences } from "./sentences.ts";

const PACK = file(tensorPack([dense("a", "x", [2, 3]), dense("b", "y", [2, 3])]));

const ROWS = file({
  ...tensorPack([
    { role: "w", name: "w", shape: [3, 4], type: "q8-row.exact", payload: new Uint8Array(12) },
    dense("scale", "s", [3]),
  ]),
  auxiliaries: [{ owner: "w", target: "s" }],
});

const EMPTY = new Uint8Array(0);

const end = (name: string) => Number(getField(PACK, `header.${name}`));

const header = (fields: Record<string, number | bigint | Uint8Array>) => () =>
  patched(PACK, fields);

sentences("slm2.md 8, stages 2 to 11", [
  ["an empty file", () => EMPTY, "3 TruncatedHeader [header]"],
  ["223 bytes", () => PACK.slice(0, 223), "3 TruncatedHeader [header]"],
  ["a policy of 0 bytes", () => PACK, "2 PolicyLimitExceeded [file]", { policy: { file_size: 0 } }],
  ["an empty file is in it", () => EMPTY, "3 TruncatedHeader [header]", {
    policy: { file_size: 0 },
  }],
  [
    "the first four bytes are SLM1",
    header({ "header.magic": new Uint8Array([0x53, 0x4c, 0x4d, 0x31]) }),
    "4 UnsupportedLegacyFormat [header]",
  ],
  [
    "version before size",
    header({ "header.version_minor": 1, "header.header_size": 0 }),
    "6 UnsupportedVersion [header]",
  ],
  [
    "size before byte order",
    header({ "header.header_size": 0, "header.byte_order_marker": 0 }),
    "7 BadHeaderSize [header]",
  ],
  [
    "class 0 before flags",
    header({ "header.artifact_class": 0, "header.header_flags": 1 }),
    "9 UnknownArtifactClass [header]",
  ],
  ["class 14", header({ "header.artifact_class": 14 }), "9 UnknownArtifactClass [header]"],
  [
    "flags before reserved",
    header({ "header.header_flags": 1, "header.reserved": new Uint8Array([1]) }),
    "10 NonZeroFlags [header]",
  ],
  [
    "reserved before the size",
    header({ "header.reserved": new Uint8Array([1]), "header.file_size": 1 }),
    "10 NonZeroReserved [header]",
  ],
  [
    "the size before the range",
    header({ "header.file_size": 2n ** 63n, "header.payload_length": 2n ** 63n }),
    "11 FileSizeMismatch [header]",
  ],
]);

sentences("slm2.md 8, stages 12 to 16", [
  [
    "(a) before (b)",
    header({ "header.payload_length": 2n ** 53n, "header.manifest_length": 0 }),
    "12 IntegerRange [header]",
  ],
  [
    "a manifest of no bytes, wherever it is",
    header({ "header.manifest_length": 0, "header.string_table_offset": 0 }),
    "12 MissingManifest [header]",
  ],
  [
    "section by section: the manifest's limit first",
    header({ "header.manifest_length": 4 * 2 ** 20 + 1, "header.string_table_offset": 0 }),
    "12 FormatLimitExceeded [header]",
  ],
  [
    "4 MiB are in the limit",
    header({ "header.manifest_length": 4 * 2 ** 20 }),
    "14 SectionOutOfPlace [strings]",
  ],
  [
    "a manifest without offset is out of place",
    header({ "header.manifest_offset": 0 }),
    "14 SectionOutOfPlace [manifest]",
  ],
  [
    "strings: exactly one of both is zero",
    header({ "header.string_table_length": 0 }),
    "12 AbsentNotZero [header]",
  ],
  [
    "a table of no records with a record size",
    header({ "header.quant_record_size": 128 }),
    "12 AbsentNotZero [header]",
  ],
  [
    "a record size before the count's limit",
    header({ "header.quant_record_size": 127, "header.quant_count": 1025 }),
    "12 BadRecordSize [header]",
  ],
  [
    "1,025 profiles",
    header({ "header.quant_record_size": 128, "header.quant_count": 1025 }),
    "12 FormatLimitExceeded [header]",
  ],
  [
    "65,537 tensors before the payload's absence",
    header({ "header.tensor_count": 65537, "header.payload_offset": 0 }),
    "12 FormatLimitExceeded [header]",
  ],
  [
    "payload: exactly one of both is zero",
    header({ "header.payload_offset": 0 }),
    "12 AbsentNotZero [header]",
  ],
  [
    "a payload of no objects",
    header({
      "header.tensor_count": 0,
      "header.tensor_table_offset": 0,
      "header.tensor_record_size": 0,
    }),
    "12 PayloadPresence [header]",
  ],
  [
    "objects and no payload",
    header({ "header.payload_offset": 0, "header.payload_length": 0 }),
    "12 PayloadPresence [header]",
  ],
  [
    "a present table without offset",
    header({ "header.tensor_table_offset": 0 }),
    "14 SectionOutOfPlace [tensors]",
  ],
  [
    "13 over all sections before 14",
    header({ "header.payload_offset": 2 ** 53 - 1, "header.manifest_offset": 225 }),
    "13 SectionOverflow [payload]",
  ],
  [
    "an end of 2^53 - 1 does not overflow",
    header({ "header.payload_offset": 2 ** 53 - 1 - end("payload_length") }),
    "14 SectionMisaligned [payload]",
  ],
  [
    "misaligned before out of place, section by section",
    header({ "header.manifest_offset": 320, "header.string_table_offset": 1 }),
    "14 SectionOutOfPlace [manifest]",
  ],
  [
    "past the end of the file",
    header({ "header.payload_length": end("payload_length") + 1 }),
    "15 SectionOutOfBounds [payload]",
  ],
  [
    "a byte after the last section",
    () => patched(concat(PACK, new Uint8Array(1)), { "header.file_size": PACK.length + 1 }),
    "15 TrailingBytes [file]",
  ],
  ["a gap names the section after it", () => {
    const bytes = PACK.slice();
    bytes[end("string_table_offset") - 1] = 1;
    bytes[224] = 1;
    return bytes;
  }, "16 NonZeroPadding [manifest]"],
  ["a gap before the payload, before the manifest is read", () => {
    const bytes = patched(ROWS, { "header.artifact_class": 7 });
    bytes[Number(getField(ROWS, "header.payload_offset")) - 1] = 1;
    return bytes;
  }, "16 NonZeroPadding [payload]"],
]);

const LIMITED: readonly [keyof Policy, Uint8Array, string][] = [
  ["manifest_length", PACK, "12 PolicyLimitExceeded [header]"],
  ["string_table_length", PACK, "12 PolicyLimitExceeded [header]"],
  ["quant_count", ROWS, "12 PolicyLimitExceeded [header]"],
  ["tensor_count", PACK, "12 PolicyLimitExceeded [header]"],
  ["auxiliary_count", ROWS, "12 PolicyLimitExceeded [header]"],
  ["cbor_depth", PACK, "17 PolicyLimitExceeded [manifest]"],
  ["cbor_items", PACK, "17 PolicyLimitExceeded [manifest]"],
  ["cbor_text", PACK, "17 PolicyLimitExceeded [manifest]"],
  ["cbor_bytes", file(RECEIPT), "17 PolicyLimitExceeded [manifest]"],
  ["cbor_entries", PACK, "17 PolicyLimitExceeded [manifest]"],
  ["rank", PACK, "21 PolicyLimitExceeded [tensors]"],
];

sentences("slm2.md 4", [
  ...LIMITED.flatMap(([name, bytes, expected]): Row[] => [
    [`0 is a limit of 0: ${name}`, () => bytes, expected, { policy: { [name]: 0 } }],
    [`a policy above the format's limit is that: ${name}`, () => bytes, "accept", {
      policy: { [name]: 2 ** 60 },
    }],
  ]),
  ["an absent table is in a limit of 0", () => PACK, "accept", {
    policy: { blob_count: 0, quant_count: 0, auxiliary_count: 0, cbor_bytes: 0 },
  }],
  [
    "over both limits: the format's",
    header({ "header.tensor_count": 65537 }),
    "12 FormatLimitExceeded [header]",
    { policy: { tensor_count: 1 } },
  ],
  ["a rank over 8 under any policy", header({ "tensor[0].rank": 9 }), "21 ShapeInvalid [tensors]", {
    policy: { rank: 1 },
  }],
  [
    "a rank over the policy before a bad layer",
    header({ "tensor[0].layer": -2 }),
    "21 PolicyLimitExceeded [tensors]",
    { policy: { rank: 1 } },
  ],
]);
