/** Stage 17: every step of section 5, for every major type that it can meet. */
import { concat } from "../../writer/bytes.ts";
import { encode } from "../../writer/cbor.ts";
import { manifestOf } from "../../writer/manifest.ts";
import { corrupt, type Recipe } from "../case.ts";
import { site, withKey, withRaw, withValue } from "../cbor_site.ts";
import { open, withManifest } from "../parts.ts";
import { lengths, missing, truncated } from "./cbor_lengths.ts";
import { hex, initial, MAJORS, type Row, rows } from "./cbor_rows.ts";

export const keys: Recipe = {
  name: "corrupt/cbor/key",
  reason: "step 3: a map key is text, whatever else is wrong with it",
  spec: "slm2.md 5, step 3",
  cites: ["slm2-5 Map keys are text", "slm2-5 `CborKeyNotText`", "slm2-8.17 section 5 codes"],
  cases: () =>
    rows(keys, [
      ["uint", "00", "CborKeyNotText", "an unsigned integer"],
      ["nint", "20", "CborKeyNotText", "a negative integer"],
      ["bytes", "41 61", "CborKeyNotText", "a byte string"],
      ["array", "80", "CborKeyNotText", "an array"],
      ["map", "a0", "CborKeyNotText", "a map"],
      ["tag", "c0 61 61", "CborKeyNotText", "a tag: the key's type is asked before"],
      ["false", "f4", "CborKeyNotText", "a simple value"],
      ["null", "f6", "CborKeyNotText", "null"],
      ["float", "f9 0000", "CborKeyNotText", "a float: the key's type is asked before"],
      ["break", "ff", "CborKeyNotText", "a break: the key's type is asked before"],
      [
        "reserved-uint",
        "1c",
        "CborKeyNotText",
        "reserved information of major 0: the type is asked before",
      ],
      ["reserved", "7c 61", "CborReservedInfo", "text with reserved information"],
      ["indefinite", "7f 61 61 ff", "CborIndefiniteLength", "text of indefinite length"],
      ["long-form", "78 01 61", "CborNotShortest", "text with its length in two bytes"],
      ["invalid-utf8", "61 80", "CborInvalidUtf8", "keys are text too"],
      ["unassigned", "63 efbfbf", "CborUnassigned", "keys are text too"],
      ["not-nfc", "63 65cc81", "CborNotNfc", "keys are text too"],
      ["over-limit", "7a 00010001", "FormatLimitExceeded", "the limit of texts holds for keys"],
    ], withKey),
};

const simple: Recipe = {
  name: "corrupt/cbor/forbidden",
  reason: "step 4: tags, floats, breaks and every simple value but false, true and null",
  spec: "slm2.md 5, step 4",
  cites: ["slm2-5 nothing else", "slm2-5 major type 6", "slm2-5 `CborForbiddenType`"],
  cases: () =>
    rows(simple, [
      ...[0, 23, 24, 25, 26, 27, 28, 31].map((info): Row => [
        `tag-info-${info}`,
        `${initial(6, info)} 00`,
        "CborForbiddenType",
        `a tag with additional information ${info}: its type is asked before its argument`,
      ]),
      ...[0, 19, 23, 24, 25, 26, 27, 28, 29, 30, 31].map((info): Row => [
        `simple-info-${info}`,
        `${initial(7, info)} 0000000000000000`,
        "CborForbiddenType",
        `major 7 with additional information ${info}`,
      ]),
      ["float-nan", "f9 7e00", "CborForbiddenType", "a float that is not a number"],
      ["simple-false-long", "f8 14", "CborForbiddenType", "false in two bytes"],
      ["undefined", "f7", "CborForbiddenType", "undefined"],
    ], withValue),
};

export const info: Recipe = {
  name: "corrupt/cbor/info",
  reason:
    "steps 5 and 6: reserved additional information and indefinite lengths, for every major type",
  spec: "slm2.md 5, steps 5 and 6",
  cites: ["slm2-5 additional information 28-30", "slm2-5 additional information 31"],
  cases: () =>
    rows(
      info,
      MAJORS.flatMap((name, major): Row[] => [
        ...[28, 29, 30].map((n): Row => [
          `${name}-${n}`,
          `${initial(major, n)} 00`,
          "CborReservedInfo",
          `${name} with reserved information ${n}`,
        ]),
        major < 2
          ? [
            `${name}-31`,
            initial(major, 31),
            "CborReservedInfo",
            "an integer of indefinite length",
          ]
          : [
            `${name}-31`,
            `${initial(major, 31)} ff`,
            "CborIndefiniteLength",
            `${name} of indefinite length`,
          ],
      ]),
      withValue,
    ),
};

const forms: Recipe = {
  name: "corrupt/cbor/not-shortest",
  reason:
    "step 8: the least and the greatest argument that has a shorter form, for every length and type",
  spec: "slm2.md 5, step 8",
  cites: ["slm2-5 Shortest integer", "slm2-5 argument not in its shortest form"],
  cases: () =>
    rows(
      forms,
      MAJORS.flatMap((name, major) =>
        ([
          [24, "00"],
          [24, "17"],
          [25, "0000"],
          [25, "00ff"],
          [26, "00000000"],
          [26, "0000ffff"],
          [27, "0000000000000000"],
          [27, "00000000ffffffff"],
        ] as const).map(([n, argument]): Row => [
          `${name}-${argument}`,
          `${initial(major, n)} ${argument}`,
          "CborNotShortest",
          `${name} whose argument ${argument} fits a shorter form`,
        ])
      ),
      withValue,
    ),
};

const integers: Recipe = {
  name: "corrupt/cbor/range",
  reason: "step 9: no integer is below -2^63",
  spec: "slm2.md 5, step 9",
  cites: ["slm2-5 Integers from", "slm2-5 major 1 with argument"],
  cases: () =>
    rows(integers, [
      ["minus-2-63-minus-1", "3b 8000000000000000", "CborIntegerRange", "-2^63 - 1"],
      ["minus-2-64", "3b ffffffffffffffff", "CborIntegerRange", "-2^64"],
    ], withValue),
};

const order: Recipe = {
  name: "corrupt/cbor/keys",
  reason: "step 13: keys strictly increasing by their encodings",
  spec: "slm2.md 5, step 13",
  cites: ["slm2-5 Map keys are text", "slm2-5 `CborDuplicateKey`", "slm2-5 `CborKeyOrder`"],
  cases: () => [
    ...rows(order, [
      ["duplicate", "a2 6161 00 6161 01", "CborDuplicateKey", "one key twice"],
      ["duplicate-empty", "a2 60 00 60 00", "CborDuplicateKey", "the empty key twice"],
      ["swapped", "a2 6162 00 6161 00", "CborKeyOrder", "b before a"],
      [
        "longer-first",
        "a2 626161 00 6162 00",
        "CborKeyOrder",
        "aa before b: a shorter key's encoding sorts first",
      ],
      [
        "alphabetical",
        "a2 626161 00 617a 00",
        "CborKeyOrder",
        "the order of a dictionary is another",
      ],
      [
        "duplicate-apart",
        "a3 6161 00 6162 00 6161 00",
        "CborKeyOrder",
        "the third key equals the first, and sorts before the second",
      ],
      [
        "long-form-order",
        "a2 7818 616161616161616161616161616161616161616161616161 00 6162 00",
        "CborKeyOrder",
        "a key of 24 bytes before one of 1",
      ],
      [
        "utf16-order",
        "a2 64f0908080 00 63efbfbd 00",
        "CborKeyOrder",
        "U+10000 before U+FFFD: bytes, not UTF-16 units",
      ],
      ["nested", "a1 6161 a2 6162 00 6162 00", "CborDuplicateKey", "in a map inside"],
    ], withRaw),
    corrupt(
      site(),
      `${order.name}/manifest-alphabetical`,
      "the manifest's own keys in the order of a dictionary: artifact_class first",
      withManifest(site().artifact.bytes, alphabetical()),
      [17, "CborKeyOrder", "manifest"],
    ),
  ],
};

/** The site's manifest with its keys in alphabetical order. */
function alphabetical(): Uint8Array {
  const { item } = manifestOf(site().description);
  const entries = Object.entries(item as { [key: string]: never }).sort(([a], [b]) =>
    a < b ? -1 : 1
  );
  return concat(hex("a6"), ...entries.flatMap(([key, value]) => [encode(key), encode(value)]));
}

const trailing: Recipe = {
  name: "corrupt/cbor/trailing",
  reason: "the manifest is one item and nothing after it",
  spec: "slm2.md 5",
  cites: ["slm2-5 The manifest is one item", "slm2-5 After the item"],
  cases: () =>
    [["zero", "00"], ["break", "ff"], ["second-map", "a0"]].map(([local, raw]) =>
      corrupt(
        site(),
        `${trailing.name}/${local}`,
        `a byte ${raw} after the item`,
        withManifest(site().artifact.bytes, concat(open(site().artifact.bytes).manifest, hex(raw))),
        [17, "CborTrailingBytes", "manifest"],
      )
    ),
};

export const cborFaults: readonly Recipe[] = [
  keys,
  simple,
  info,
  forms,
  integers,
  lengths,
  missing,
  truncated,
  order,
  trailing,
];
