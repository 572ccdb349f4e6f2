/** SLM-DCBOR-1 at its edges, accepted: integers, lengths, nesting, texts. */
import type { Item } from "../../writer/cbor.ts";
import { lazy, type Recipe, valid } from "../case.ts";
import { free, markSequences, site, withPayload } from "../cbor_site.ts";

/** Both sides of every change of form, and the ends of the range. */
const INTEGERS: readonly (number | bigint)[] = [
  0,
  23,
  24,
  255,
  256,
  65535,
  65536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
  -1,
  -24,
  -25,
  -256,
  -257,
  -65536,
  -65537,
  -(2 ** 31),
  -(2 ** 32),
  -(2 ** 32) - 1,
  -62654812000,
  -Number.MAX_SAFE_INTEGER,
  -(2n ** 53n),
  -(2n ** 53n) - 1n,
  -(2n ** 63n),
];

const integers: Recipe = {
  name: "valid/cbor",
  reason: "every form of an item at both sides of each change of length",
  spec: "slm2.md 5",
  cites: ["slm2-5 Definite-length unsigned", "slm2-5 Shortest integer", "slm2-5 Integers from"],
  cases: () => [
    site(),
    ...INTEGERS.map((n) =>
      free(
        `valid/cbor/int-${n < 0 ? "minus-" : ""}${`${n}`.replace("-", "")}`,
        `the integer ${n}`,
        n,
      )
    ),
    ...[0, 1, 23, 24, 255, 256, 4096].flatMap((n) => [
      free(`valid/cbor/bytes-${n}`, `a byte string of ${n}`, new Uint8Array(n)),
      free(`valid/cbor/text-${n}`, `a text of ${n} bytes`, "x".repeat(n)),
      free(`valid/cbor/array-${n}`, `an array of ${n}`, new Array(n).fill(0)),
    ]),
    ...[0, 1, 23, 24, 255, 256].map((n) =>
      free(
        `valid/cbor/map-${n}`,
        `a map of ${n} entries`,
        Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i])),
      )
    ),
    free("valid/cbor/simple", "the three simple values", [false, true, null]),
    valid(
      "valid/cbor/payload-bytes",
      "an extension's payload may be a byte string",
      withPayload(new Uint8Array([0xff])),
    ),
    valid("valid/cbor/payload-empty-map", "or a map, empty too", withPayload({})),
    valid(
      "valid/cbor/key-order",
      "keys sort by their encodings: length first, then bytes",
      withPayload({ z: 0, aa: 0, "": 0, "\u00e9": 0, aaa: 0, "\u00e9\u0301x": 0 }),
    ),
    valid(
      "valid/cbor/key-prototype",
      "keys that a host language knows are keys like others",
      withPayload({ constructor: 1, hasOwnProperty: 2, toString: 3, ["__proto__"]: 4 }),
    ),
    valid(
      "valid/cbor/key-numeric",
      "keys that look like indexes keep the order of their bytes",
      withPayload({ "10": 0, "9": 0, "0": 0, "-1": 0 }),
    ),
  ],
};

/** Arrays in arrays. */
export const nested = (levels: number): Item => levels === 1 ? [] : [nested(levels - 1)];

/** The free value stands at depth 5: manifest, extensions, extension, payload, value. */
export const DEPTH_ABOVE = 4;

/** Items of the site's manifest without its free value. */
const ITEMS_ABOVE = lazy(() =>
  count({
    artifact_class: 0,
    body: { architecture: { id: "", parameters: {} }, dependents: false },
    dependencies: [],
    extensions: [{ critical: false, id: "", payload: { v: 0 }, version: 0 }],
    requirements: { features: [], memory_bytes: 0 },
    schema: "",
  }) - 1
);

/** Section 4: every key, value, array and map counts one. */
function count(item: Item): number {
  if (Array.isArray(item)) return item.reduce((sum, one) => sum + count(one), 1);
  if (typeof item !== "object" || item === null || item instanceof Uint8Array) return 1;
  return Object.values(item as { [key: string]: Item }).reduce<number>(
    (sum, one) => sum + 1 + count(one),
    1,
  );
}

/** Lists of zeros that make `n` items in all, none longer than a list may be. */
export function itemsOf(n: number): Item {
  const lists: Item[] = [];
  for (let left = n - 1; left > 0;) {
    const length = Math.min(16384, left - 1);
    lists.push(new Array(length).fill(0));
    left -= length + 1;
  }
  return lists;
}

export const deepest = lazy(() =>
  free("valid/limits/cbor-depth-16", "nesting of just 16", nested(16 - DEPTH_ABOVE))
);
export const mostItems = lazy(() =>
  free(
    "valid/limits/cbor-items-65536",
    "a manifest of just 65,536 items",
    itemsOf(65536 - ITEMS_ABOVE()),
  )
);
export const longestArray = lazy(() =>
  free("valid/limits/cbor-array-16384", "an array of just 16,384", new Array(16384).fill(0))
);
export const longestMap = lazy(() =>
  free(
    "valid/limits/cbor-map-16384",
    "a map of just 16,384 entries",
    Object.fromEntries(Array.from({ length: 16384 }, (_, i) => [i.toString(36), 0])),
  )
);
export const longestText = lazy(() =>
  free("valid/limits/cbor-text-65536", "a text of just 65,536 bytes", "x".repeat(65536))
);

export const tooManyItems = () => withPayload({ v: itemsOf(65537 - ITEMS_ABOVE()) });

const limits: Recipe = {
  name: "valid/limits",
  reason: "each limit of section 4 that a small file can reach, reached exactly",
  spec: "slm2.md 4",
  cites: [
    "slm2-4 cbor depth",
    "slm2-4 cbor items",
    "slm2-4 cbor text",
    "slm2-4 cbor array or map",
    "slm2-4 Default policy",
  ],
  cases: () => [deepest(), mostItems(), longestArray(), longestMap(), longestText()],
};

/** Texts in NFC that a decoder, a normaliser or a table of another version may get wrong. */
const TEXTS: readonly (readonly [local: string, text: string, why: string])[] = [
  ["empty", "", "no text at all"],
  ["nul", "\0", "U+0000 is assigned"],
  ["bom", "\ufeff", "U+FEFF is a character like others, not a mark to be dropped"],
  ["bom-then-a", "\ufeffA", "nor before others"],
  ["e-acute", "\u00e9", "composed"],
  ["devanagari-qa", "\u0915\u093c", "a composition exclusion stands decomposed"],
  ["hangul", "\ud55c\uae00", "Hangul syllables"],
  ["hangul-lone-jamo", "\u1100 \u1161", "jamo that do not meet"],
  ["private-use", "\ue000\uf8ff", "Co is assigned"],
  ["private-plane", "\u{10fffd}", "the last assigned code point"],
  ["emoji", "\u{1f600}", "outside the basic plane"],
  ["marks-in-order", "q\u0316\u0300b\u0301", "marks of rising class that compose with nothing"],
  ["tulu", "\u{113c5}", "a letter of Unicode 16.0.0"],
  [
    "before-surrogates",
    "\ud7fb\ue000",
    "both neighbours of the surrogates that are assigned",
  ],
  ["long-s-dot", "\u1e9b\u0323", "NFC keeps what NFKC changes"],
  ["ligature", "\ufb01", "compatibility characters are in NFC"],
  ["long-composed", "\u00e9".repeat(300), "a long text of composed letters"],
  ["long-excluded", "\u0915\u093c".repeat(200), "a long text of pairs that never compose"],
  ["long-marks", "q\u0316\u0300".repeat(150), "a long text of marks in order"],
  ["long-astral", "\u{1f600}".repeat(200), "a long text outside the basic plane"],
  ["combining-first", "\u0301a", "a text may begin with a mark"],
];

const texts: Recipe = {
  name: "valid/text",
  reason: "Unicode metadata in NFC",
  spec: "slm2.md 5",
  cites: ["slm2-5 Text is valid UTF-8", "slm2-5 A code point is assigned", "slm2-5 U+FFFF"],
  cases: () => [
    ...TEXTS.map(([local, text, why]) => free(`valid/text/${local}`, why, text)),
    free(
      "valid/text/mark-sequences",
      "bases with two and three marks, every sequence that NFC leaves as it is",
      markSequences().normal,
    ),
    valid(
      "valid/text/keys-with-bom",
      "an empty key and one of U+FEFF are two keys",
      withPayload({ "": 0, "\ufeff": 0 }),
    ),
    ...TEXTS.slice(4).map(([local, text, why]) =>
      valid(`valid/text/key-${local}`, `as a key: ${why}`, withPayload({ [text]: 0 }))
    ),
  ],
};

export const cbor: readonly Recipe[] = [integers, limits, texts];
