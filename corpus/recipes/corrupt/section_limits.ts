/** Stage 12: ranges, absent sections, record sizes and limits. */
import { concat } from "../../writer/bytes.ts";
import { HEADER, setField } from "../../writer/fields.ts";
import { corrupt, type Recipe, type ValidCase } from "../case.ts";
import { chat, full } from "../library.ts";
import { resized, withFields } from "../parts.ts";
import { ALL_ONES } from "./header.ts";
import { MAX, one, TABLES } from "./section_fields.ts";

export const range: Recipe = {
  name: "corrupt/sections/range",
  reason: "an offset or length above 2^53 - 1, whether its section is there or not",
  spec: "slm2.md 1 and 8, stage 12 (a)",
  cites: ["slm2-1 Every file position", "slm2-8.12 (a)", "slm2-1 64-bit fields are read exactly"],
  cases: () =>
    [["present", full], ["absent", chat]].flatMap(([state, parent]) =>
      u64Fields.flatMap((field) =>
        ([["2-53", 2n ** 53n], ["2-53-plus-1", 2n ** 53n + 1n], ["2-63", 2n ** 63n], [
          "all-ones",
          ALL_ONES,
        ]] as const).map(([local, value]) =>
          one(
            range,
            (parent as () => ValidCase)(),
            field,
            `${state}-${local}`,
            value,
            "over 2^53 - 1",
            [
              12,
              "IntegerRange",
              "header",
            ],
          )
        )
      )
    ),
};

const u64Fields = Object.entries(HEADER)
  .filter(([, [offset, type]]) => offset >= 48 && type === "u64").map(([name]) => name);

export const absent: Recipe = {
  name: "corrupt/sections/absent",
  reason: "an absent section has no offset, no length, no count and no record size",
  spec: "slm2.md 2 and 8, stage 12 (b)",
  cites: [
    "slm2-8.12 strings: exactly one",
    "slm2-8.12 count 0 with nonzero",
    "slm2-8.12 payload: exactly one",
    "slm2-2 An absent section",
    "slm2-2 The manifest is always present",
  ],
  cases: () => [
    one(absent, full(), "manifest_length", "zero", 0, "a manifest always stands", [
      12,
      "MissingManifest",
      "header",
    ]),
    one(absent, chat(), "manifest_length", "zero-alone", 0, "a manifest always stands", [
      12,
      "MissingManifest",
      "header",
    ]),
    ...[
      [full(), "string_table_offset"],
      [full(), "string_table_length"],
      [full(), "payload_offset"],
      [full(), "payload_length"],
    ].map(([parent, field]) =>
      one(absent, parent as ValidCase, field as string, "zero", 0, "its other half is not zero", [
        12,
        "AbsentNotZero",
        "header",
      ])
    ),
    ...["string_table_offset", "string_table_length", "payload_offset", "payload_length"].flatMap((
      field,
    ) =>
      [1, 64, 640, MAX].filter((n) => !(field === "string_table_length" && n === MAX)).map((n) =>
        one(absent, chat(), field, `absent-${n}`, n, "the section is absent", [
          12,
          "AbsentNotZero",
          "header",
        ])
      )
    ),
    ...TABLES.flatMap(({ prefix, size }) => [
      ...[1, 64, MAX].map((n) =>
        one(
          absent,
          chat(),
          `${prefix}_table_offset`,
          `absent-${n}`,
          n,
          "the table has no records",
          [12, "AbsentNotZero", "header"],
        )
      ),
      ...[1, size, 0xffffffff].map((n) =>
        one(absent, chat(), `${prefix}_record_size`, `absent-${n}`, n, "the table has no records", [
          12,
          "AbsentNotZero",
          "header",
        ])
      ),
      one(absent, full(), `${prefix}_count`, "zero", 0, "its offset and record size are not zero", [
        12,
        "AbsentNotZero",
        "header",
      ]),
    ]),
  ],
};

export const records: Recipe = {
  name: "corrupt/sections/record-size",
  reason: "a record has the size of this version, no other",
  spec: "slm2.md 2 and 8, stage 12 (b)",
  cites: [
    "slm2-2 record 128",
    "slm2-2 record 192",
    "slm2-2 record 96",
    "slm2-2 record 32",
  ],
  cases: () =>
    TABLES.flatMap(({ prefix, size }) =>
      [0, 1, size - 1, size + 1, 2 * size, 0xffffffff].map((n) =>
        one(records, full(), `${prefix}_record_size`, String(n), n, `it is ${size}`, [
          12,
          "BadRecordSize",
          "header",
        ])
      )
    ),
};

export const limits: Recipe = {
  name: "corrupt/sections/limits",
  reason: "lengths and counts over the format limit fail before anything is placed",
  spec: "slm2.md 4 and 8, stage 12 (b)",
  cites: [
    "slm2-4 A *format limit*",
    "slm2-4 manifest_length |",
    "slm2-4 string_table_length |",
    "slm2-4 quant_count |",
    "slm2-4 tensor_count |",
    "slm2-4 blob_count |",
    "slm2-4 auxiliary_count |",
    "slm2-8.12 count limit",
    "slm2-8.12 length limit",
  ],
  cases: () => [
    ...[["manifest_length", 4 << 20], ["string_table_length", 16 << 20]].flatMap(([field, most]) =>
      [Number(most) + 1, 2 ** 32, MAX].map((n) =>
        one(limits, full(), String(field), String(n), n, "over the format limit", [
          12,
          "FormatLimitExceeded",
          "header",
        ])
      )
    ),
    ...TABLES.flatMap(({ prefix, limit }) =>
      [limit + 1, 0xffffffff].map((n) =>
        one(limits, full(), `${prefix}_count`, String(n), n, "over the format limit", [
          12,
          "FormatLimitExceeded",
          "header",
        ])
      )
    ),
  ],
};

export const presence: Recipe = {
  name: "corrupt/sections/payload-presence",
  reason: "there is a payload exactly if there is a tensor or a blob",
  spec: "slm2.md 2 and 8, stage 12 (c)",
  cites: ["slm2-2 The payload section is present if and only if"],
  cases: () => [
    corrupt(
      full(),
      `${presence.name}/objects-without-payload`,
      "tensors and blobs, and neither offset nor length of a payload",
      withFields(full().artifact.bytes, { "header.payload_offset": 0, "header.payload_length": 0 }),
      [12, "PayloadPresence", "header"],
    ),
    ...[1, 64].map((length) => {
      const { bytes } = chat().artifact;
      const offset = Math.ceil(bytes.length / 64) * 64;
      const file = resized(concat(bytes, new Uint8Array(offset - bytes.length + length)));
      setField(file, "header.payload_offset", offset);
      setField(file, "header.payload_length", length);
      return corrupt(
        chat(),
        `${presence.name}/payload-of-${length}-without-objects`,
        "a payload of zeros that belongs to nothing",
        file,
        [12, "PayloadPresence", "header"],
      );
    }),
  ],
};
