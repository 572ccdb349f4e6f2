/** Stages 12 to 16: where sections stand, what they count, and what lies between them. */
import type { Section } from "../../../readers/contract.ts";
import { concat } from "../../writer/bytes.ts";
import { corrupt, type Recipe, type Rejection } from "../case.ts";
import { chat, envelope, full, model } from "../library.ts";
import { flipped, resized } from "../parts.ts";
import { extents, MAX, number, one, SECTIONS, TABLES } from "./section_fields.ts";
import { absent, limits, presence, range, records } from "./section_limits.ts";

/** The section that follows, among those present in `full`. */
const after = (index: number): Section => SECTIONS[index + 1].name;

export const counts: Recipe = {
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

const placed: Recipe = {
  name: "corrupt/sections/placed",
  reason:
    "each offset one byte, one step and 2^32 off its one legal place, at zero and at 2^53 - 1",
  spec: "slm2.md 2 and 8, stages 13 and 14",
  cites: [
    "slm2-2 Each present section begins",
    "slm2-1 `align_up(x, a)`",
    "slm2-8.14 Sections of stages 13-15",
  ],
  cases: () =>
    SECTIONS.flatMap(({ prefix, name }) => {
      const field = `${prefix}_offset`;
      const at = number(full().artifact.bytes, field);
      const step = (local: string, value: number, rejection: Rejection) => ({
        ...one(placed, full(), field, local, value, `its place is ${at}`, rejection),
        cites: [`slm2-2 ${field}`],
      });
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
