/** Stage 17: every step of section 5, for every major type that it can meet. */
import { concat } from "../../writer/bytes.ts";
import { encode, head } from "../../writer/cbor.ts";
import { manifestOf } from "../../writer/manifest.ts";
import type { Code } from "../../../readers/contract.ts";
import { type Case, corrupt, type Recipe } from "../case.ts";
import { bytesAfter, endingIn, site, withKey, withRaw, withValue } from "../cbor_site.ts";
import { bound, chat } from "../library.ts";
import { open, withManifest } from "../parts.ts";
import { assemble } from "../../writer/write.ts";
import {
  deepest,
  DEPTH_ABOVE,
  longestArray,
  longestMap,
  longestText,
  mostItems,
  nested,
  tooManyItems,
} from "../valid/cbor.ts";
import { withPayload } from "../cbor_site.ts";

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

type Row = readonly [local: string, raw: string, code: Code, why: string];

/** One case a row; `place` says where the row's bytes are put. */
function rows(
  recipe: Recipe,
  list: readonly Row[],
  place: (raw: Uint8Array) => Uint8Array,
): Case[] {
  return list.map(([local, raw, code, why]) =>
    corrupt(site(), `${recipe.name}/${local}`, why, place(hex(raw)), [17, code, "manifest"])
  );
}

const MAJORS = ["uint", "nint", "bytes", "text", "array", "map"] as const;
const initial = (major: number, info: number) => (major * 32 + info).toString(16).padStart(2, "0");

const keys: Recipe = {
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

const info: Recipe = {
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

const lengths: Recipe = {
  name: "corrupt/cbor/length",
  reason: "steps 10 and 12: lengths and counts over their limit, then over the bytes that are left",
  spec: "slm2.md 5, steps 10 and 12",
  cites: [
    "slm2-5 major 2, 3: length over its limit",
    "slm2-5 length > bytes left",
    "slm2-5 entries over their limit",
    "slm2-5 entries (array) or 2 x entries (map)",
    "slm2-4 cbor byte-string length",
  ],
  cases: () => [
    ...rows(lengths, [
      [
        "bytes-over-limit",
        "5a 00100001",
        "FormatLimitExceeded",
        "1,048,577 bytes: the limit is asked before what is left",
      ],
      [
        "bytes-at-limit",
        "5a 00100000",
        "CborTruncated",
        "1,048,576 bytes are allowed, and not there",
      ],
      ["bytes-2-32", "5b 0000000100000000", "FormatLimitExceeded", "2^32 bytes"],
      ["bytes-2-53", "5b 0020000000000000", "FormatLimitExceeded", "2^53 bytes"],
      ["bytes-all-ones", "5b ffffffffffffffff", "FormatLimitExceeded", "2^64 - 1 bytes"],
      ["text-over-limit", "7a 00010001", "FormatLimitExceeded", "65,537 bytes of text"],
      [
        "text-at-limit",
        "7a 00010000",
        "CborTruncated",
        "65,536 bytes of text are allowed, and not there",
      ],
      ["text-all-ones", "7b ffffffffffffffff", "FormatLimitExceeded", "2^64 - 1 bytes of text"],
      [
        "array-over-limit",
        "99 4001",
        "FormatLimitExceeded",
        "16,385 elements: the limit is asked before what is left",
      ],
      ["array-at-limit", "99 4000", "CborTruncated", "16,384 elements are allowed, and not there"],
      ["array-2-32", "9b 0000000100000000", "FormatLimitExceeded", "2^32 elements"],
      ["array-all-ones", "9b ffffffffffffffff", "FormatLimitExceeded", "2^64 - 1 elements"],
      ["map-over-limit", "b9 4001", "FormatLimitExceeded", "16,385 entries"],
      ["map-at-limit", "b9 4000", "CborTruncated", "16,384 entries are allowed, and not there"],
      ["map-all-ones", "bb ffffffffffffffff", "FormatLimitExceeded", "2^64 - 1 entries"],
    ], withValue),
    ...[1, 2].flatMap((more) => {
      const left = bytesAfter();

      return [
        [
          `bytes-left-plus-${more}`,
          head(2, left + more),
          `a byte string of ${more} more than are left`,
        ],
        [`text-left-plus-${more}`, head(3, left + more), `a text of ${more} more than are left`],
        [
          `array-left-plus-${more}`,
          head(4, left + more),
          `an array of ${more} more than bytes are left`,
        ],
        [
          `map-left-plus-${more}`,
          head(5, Math.floor(left / 2) + more),
          `a map whose keys and values are more than bytes are left`,
        ],
      ] as const;
    }).map(([local, raw, why]) =>
      corrupt(site(), `${lengths.name}/${local}`, why, withValue(raw), [
        17,
        "CborTruncated",
        "manifest",
      ])
    ),
    corrupt(
      longestText(),
      `${lengths.name}/text-65537`,
      "a text of one byte more than allowed, all there",
      assemble(withPayload({ v: "x".repeat(65537) })).bytes,
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-4 cbor text"] },
    ),
    corrupt(
      longestArray(),
      `${lengths.name}/array-16385`,
      "one element more than allowed, all there",
      assemble(withPayload({ v: new Array(16385).fill(0) })).bytes,
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-4 cbor array or map"] },
    ),
    corrupt(
      longestMap(),
      `${lengths.name}/map-16385`,
      "one entry more than allowed, all there",
      assemble(
        withPayload({
          v: Object.fromEntries(Array.from({ length: 16385 }, (_, i) => [i.toString(36), 0])),
        }),
      ).bytes,
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-4 cbor array or map"] },
    ),
    corrupt(
      mostItems(),
      `${lengths.name}/items-65537`,
      "one item more than allowed",
      assemble(tooManyItems()).bytes,
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-4 cbor items", "slm2-5 the items count"] },
    ),
    corrupt(
      deepest(),
      `${lengths.name}/depth-17`,
      "one level more than allowed",
      assemble(withPayload({ v: nested(17 - DEPTH_ABOVE) })).bytes,
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-4 cbor depth", "slm2-5 depth over its limit"] },
    ),
    ...[["a1", "map"], ["81", "array"]].map(([open, what]) =>
      corrupt(
        deepest(),
        `${lengths.name}/depth-17-${what}`,
        `the seventeenth level is a ${what}, and the depth is asked before its entries`,
        withValue(hex("81".repeat(12) + (open === "a1" ? "a0" : "80"))),
        [17, "FormatLimitExceeded", "manifest"],
        { cites: ["slm2-5 depth over its limit"] },
      )
    ),
    corrupt(
      chat(),
      `${lengths.name}/depth-20000`,
      "a manifest of 20,000 bytes 81: a verdict, never a full stack",
      withManifest(chat().artifact.bytes, new Uint8Array(20000).fill(0x81)),
      [17, "FormatLimitExceeded", "manifest"],
      { cites: ["slm2-5 depth over its limit"] },
    ),
  ],
};

const missing: Recipe = {
  name: "corrupt/cbor/argument",
  reason: "step 7: the manifest ends inside an argument",
  spec: "slm2.md 5, step 7",
  cites: ["slm2-5 argument bytes missing"],
  cases: () =>
    rows(
      missing,
      MAJORS.flatMap((name, major) =>
        [[24, 1], [25, 2], [26, 4], [27, 8]].flatMap(([n, bytes]) =>
          [...new Set([0, bytes - 1])].map((there): Row => [
            `${name}-${bytes}-${there}`,
            initial(major, n) + "ff".repeat(there),
            "CborTruncated",
            `${name}: ${there} of ${bytes} bytes of its argument`,
          ])
        )
      ),
      endingIn,
    ),
};

const truncated: Recipe = {
  name: "corrupt/cbor/truncated",
  reason: "step 1 and its kin: a manifest cut at every item and one byte around it",
  spec: "slm2.md 5, steps 1, 7, 10 and 12",
  cites: ["slm2-5 no byte left"],
  cases: () =>
    [bound(), chat()].flatMap((parent) => {
      const manifest = open(parent.artifact.bytes).manifest;
      const cuts = new Set(itemStarts(manifest).flatMap((at) => [at - 1, at, at + 1]));
      return [...cuts].sort((a, b) => a - b).filter((at) => at > 0 && at < manifest.length).map((
        at,
      ) =>
        corrupt(
          parent,
          `${truncated.name}/${parent.id.split("/").at(-1)}-${at}`,
          `a manifest of its first ${at} bytes`,
          withManifest(parent.artifact.bytes, manifest.slice(0, at)),
          [17, "CborTruncated", "manifest"],
        )
      );
    }),
};

/** Where the items of a good encoding begin. */
function itemStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    const major = bytes[at] >> 5, low = bytes[at] % 32;
    const size = low < 24 ? 0 : 2 ** (low - 24);
    let argument = low < 24 ? low : 0;
    for (let i = 0; i < size; i++) argument = argument * 256 + bytes[at + 1 + i];
    at += 1 + size + (major === 2 || major === 3 ? argument : 0);
  }
  return starts;
}

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
