/** Stage 17, step 11: texts that are not UTF-8, not assigned, or not in NFC. */
import { encode } from "../../writer/cbor.ts";
import { concat, utf8 } from "../../writer/bytes.ts";
import { head } from "../../writer/cbor.ts";
import { corrupt, type Recipe } from "../case.ts";
import { markSequences, site, withValue } from "../cbor_site.ts";

/** Byte sequences that are no UTF-8 (RFC 3629). */
const INVALID: readonly (readonly [local: string, hex: string, why: string])[] = [
  ["continuation-80", "80", "a continuation byte alone"],
  ["continuation-bf", "bf", "a continuation byte alone"],
  ["two-of-two-missing", "c3", "a lead byte of two at the end"],
  ["two-then-ascii", "c341", "a lead byte of two before ASCII"],
  ["three-one", "e2", "one of three"],
  ["three-two", "e282", "two of three"],
  ["three-then-ascii", "e28241", "two of three before ASCII"],
  ["four-one", "f0", "one of four"],
  ["four-two", "f09f", "two of four"],
  ["four-three", "f09f98", "three of four"],
  ["four-then-ascii", "f09f9841", "three of four before ASCII"],
  ["overlong-nul", "c080", "U+0000 in two bytes"],
  ["overlong-slash", "c0af", "U+002F in two bytes"],
  ["overlong-7f", "c1bf", "U+007F in two bytes"],
  ["overlong-7ff", "e09fbf", "U+07FF in three bytes"],
  ["overlong-ffff", "f08fbfbf", "U+FFFF in four bytes"],
  ["surrogate-d800", "eda080", "U+D800"],
  ["surrogate-dfff", "edbfbf", "U+DFFF"],
  ["surrogate-pair", "eda0bdedb880", "U+1F600 as two surrogates"],
  ["over-10ffff", "f4908080", "U+110000"],
  ["f5", "f5808080", "a lead byte that leads nothing"],
  ["f7", "f7bfbfbf", "a lead byte that leads nothing"],
  ["five", "f888808080", "a form of five bytes"],
  ["six", "fc8480808080", "a form of six bytes"],
  ["fe", "fe", "a byte that never stands in UTF-8"],
  ["ff", "ff", "a byte that never stands in UTF-8"],
  ["latin-1", "e9", "e acute in another encoding"],
  ["after-ascii", "616263c0", "the fault is the last byte"],
  ["two-leads", "c3c3", "two lead bytes"],
  ["utf16-bom", "fffe", "another encoding's mark"],
];

/** Code points of category Cn in Unicode 16.0.0. */
const UNASSIGNED: readonly (readonly [codePoint: number, why: string])[] = [
  [0x0378, "a hole of the Greek block"],
  [0x0530, "the first of the Armenian block"],
  [0x088f, "assigned in 17.0.0 only"],
  [0x0c5c, "assigned in 17.0.0 only"],
  [0x1acf, "a mark assigned in 17.0.0 only"],
  [0x20c1, "a currency sign assigned in 17.0.0 only"],
  [0x2fe0, "a block without characters"],
  [0xfdd0, "a noncharacter"],
  [0xfdef, "a noncharacter"],
  [0xfffe, "a noncharacter"],
  [0xffff, "a noncharacter"],
  [0x10ec5, "assigned in 17.0.0 only"],
  [0x1f6d8, "an emoji assigned in 17.0.0 only"],
  [0x1fffe, "a noncharacter"],
  [0x2a6e0, "after the last of an ideograph block"],
  [0x323b0, "assigned in 17.0.0 only"],
  [0x40000, "a plane without characters"],
  [0xe0000, "a hole before the tags"],
  [0xeffff, "a noncharacter"],
  [0xffffe, "a noncharacter of a private plane"],
  [0x10ffff, "the last code point, a noncharacter"],
];

/** Texts that NFC under Unicode 16.0.0 changes. */
const NOT_NFC: readonly (readonly [local: string, text: string, why: string])[] = [
  ["e-acute", "e\u0301", "a letter and a mark that compose"],
  ["singleton-angstrom", "\u212b", "a singleton decomposition"],
  ["singleton-ohm", "\u2126", "a singleton decomposition"],
  ["singleton-kelvin", "\u212a", "a singleton decomposition to ASCII"],
  ["excluded-qa", "\u0958", "a composition exclusion never stands composed"],
  ["excluded-hebrew", "\ufb1d", "a composition exclusion"],
  ["non-starter-decomposition", "\u0344", "a mark that decomposes into two"],
  ["marks-swapped", "a\u0315\u0316", "marks out of the order of their classes"],
  [
    "blocked-later",
    "a\u0316\u0301\u0300".replace("\u0316\u0301", "\u0301\u0316"),
    "a mark that composes although another was to stand between",
  ],
  ["hangul-lv", "\u1100\u1161", "jamo that make a syllable"],
  ["hangul-lvt", "\ud558\u11ab", "a syllable and a jamo that make another"],
  ["compatibility-ideograph", "\uf900", "a CJK compatibility ideograph"],
  ["supplementary-ideograph", "\u{2f800}", "one outside the basic plane"],
  ["musical", "\u{1d15e}", "an excluded musical symbol"],
  ["kaithi", "\u{11099}\u{110ba}", "a composition outside the basic plane"],
  ["tulu-new-in-16", "\u{113c2}\u{113b8}", "a composition that Unicode 16.0.0 brought"],
  ["mark-class-new-in-16", "\u{11366}\u{113ce}", "marks whose order Unicode 16.0.0 gives"],
  ["gurung-khema-new-in-16", "\u{1611e}\u{1611e}", "another composition of 16.0.0"],
  ["kirat-rai-new-in-16", "\u{16d67}\u{16d67}", "another composition of 16.0.0"],
  ["late", "x".repeat(300) + "e\u0301", "the fault comes after a long normal stretch"],
  ["three-marks", "\u0073\u0307\u0323", "two marks in the wrong order that then compose"],
];

/** Texts of composed letters with one that is not, at each place where a stretch may end. */
const LONG = [62, 63, 64, 65, 126, 127, 128, 129, 254, 255, 256, 257, 511, 1023, 4095].map((n) =>
  [
    `after-${n}`,
    "\u00e9".repeat(n) + "e\u0301" + "\u00e9".repeat(300),
    `after ${n} composed letters`,
  ] as const
);

/** An assigned code point, then one beside its range that is not. */
const BESIDE: readonly (readonly [number, number])[] = [
  [0x37a, 0x379],
  [0x377, 0x378],
  [0x38c, 0x38b],
  [0x38c, 0x38d],
  [0x531, 0x530],
  [0x556, 0x557],
  [0x58d, 0x58c],
  [0x1f50, 0x1f4f],
  [0x20c0, 0x20c1],
  [0x2b97, 0x2b96],
  [0xfdcf, 0xfdd0],
  [0xfffd, 0xfffe],
  [0x10000, 0xffff],
  [0x1000b, 0x1000c],
  [0x1000d, 0x1000c],
  [0x1f6d7, 0x1f6d8],
  [0x10fffd, 0x10fffe],
  [0xf0000, 0xeffff],
  [0xe0001, 0xe0000],
];

const recipe = (
  name: string,
  reason: string,
  cites: string[],
  cases: () => ReturnType<Recipe["cases"]>,
): Recipe => ({
  name,
  reason,
  spec: "slm2.md 5, step 11",
  cites: ["slm2-5 Text is valid UTF-8", ...cites],
  cases,
});

const invalid = recipe(
  "corrupt/text/utf8",
  "byte sequences that are no UTF-8",
  ["slm2-5 `CborInvalidUtf8`"],
  () =>
    INVALID.map(([local, hex, why]) => {
      const bytes = Uint8Array.fromHex(hex);
      return corrupt(
        site(),
        `corrupt/text/utf8/${local}`,
        why,
        withValue(concat(head(3, bytes.length), bytes)),
        [17, "CborInvalidUtf8", "manifest"],
      );
    }),
);

const unassigned = recipe(
  "corrupt/text/unassigned",
  "code points that Unicode 16.0.0 does not assign",
  [
    "slm2-5 `CborUnassigned`",
    "slm2-5 A code point is assigned",
    "slm2-5 U+FFFF",
    "slm2-5 A reader carries that table",
  ],
  () =>
    UNASSIGNED.map(([codePoint, why]) => {
      const text = utf8(String.fromCodePoint(codePoint));
      return corrupt(
        site(),
        `corrupt/text/unassigned/u-${codePoint.toString(16).padStart(4, "0")}`,
        why,
        withValue(concat(head(3, text.length), text)),
        [17, "CborUnassigned", "manifest"],
      );
    }),
);

const normal = recipe(
  "corrupt/text/nfc",
  "texts that NFC changes",
  ["slm2-5 `CborNotNfc`"],
  () =>
    [...NOT_NFC, ...LONG].map(([local, text, why]) =>
      corrupt(site(), `corrupt/text/nfc/${local}`, why, withValue(encode(text)), [
        17,
        "CborNotNfc",
        "manifest",
      ])
    ),
);

const beside = recipe(
  "corrupt/text/beside",
  "an unassigned code point right beside an assigned one, in one text",
  ["slm2-5 `CborUnassigned`", "slm2-5 A code point is assigned"],
  () =>
    BESIDE.map(([assigned, other]) =>
      corrupt(
        site(),
        `corrupt/text/beside/u-${other.toString(16).padStart(4, "0")}-by-u-${
          assigned.toString(16).padStart(4, "0")
        }`,
        "the second code point is not assigned",
        withValue(encode(String.fromCodePoint(assigned, other))),
        [17, "CborUnassigned", "manifest"],
      )
    ),
);

/** Of the sequences that NFC changes, every so many. */
const EVERY = 37;

const sequences = recipe(
  "corrupt/text/marks",
  "a base with two or three marks that do not stand as NFC has them",
  ["slm2-5 `CborNotNfc`"],
  () =>
    markSequences().other.filter((_, i) => i % EVERY === 0).map((text) => {
      const points = [...text].map((c) => c.codePointAt(0)!.toString(16).padStart(4, "0"));
      return corrupt(
        site(),
        `corrupt/text/marks/${points.join("-")}`,
        "NFC changes this sequence",
        withValue(encode(text)),
        [17, "CborNotNfc", "manifest"],
      );
    }),
);

export const text: readonly Recipe[] = [invalid, unassigned, beside, normal, sequences];
