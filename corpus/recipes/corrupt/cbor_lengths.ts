/** Stage 17: lengths, counts and depth over their limits, and manifests that end too soon. */
import { head } from "../../writer/cbor.ts";
import { assemble } from "../../writer/write.ts";
import { corrupt, type Recipe } from "../case.ts";
import { bytesAfter, endingIn, site, withPayload, withValue } from "../cbor_site.ts";
import { bound, chat } from "../library.ts";
import { open, withManifest } from "../parts.ts";
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
import { hex, initial, MAJORS, type Row, rows } from "./cbor_rows.ts";

export const lengths: Recipe = {
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

export const missing: Recipe = {
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

export const truncated: Recipe = {
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
