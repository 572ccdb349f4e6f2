/** The order set inside one manifest: the steps of an item, and items from left to right. */
import { encode } from "../../writer/cbor.ts";
import { manifestOf } from "../../writer/manifest.ts";
import { corrupt, type Recipe } from "../case.ts";
import { endingIn, site, withKey, withRaw, withValue } from "../cbor_site.ts";
import { withManifest } from "../parts.ts";
import { TWO } from "./two_faults.ts";

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

export const cbor: Recipe = {
  name: "order/cbor",
  reason: "the steps of one item in order, and items from left to right",
  spec: "slm2.md 5",
  cites: ["slm2-5 For each item, in this order", "slm2-5 The manifest is one item"],
  cases: () =>
    ([
      ["key-type-reserved", "step 3 before 5", withKey(hex("3c")), "CborKeyNotText"],
      ["key-type-form", "step 3 before 8", withKey(hex("1800")), "CborKeyNotText"],
      ["key-type-length", "step 3 before 10", withKey(hex("5bffffffffffffffff")), "CborKeyNotText"],
      [
        "forbidden-truncated",
        "step 4 before 7: a tag whose argument is missing",
        endingIn(hex("db00")),
        "CborForbiddenType",
      ],
      [
        "float-truncated",
        "step 4 before 7: a float that is cut",
        endingIn(hex("fb00")),
        "CborForbiddenType",
      ],
      ["reserved-truncated", "step 5 before 7", endingIn(hex("5c")), "CborReservedInfo"],
      [
        "indefinite-depth",
        "step 6 before 12: the seventeenth level is indefinite",
        withValue(hex("81".repeat(12) + "9fff")),
        "CborIndefiniteLength",
      ],
      [
        "truncated-form",
        "step 7 before 8: the long form of 0 is cut",
        endingIn(hex("1b00")),
        "CborTruncated",
      ],
      [
        "form-limit",
        "step 8 before 10: too long, and not in the shortest form",
        withValue(hex("5b0000000000100001")),
        "CborNotShortest",
      ],
      [
        "form-range",
        "step 8 before 9 cannot be both; a length in the long form before its bytes are missing",
        withValue(hex("7800")),
        "CborNotShortest",
      ],
      [
        "limit-truncated",
        "step 10: the limit before the bytes left",
        endingIn(hex("5a00100001")),
        "FormatLimitExceeded",
      ],
      [
        "truncated-utf8",
        "step 10 before 11: bytes of a text are missing, and one is wrong",
        endingIn(hex("6280")),
        "CborTruncated",
      ],
      [
        "utf8-unassigned",
        "step 11: UTF-8 over the whole text before assignment",
        withValue(hex("64efbfbf80")),
        "CborInvalidUtf8",
      ],
      ["utf8-nfc", "step 11: UTF-8 before NFC", withValue(hex("6465cc81ff")), "CborInvalidUtf8"],
      [
        "unassigned-nfc",
        "step 11: assignment over the whole text before NFC",
        withValue(hex("6665cc81efbfbf")),
        "CborUnassigned",
      ],
      [
        "nfc-late-unassigned",
        "the same the other way round",
        withValue(hex("66efbfbf65cc81")),
        "CborUnassigned",
      ],
      [
        "depth-entries",
        "step 12: depth before the entries that are missing",
        withValue(hex("81".repeat(12) + "9a00004000")),
        "CborNotShortest",
      ],
      [
        "depth-truncated",
        "step 12: depth before entries over the bytes left",
        endingIn(hex("81".repeat(12) + "98ff")),
        "FormatLimitExceeded",
      ],
      [
        "key-text-duplicate",
        "step 11 before 13: a key twice that is not NFC",
        withRaw(hex("a2 6365cc81 00 6365cc81 00")),
        "CborNotNfc",
      ],
      [
        "duplicate-value",
        "step 13 before the value that follows",
        withRaw(hex("a2 6161 00 6161 f7")),
        "CborDuplicateKey",
      ],
      [
        "order-value",
        "step 13 before the value that follows",
        withRaw(hex("a2 6162 00 6161 ff")),
        "CborKeyOrder",
      ],
      [
        "value-duplicate",
        "a value before the key after it",
        withRaw(hex("a2 6161 f7 6161 00")),
        "CborForbiddenType",
      ],
      [
        "left-right",
        "two wrong values: the left one",
        withRaw(hex("a2 6161 1c 6162 f7")),
        "CborReservedInfo",
      ],
      [
        "right-left",
        "and the other way round",
        withRaw(hex("a2 6161 f7 6162 1c")),
        "CborForbiddenType",
      ],
      [
        "inner-first",
        "a fault inside before the keys outside",
        withRaw(hex("a2 6162 81 18 00 6161 00")),
        "CborNotShortest",
      ],
      [
        "item-trailing",
        "a fault in the item before what follows it",
        trailing(),
        "CborForbiddenType",
      ],
    ] as const).map(([local, why, bytes, code]) =>
      corrupt(site(), `${cbor.name}/${local}`, why, bytes, [17, code, "manifest"], TWO)
    ),
};

function trailing(): Uint8Array {
  const manifest = encode(manifestOf(site().description).item).slice();
  manifest[manifest.length - 1] = 0xf7;
  return withManifest(site().artifact.bytes, new Uint8Array([...manifest, 0]));
}
