/** Texts at the borders of UTF-8, of Unicode 16.0.0 and of its NFC (section 5), as bytes. */
import type { Random } from "./random.ts";

/** Each with why; hex of the bytes. */
const ODD: readonly (readonly [why: string, hex: string])[] = [
  ["a continuation byte alone", "80"],
  ["a lead byte alone", "c3"],
  ["overlong two bytes", "c080"],
  ["overlong slash", "c0af"],
  ["overlong three bytes", "e08080"],
  ["overlong, the last one", "e09fbf"],
  ["the first of three bytes", "e0a080"],
  ["overlong four bytes", "f0808080"],
  ["overlong four bytes, the last one", "f08fbfbf"],
  ["the first of four bytes", "f0908080"],
  ["the last before the surrogates", "ed9fbf"],
  ["the first surrogate", "eda080"],
  ["the last surrogate", "edbfbf"],
  ["a surrogate pair", "eda080edb080"],
  ["the first after the surrogates", "ee8080"],
  ["U+10FFFF, unassigned", "f48fbfbf"],
  ["U+10FFFD, private", "f48fbfbd"],
  ["above U+10FFFF", "f4908080"],
  ["five bytes", "f888808080"],
  ["byte ff", "ff"],
  ["cut in three bytes", "e282"],
  ["cut in four bytes", "f09f9a"],
  ["U+FFFE, unassigned", "efbfbe"],
  ["U+FFFF, unassigned", "efbfbf"],
  ["U+FDD0, unassigned", "efb790"],
  ["U+E000, private", "ee8080"],
  ["U+0378, unassigned", "cdb8"],
  ["U+0000", "00"],
  ["byte order mark", "efbbbf"],
  ["e acute decomposed", "65cc81"],
  ["e acute", "c3a9"],
  ["a combining mark first", "cc81"],
  ["marks out of order", "61cca7cc81"],
  ["marks in the wrong order", "61cc81cca7"],
  ["U+0344, a mark that decomposes", "cd84"],
  ["Angstrom sign", "e284ab"],
  ["Ohm sign", "e284a6"],
  ["Hangul from jamo", "e18480e185a1"],
  ["Hangul LV and T", "eab080e186a8"],
  ["Hangul syllable", "eab081"],
  ["excluded from composition", "e0a495e0a4bc"],
  ["excluded, composed", "e0a598"],
  ["a CJK compatibility ideograph", "efa480"],
  ["a ligature, stable under NFC", "efac81"],
  ["U+113C5, composed in Unicode 16", "f0918f85"],
  ["U+113C2 U+113B8, composed by Unicode 16", "f0918f82f0918eb8"],
  ["U+16D68 from U+16D67 U+16D67, Unicode 16", "f096b5a7f096b5a7"],
  ["U+105C9, new in Unicode 16", "f090978ff0909789"],
  ["U+1C89, assigned in 16", "e1b289"],
  ["U+A7DA, assigned in 16", "ea9f9a"],
  ["U+A7CE, assigned in 17", "ea9f8e"],
  ["U+20C1, assigned in 17", "e28381"],
  ["U+1FADC, assigned in 16", "f09fab9c"],
  ["U+1FACD, assigned in 17", "f09fab8d"],
  ["U+2B739 and after", "f0abb9b9"],
  ["U+2A6E0, unassigned", "f0aa9ba0"],
  ["U+30000", "f0b08080"],
  ["U+323B0, unassigned in 16", "f0b28eb0"],
  ["U+E0001, a tag", "f3a08081"],
  ["U+D800 as CESU and a letter", "eda08061"],
];

const TABLE = ODD.map(([, hex]) => Uint8Array.fromHex(hex));

/** An odd piece of text. */
export const oddText = (random: Random): Uint8Array => random.pick(TABLE);

/** Blocks of combining marks of many classes, of which only some take part in compositions. */
const MARKS = [[0x300, 0x36f], [0x591, 0x5bd], [0x610, 0x61a], [0x64b, 0x65f], [0x1dc0, 0x1dff], [
  0x3099,
  0x309a,
]];

/** A letter under two to four marks, in any order. */
export function marked(random: Random): Uint8Array {
  const parts = [random.pick([0x61, 0x65, 0x4b, 0x3b1, 0x915])];
  for (let i = random.between(2, 4); i > 0; i--) {
    const [first, last] = random.oneIn(2) ? MARKS[0] : random.pick(MARKS);
    parts.push(random.between(first, last));
  }
  return new TextEncoder().encode(String.fromCodePoint(...parts));
}

/** Any code point as UTF-8, surrogates included; low planes more often. */
export function anyCodePoint(random: Random): Uint8Array {
  const c = random.pick([
    random.below(0x3000),
    random.below(0x10000),
    random.between(0x10000, 0x1ffff),
    random.below(0x110000),
  ]);
  if (c < 0x80) return Uint8Array.of(c);
  if (c < 0x800) return Uint8Array.of(0xc0 | c >> 6, 0x80 | c & 63);
  if (c < 0x10000) return Uint8Array.of(0xe0 | c >> 12, 0x80 | c >> 6 & 63, 0x80 | c & 63);
  return Uint8Array.of(0xf0 | c >> 18, 0x80 | c >> 12 & 63, 0x80 | c >> 6 & 63, 0x80 | c & 63);
}
