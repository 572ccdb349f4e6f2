/** Stages 12 to 16: where sections stand, what they count, and what lies between them. */
import { type FieldValue, getField, HEADER, setField } from "../../writer/fields.ts";
import { concat } from "../../writer/bytes.ts";
import type { Section } from "../../../readers/contract.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { chat, envelope, full, model } from "../library.ts";
import { flipped, resized, withFields } from "../parts.ts";
import { ALL_ONES } from "./header.ts";

const MAX = Number.MAX_SAFE_INTEGER;

/** A section by the prefix of its header fields and the name that verdicts give it. */
const SECTIONS = [
  { prefix: "manifest", name: "manifest" },
  { prefix: "string_table", name: "strings" },
  { prefix: "quant_table", name: "quant" },
  { prefix: "tensor_table", name: "tensors" },
  { prefix: "blob_table", name: "blobs" },
  { prefix: "auxiliary_table", name: "auxiliary" },
  { prefix: "payload", name: "payload" },
] as const;

/** The tables that have counts: field prefix, format limit (section 4), record size (section 2). */
const TABLES = [
  { prefix: "quant", name: "quant", limit: 1024, size: 128 },
  { prefix: "tensor", name: "tensors", limit: 65536, size: 192 },
  { prefix: "blob", name: "blobs", limit: 4096, size: 96 },
  { prefix: "auxiliary", name: "auxiliary", limit: 262144, size: 32 },
] as const;

const number = (file: Uint8Array, field: string) => Number(getField(file, `header.${field}`));

/** One header field of `parent` with another value. */
function one(
  recipe: Recipe,
  parent: ValidCase,
  field: string,
  local: string,
  value: FieldValue,
  reason: string,
  rejection: Rejection,
): Case {
  return corrupt(
    parent,
    `${recipe.name}/${field}-${local}`,
    `${field} is ${value}: ${reason}`,
    withFields(parent.artifact.bytes, { [`header.${field}`]: value }),
    rejection,
  );
}

const range: Recipe = {
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

const absent: Recipe = {
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

const records: Recipe = {
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

const limits: Recipe = {
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

/** The section that follows, among those present in `full`. */
const after = (index: number): Section => SECTIONS[index + 1].name;

const counts: Recipe = {
  name: "corrupt/sections/counts",
  reason: "a count that is one off, or at its limit, moves the place of the section that follows",
  spec: "slm2.md 2 and 8, stage 14",
  cites: ["slm2-2 Each present section begins", "slm2-2 Sections stand in this order"],
  cases: () =>
    TABLES.flatMap(({ prefix, limit }, i) => {
      const own = number(full().artifact.bytes, `${prefix}_count`);
      const next = after(i + 2);
      const values = [["minus-one", own - 1], ["plus-one", own + 1], ["limit", limit]] as const;
      return values.flatMap(([local, n]) =>
        // a count of zero is another fault (`absent`), and 32 bytes more may fit the gap
        n === 0 || (prefix === "auxiliary" && local === "plus-one") ? [] : [one(
          counts,
          full(),
          `${prefix}_count`,
          local,
          n,
          `the ${next} section no longer begins where this one ends`,
          [14, "SectionOutOfPlace", next],
        )]
      );
    }),
};

const presence: Recipe = {
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

const placed: Recipe = {
  name: "corrupt/sections/placed",
  reason:
    "each offset one byte, one step and 2^32 off its one legal place, at zero and at 2^53 - 1",
  spec: "slm2.md 2 and 8, stages 13 and 14",
  cites: [
    "slm2-2 Each present section begins",
    "slm2-2 manifest_offset",
    "slm2-2 string_table_offset",
    "slm2-2 quant_table_offset",
    "slm2-2 tensor_table_offset",
    "slm2-2 blob_table_offset",
    "slm2-2 auxiliary_table_offset",
    "slm2-2 payload_offset",
    "slm2-1 `align_up(x, a)`",
    "slm2-8.14 Sections of stages 13-15",
  ],
  cases: () =>
    SECTIONS.flatMap(({ prefix, name }) => {
      const field = `${prefix}_offset`;
      const at = number(full().artifact.bytes, field);
      const step = (local: string, value: number, rejection: Rejection) =>
        one(placed, full(), field, local, value, `its place is ${at}`, rejection);
      return [
        step("minus-one", at - 1, [14, "SectionMisaligned", name]),
        step("plus-one", at + 1, [14, "SectionMisaligned", name]),
        step("plus-32", at + 32, [14, "SectionMisaligned", name]),
        step("minus-64", at - 64, [14, "SectionOutOfPlace", name]),
        step("plus-64", at + 64, [14, "SectionOutOfPlace", name]),
        step("plus-2-32", at + 2 ** 32, [14, "SectionOutOfPlace", name]),
        step("plus-2-52", at + 2 ** 52, [14, "SectionOutOfPlace", name]),
        step("max", MAX, [13, "SectionOverflow", name]),
        ...(prefix === "string_table" || prefix === "payload"
          ? []
          : [step("zero", 0, [14, "SectionOutOfPlace", name])]),
      ];
    }),
};

const lengths: Recipe = {
  name: "corrupt/sections/lengths",
  reason: "each length one byte short and one byte long, seen where the specification looks first",
  spec: "slm2.md 8, stages 13 to 19",
  cites: ["slm2-2 Bytes between sections are zero", "slm2-2 The file ends at the end"],
  cases: () => [
    one(
      lengths,
      full(),
      "manifest_length",
      "minus-one",
      number(full().artifact.bytes, "manifest_length") - 1,
      "the manifest's last byte stands in the gap",
      [16, "NonZeroPadding", "strings"],
    ),
    one(
      lengths,
      full(),
      "manifest_length",
      "plus-one",
      number(full().artifact.bytes, "manifest_length") + 1,
      "a zero of the gap follows the item",
      [17, "CborTrailingBytes", "manifest"],
    ),
    one(
      lengths,
      chat(),
      "manifest_length",
      "alone-minus-one",
      number(chat().artifact.bytes, "manifest_length") - 1,
      "a byte follows the last section",
      [15, "TrailingBytes", "file"],
    ),
    one(
      lengths,
      chat(),
      "manifest_length",
      "alone-plus-one",
      number(chat().artifact.bytes, "manifest_length") + 1,
      "the last section passes the end",
      [15, "SectionOutOfBounds", "manifest"],
    ),
    one(
      lengths,
      chat(),
      "manifest_length",
      "alone-4-mib",
      4 << 20,
      "at the limit, and past the end",
      [
        15,
        "SectionOutOfBounds",
        "manifest",
      ],
    ),
    one(
      lengths,
      full(),
      "string_table_length",
      "minus-one",
      number(full().artifact.bytes, "string_table_length") - 1,
      "the pool's last byte stands in the gap",
      [16, "NonZeroPadding", "quant"],
    ),
    one(
      lengths,
      full(),
      "string_table_length",
      "plus-one",
      number(full().artifact.bytes, "string_table_length") + 1,
      "its own numbers do not add up",
      [19, "StringTableSize", "strings"],
    ),
    one(
      lengths,
      full(),
      "payload_length",
      "minus-one",
      number(full().artifact.bytes, "payload_length") - 1,
      "a byte follows the last section",
      [15, "TrailingBytes", "file"],
    ),
    one(
      lengths,
      full(),
      "payload_length",
      "plus-one",
      number(full().artifact.bytes, "payload_length") + 1,
      "the payload passes the end",
      [15, "SectionOutOfBounds", "payload"],
    ),
    one(
      lengths,
      full(),
      "payload_length",
      "plus-2-32",
      number(full().artifact.bytes, "payload_length") + 2 ** 32,
      "the low half is right",
      [15, "SectionOutOfBounds", "payload"],
    ),
    one(lengths, full(), "payload_length", "max", MAX, "offset plus length passes 2^53 - 1", [
      13,
      "SectionOverflow",
      "payload",
    ]),
    one(
      lengths,
      full(),
      "payload_length",
      "overflow-by-one",
      MAX - number(full().artifact.bytes, "payload_offset") + 1,
      "offset plus length is 2^53",
      [13, "SectionOverflow", "payload"],
    ),
    one(
      lengths,
      full(),
      "payload_length",
      "sum-is-max",
      MAX - number(full().artifact.bytes, "payload_offset"),
      "offset plus length is just 2^53 - 1, which is no overflow",
      [15, "SectionOutOfBounds", "payload"],
    ),
  ],
};

/** Where each present section of a file begins and ends, in order. */
function extents(file: Uint8Array): { name: Section; start: number; end: number }[] {
  return SECTIONS.flatMap(({ prefix, name }) => {
    const start = number(file, `${prefix}_offset`);
    const table = TABLES.find((one) => `${one.prefix}_table` === prefix);
    const length = table
      ? number(file, `${table.prefix}_count`) * table.size
      : number(file, `${prefix}_length`);
    return length === 0 ? [] : [{ name, start, end: start + length }];
  });
}

const gaps: Recipe = {
  name: "corrupt/sections/gap",
  reason: "the first and the last byte of each gap between sections",
  spec: "slm2.md 2 and 8, stage 16",
  cites: ["slm2-2 Bytes between sections are zero"],
  cases: () =>
    [model(), full(), envelope()].flatMap((parent) => {
      const file = parent.artifact.bytes;
      let end = 224;
      return extents(file).flatMap(({ name, start, end: next }) => {
        const gap = [...new Set([end, start - 1])].filter((at) => at >= end && at < start);
        const cases = gap.map((at, i) =>
          corrupt(
            parent,
            `${gaps.name}/${parent.id.split("/").at(-1)}-${name}-${i === 0 ? "first" : "last"}`,
            `byte ${at}, in the gap before the ${name} section, is 1`,
            flipped(file, at, 1),
            [16, "NonZeroPadding", name],
          )
        );
        end = next;
        return cases;
      });
    }),
};

const cuts: Recipe = {
  name: "corrupt/truncated",
  reason: "a file cut at every boundary and one byte around it, its declared size left or repaired",
  spec: "slm2.md 8, stages 11 and 15",
  cites: ["slm2-8.15 per present section: end > file_size"],
  cases: () => {
    const file = full().artifact.bytes;
    const all = extents(file);
    const edges = new Set(
      all.flatMap(({ start, end }) => [start - 1, start, start + 1, end - 1, end, end + 1]),
    );
    return [...edges].sort((a, b) => a - b).filter((at) => at >= 224 && at < file.length).flatMap(
      (at) => {
        const first = all.find(({ end }) => end > at)!;
        return [
          corrupt(
            full(),
            `${cuts.name}/at-${at}`,
            `only the first ${at} bytes; the declared size says more`,
            file.slice(0, at),
            [11, "FileSizeMismatch", "header"],
          ),
          corrupt(
            full(),
            `${cuts.name}/at-${at}-resized`,
            `only the first ${at} bytes, and the declared size says so: the ${first.name} section is the first to pass the end`,
            resized(file.slice(0, at)),
            [15, "SectionOutOfBounds", first.name],
          ),
        ];
      },
    );
  },
};

const grown: Recipe = {
  name: "corrupt/grown",
  reason: "nothing follows the last section, not even padding",
  spec: "slm2.md 2 and 8, stages 11 and 15",
  cites: ["slm2-2 The file ends at the end"],
  cases: () =>
    [full(), chat()].flatMap((parent) =>
      ([["zero", [0]], ["one", [1]], [
        "to-64",
        new Array(64 - parent.artifact.bytes.length % 64).fill(0),
      ]] as const)
        .flatMap(([local, more]) => {
          const file = concat(parent.artifact.bytes, new Uint8Array(more));
          const id = `${grown.name}/${parent.id.split("/").at(-1)}-${local}`;
          return [
            corrupt(parent, id, `${more.length} bytes more than the declared size`, file, [
              11,
              "FileSizeMismatch",
              "header",
            ]),
            corrupt(
              parent,
              `${id}-resized`,
              `${more.length} bytes after the last section`,
              resized(file),
              [15, "TrailingBytes", "file"],
            ),
          ];
        })
    ),
};

export const sections: readonly Recipe[] = [
  range,
  absent,
  records,
  limits,
  counts,
  presence,
  placed,
  lengths,
  gaps,
  cuts,
  grown,
];
