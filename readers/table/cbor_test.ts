import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import type { Policy } from "../contract.ts";
import { checkCbor } from "./cbor.ts";
import { Memory } from "./input.ts";
import { limitsOf } from "./limits.ts";
import { Manifest } from "./manifest.ts";
import { type Cbor, concat, encode, fromHex } from "./testing.ts";

function code(bytes: Uint8Array, policy?: Policy): string | null {
  const limits = limitsOf(policy);
  return checkCbor(bytes, 0, bytes.length, limits, new Memory(undefined))?.code ?? null;
}

dataTest("RFC 8949 appendix A under SLM-DCBOR-1", async (data) => {
  const cases = JSON.parse(await Deno.readTextFile(new URL("vectors/cbor_appendix_a.json", data)));
  for (const { hex, decoded } of cases) {
    const bytes = fromHex(hex);
    const expected = appendixCode(hex);
    assertEquals(code(bytes), expected, hex);
    if (expected !== null || decoded === undefined) continue;
    const value = new Manifest(bytes, 0, bytes.length).value();
    assertEquals(plain(value), plainOf(decoded, hex), hex);
  }
});
/** What the appendix shows that SLM-DCBOR-1 leaves out. */
function appendixCode(hex: string): string | null {
  if (hex === "3bffffffffffffffff") return "CborIntegerRange";
  if (hex === "a201020304") return "CborKeyNotText";
  if (/^(5f|7f|9f|bf)|^8301.*9f|^83019f|^826161bf/.test(hex)) return "CborIndefiniteLength";
  if (/^([cd]|f[9abf078])/.test(hex)) return "CborForbiddenType";
  return null;
}
function plain(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries(Array.from(value, ([k, v]) => [k, plain(v)]));
  }
  return Array.isArray(value) ? value.map(plain) : value;
}
/** JSON has rounded the one integer above 2^53. */
function plainOf(decoded: unknown, hex: string): unknown {
  return hex === "1bffffffffffffffff" ? 2n ** 64n - 1n : decoded;
}

dataTest("items that are not well-formed", async (data) => {
  const cases = JSON.parse(await Deno.readTextFile(new URL("vectors/cbor_fail.json", data)));
  assertEquals(cases.length, 568);
  for (const { hex } of cases) {
    const first = parseInt(hex.slice(0, 2), 16);
    const major = first >> 5;
    const expected = major >= 6
      ? "CborForbiddenType"
      : (first & 31) === 31 && major >= 2
      ? "CborIndefiniteLength"
      : "CborReservedInfo";
    assertEquals(code(fromHex(hex)), expected, hex);
  }
});

const CASES: readonly [hex: string, code: string | null, policy?: Policy][] = [
  ["", "CborTruncated"],
  ["00", null],
  ["0000", "CborTrailingBytes"],
  ["18", "CborTruncated"],
  ["1800", "CborNotShortest"],
  ["1817", "CborNotShortest"],
  ["190000", "CborNotShortest"],
  ["1900ff", "CborNotShortest"],
  ["190100", null],
  ["1a0000ffff", "CborNotShortest"],
  ["1b00000000ffffffff", "CborNotShortest"],
  ["1b0000000100000000", null],
  ["3b0000000e96848f5f", null],
  ["3b7fffffffffffffff", null],
  ["3b8000000000000000", "CborIntegerRange"],
  ["3bffffffffffffffff", "CborIntegerRange"],
  ["9bffffffffffffffff", "FormatLimitExceeded"],
  ["994001", "FormatLimitExceeded"],
  ["994000" + "00".repeat(10), "CborTruncated"],
  ["b94001", "FormatLimitExceeded"],
  ["82" + "00", "CborTruncated"],
  ["a16161", "CborTruncated"],
  ["a1616100", null],
  ["5a00100001", "FormatLimitExceeded"],
  ["5a00100000", "CborTruncated"],
  ["7a00010001", "FormatLimitExceeded"],
  ["7a00010000", "CborTruncated"],
  ["81".repeat(16) + "00", null],

  ["81".repeat(15) + "80", null],
  ["81".repeat(16) + "80", "FormatLimitExceeded"],
  ["81".repeat(200_000), "FormatLimitExceeded"],
  ["a26161006162", "CborTruncated"],
  ["a2616100616100", "CborDuplicateKey"],
  ["a2616200616100", "CborKeyOrder"],
  ["a262616100616200", "CborKeyOrder"],
  ["a2616200626161f5", null],
  ["a160" + "a160" + "00", null],
  // a nested map does not disturb the order of the outer one
  ["a26161a1616300616200", null],
  ["a26162a1616100616100", "CborKeyOrder"],
  ["a1ff", "CborTruncated"],
  ["a1ff00", "CborKeyNotText"],
  ["a1c100", "CborKeyNotText"],
  ["a1f600", "CborKeyNotText"],
  ["a15f00", "CborKeyNotText"],
  ["a17f00", "CborIndefiniteLength"],
  ["a17c00", "CborReservedInfo"],
  ["a1780000", "CborNotShortest"],
  ["9f", "CborIndefiniteLength"],
  ["1f", "CborReservedInfo"],
  ["f7", "CborForbiddenType"],
  ["f97e00", "CborForbiddenType"],
  ["f814", "CborForbiddenType"],
  ["c1", "CborForbiddenType"],
  ["61ff", "CborInvalidUtf8"],
  ["62c080", "CborInvalidUtf8"],
  ["63eda080", "CborInvalidUtf8"],
  ["61e2", "CborInvalidUtf8"],
  ["63efbfbf", "CborUnassigned"], // U+FFFF
  ["63ee8080", null], // U+E000
  ["63efbbbf", null], // U+FEFF
  ["a2" + "60" + "00" + "63efbbbf" + "00", null],
  ["6365cc81", "CborNotNfc"],
  ["62c3a9", null],
  // over the whole string, in this order
  ["68" + "65cc81" + "efbfbf" + "80" + "41", "CborInvalidUtf8"],
  ["66" + "65cc81" + "efbfbf", "CborUnassigned"],
  ["68f0918da6f0918f8e", "CborNotNfc"], // U+11366 U+113CE
  ["68f0918f82f0918eb8", "CborNotNfc"], // U+113C2 U+113B8
  // policy limits
  ["820000", "PolicyLimitExceeded", { cbor_items: 2 }],
  ["820000", null, { cbor_items: 3 }],
  ["8100", "PolicyLimitExceeded", { cbor_depth: 0 }],
  ["00", "PolicyLimitExceeded", { cbor_items: 0 }],
  ["8100", "PolicyLimitExceeded", { cbor_entries: 0 }],
  ["60", null, { cbor_text: 0 }],
  ["6161", "PolicyLimitExceeded", { cbor_text: 0 }],
  ["a1626161" + "00", "PolicyLimitExceeded", { cbor_text: 1 }],
  ["420000", "PolicyLimitExceeded", { cbor_bytes: 1 }],
  ["9bffffffffffffffff", "FormatLimitExceeded", { cbor_entries: 1 }],
];

Deno.test("section 5, step by step", () => {
  for (const [hex, expected, policy] of CASES) {
    assertEquals(code(fromHex(hex), policy), expected, hex.slice(0, 60));
  }
});

Deno.test("the items limit counts every key, value, array and map", () => {
  const list = (n: number) =>
    concat(fromHex("99" + n.toString(16).padStart(4, "0")), new Uint8Array(n));
  // 1 + 4 x (1 + 16,383) = 65,537 items
  assertEquals(code(concat(fromHex("84"), ...Array(4).fill(list(16_383)))), "FormatLimitExceeded");
  // 1 + 3 x (1 + 16,383) + (1 + 16,382) = 65,536
  const good = [...Array(3).fill(list(16_383)), list(16_382)];
  assertEquals(code(concat(fromHex("84"), ...good)), null);
});

const value: fc.Arbitrary<Cbor> = fc.letrec<{ value: Cbor }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    fc.string(),
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(true, false, null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

Deno.test("every canonical item passes, and no cut or lengthened one", () => {
  fc.assert(fc.property(value, fc.nat(), (value, at) => {
    const bytes = encode(value);
    assertEquals(code(bytes), null);
    const cut = bytes.subarray(0, at % bytes.length);
    assertEquals(code(cut), "CborTruncated");
    assertEquals(code(concat(bytes, Uint8Array.of(0))), "CborTrailingBytes");
    const m = new Manifest(bytes, 0, bytes.length);
    assertEquals(m.next(0), bytes.length);
    assertEquals(encode(fromValue(m.value())), bytes);
  }));
});
function fromValue(value: unknown): Cbor {
  if (value instanceof Map) {
    return Object.fromEntries(Array.from(value, ([k, v]) => [k, fromValue(v)]));
  }
  return Array.isArray(value) ? value.map(fromValue) : value as Cbor;
}

Deno.test("any bytes give a verdict", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    const found = code(bytes);
    assert(found === null || found.startsWith("Cbor") || found === "FormatLimitExceeded");
  }));
});
