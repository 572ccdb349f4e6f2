/** Stages 3 to 11: the fields of the header that stand alone. */
import { HEADER, HEADER_SIZE } from "../../writer/fields.ts";
import { corrupt, type Recipe, type Rejection } from "../case.ts";
import { chat, full, model, SMALLEST } from "../library.ts";
import { flipped, withBytes, withFields } from "../parts.ts";
import type { FieldValue } from "../../writer/fields.ts";

const MAX = Number.MAX_SAFE_INTEGER;
/** 2^64 - 1 */
export const ALL_ONES = 0xffffffffffffffffn;

/** Each value of one header field, alone, is one fault. */
function values(
  name: string,
  field: keyof typeof HEADER,
  list: readonly (readonly [local: string, value: FieldValue])[],
  rejection: Rejection,
  what: string,
) {
  return list.map(([local, value]) =>
    corrupt(
      full(),
      `${name}/${field}-${local}`,
      `${field} is ${value}: ${what}`,
      withFields(full().artifact.bytes, { [`header.${field}`]: value }),
      rejection,
    )
  );
}

/** Turns each byte of a field over, one case a byte. */
function everyByte(
  name: string,
  field: keyof typeof HEADER,
  length: number,
  rejection: Rejection,
  mask = 0xff,
) {
  const [offset] = HEADER[field];
  return Array.from({ length }, (_, i) =>
    corrupt(
      full(),
      `${name}/${field}-byte-${i}`,
      `byte ${i} of ${field} differs`,
      flipped(full().artifact.bytes, offset + i, mask),
      rejection,
    ));
}

const magic: Recipe = {
  name: "corrupt/header/magic",
  reason: "every byte of the magic counts, and a file of the unpublished predecessor is told apart",
  spec: "slm2.md 2 and 8, stage 4",
  cites: ["slm2-2 | magic |", "slm2-8.4 *"],
  cases: () => [
    ...everyByte(magic.name, "magic", 8, [4, "BadMagic", "header"]),
    corrupt(
      model(),
      `${magic.name}/slm1`,
      "the first four bytes are SLM1, whatever follows",
      withBytes(model().artifact.bytes, 0, new TextEncoder().encode("SLM1")),
      [4, "UnsupportedLegacyFormat", "header"],
    ),
    corrupt(
      model(),
      `${magic.name}/slm1-old-tail`,
      "SLM1 with other bytes after it is legacy too: only four bytes are asked",
      withBytes(model().artifact.bytes, 0, new TextEncoder().encode("SLM1\0\0\0\0")),
      [4, "UnsupportedLegacyFormat", "header"],
    ),
    corrupt(
      chat(),
      `${magic.name}/line-ends-converted`,
      "a checkout that turns line ends: the lone 0a of the magic became 0d 0a",
      convertLineEnds(chat().artifact.bytes),
      [4, "BadMagic", "header"],
    ),
  ],
};

/** What a text-mode checkout does to a file. */
function convertLineEnds(file: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  for (const [i, byte] of file.entries()) {
    if (byte === 0x0a && file[i - 1] !== 0x0d) bytes.push(0x0d);
    bytes.push(byte);
  }
  return new Uint8Array(bytes);
}

const format: Recipe = {
  name: "corrupt/header/format-id",
  reason: "every byte of the format id counts, the two zeros after it too",
  spec: "slm2.md 2 and 8, stage 5",
  cites: ["slm2-2 format_id"],
  cases: () => everyByte(format.name, "format_id", 16, [5, "BadFormatId", "header"], 0x20),
};

const fixed: Recipe = {
  name: "corrupt/header/fixed",
  reason: "fields of the header that have one legal value",
  spec: "slm2.md 2 and 8, stages 6 to 9",
  cites: [
    "slm2-2 | header_size |",
    "slm2-2 version_major",
    "slm2-2 version_minor",
    "slm2-2 byte_order_marker",
    "slm2-2 | artifact_class |",
    "slm2-2 | header_flags |",
    "slm2-8.3 stages 3-12 header",
    "slm2-1 All integers are little-endian",
  ],
  cases: () => [
    ...values(
      fixed.name,
      "version_major",
      [["0", 0], ["1", 1], ["3", 3], ["max", 0xffff], ["big-endian", 0x0200]],
      [6, "UnsupportedVersion", "header"],
      "only major version 2 is read",
    ),
    ...values(
      fixed.name,
      "version_minor",
      [["1", 1], ["max", 0xffff], ["high-byte", 0x0100]],
      [6, "UnsupportedVersion", "header"],
      "2.0 is the only minor version",
    ),
    ...values(
      fixed.name,
      "header_size",
      [["0", 0], ["223", 223], ["225", 225], ["256", 256], ["max", 0xffffffff], [
        "big-endian",
        0xe0000000,
      ]],
      [7, "BadHeaderSize", "header"],
      "a header has 224 bytes",
    ),
    ...values(
      fixed.name,
      "byte_order_marker",
      [["0", 0], ["swapped", 0x04030201], ["minus-one", 0x01020303], ["plus-one", 0x01020305], [
        "max",
        0xffffffff,
      ]],
      [8, "BadByteOrderMarker", "header"],
      "the marker is 0x01020304",
    ),
    ...values(
      fixed.name,
      "artifact_class",
      [["0", 0], ["14", 14], ["255", 255], ["big-endian", 0x0800], ["264", 264], ["max", 0xffff]],
      [9, "UnknownArtifactClass", "header"],
      "classes are 1 to 13",
    ),
    ...Array.from({ length: 16 }, (_, bit) =>
      values(
        fixed.name,
        "header_flags",
        [[`bit-${bit}`, 2 ** bit]],
        [10, "NonZeroFlags", "header"],
        "no flag is defined",
      )).flat(),
  ],
};

const reserved: Recipe = {
  name: "corrupt/header/reserved",
  reason: "every reserved byte is zero",
  spec: "slm2.md 2 and 8, stage 10",
  cites: ["slm2-2 160 | 64 | reserved"],
  cases: () => everyByte(reserved.name, "reserved", 64, [10, "NonZeroReserved", "header"], 0x80),
};

const size: Recipe = {
  name: "corrupt/header/file-size",
  reason: "the declared size is the size",
  spec: "slm2.md 2 and 8, stage 11",
  cites: ["slm2-2 | file_size |", "slm2-1 64-bit fields are read exactly"],
  cases() {
    const n = full().artifact.bytes.length;
    return values(
      size.name,
      "file_size",
      [
        ["zero", 0],
        ["minus-one", n - 1],
        ["plus-one", n + 1],
        ["plus-2-32", n + 2 ** 32],
        ["high-bit", BigInt(n) + 2n ** 63n],
        ["max", MAX],
        ["max-plus-one", 2n ** 53n],
        ["max-plus-two", 2n ** 53n + 1n],
        ["plus-2-53", BigInt(n) + 2n ** 53n],
        ["all-ones", ALL_ONES],
      ],
      [11, "FileSizeMismatch", "header"],
      `the file has ${n} bytes`,
    );
  },
};

const truncated: Recipe = {
  name: "corrupt/header/truncated",
  reason: "a file shorter than a header, cut at every field and one byte around it",
  spec: "slm2.md 8, stage 3",
  cites: ["slm2-8.3 actual size < 224"],
  cases() {
    const starts = Object.values(HEADER).map(([offset]) => offset);
    const cuts = new Set(
      [...starts, HEADER_SIZE].flatMap((at) => [at - 1, at, at + 1])
        .filter((at) => at >= 0 && at < HEADER_SIZE),
    );
    return [...cuts].sort((a, b) => a - b).map((at) =>
      corrupt(
        chat(),
        `${truncated.name}/${at}`,
        `only the first ${at} bytes`,
        chat().artifact.bytes.slice(0, at),
        [3, "TruncatedHeader", "header"],
      )
    );
  },
};

/** The keys of each class's body (`classes.md`); those of 1 and 2 are the same. */
const otherClass: Recipe = {
  name: "corrupt/header/other-class",
  reason: "a file that says it is of another class is seen in its body, or as a mismatch",
  spec: "slm2.md 2, classes.md 1",
  cites: ["classes-1 equals the header's, else ClassMismatch", "classes-1 by the header's class"],
  cases: () =>
    SMALLEST.flatMap((make, i) => {
      const parent = make();
      const own = i + 1;
      const others = [own % 13 + 1, (own + 11) % 13 + 1, own === 6 ? 1 : 6];
      return [...new Set(others)].map((other) => {
        const twin = own <= 2 && other <= 2;
        return corrupt(
          parent,
          `${otherClass.name}/${own}-as-${other}`,
          twin
            ? `classes 1 and 2 have one body, so the manifest's own class tells a ${own} from a ${other}`
            : `the body of class ${own} has a key that class ${other} does not know`,
          withFields(parent.artifact.bytes, { "header.artifact_class": other }),
          [18, twin ? "ClassMismatch" : "UnknownCoreKey", "manifest"],
        );
      });
    }),
};

export const header: readonly Recipe[] = [
  magic,
  format,
  fixed,
  reserved,
  size,
  truncated,
  otherClass,
];
