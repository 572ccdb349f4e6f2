import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import type { Value } from "../../readers/contract.ts";
import { encode, head, type Item, lookup, sortSet } from "./cbor.ts";

/** RFC 8949 appendix A, what of it SLM-DCBOR-1 has. */
const APPENDIX_A: [Item, string][] = [
  [0, "00"],
  [1, "01"],
  [10, "0a"],
  [23, "17"],
  [24, "1818"],
  [25, "1819"],
  [100, "1864"],
  [1000, "1903e8"],
  [1000000, "1a000f4240"],
  [1000000000000, "1b000000e8d4a51000"],
  [18446744073709551615n, "1bffffffffffffffff"],
  [-1, "20"],
  [-10, "29"],
  [-100, "3863"],
  [-1000, "3903e7"],
  [false, "f4"],
  [true, "f5"],
  [null, "f6"],
  [new Uint8Array(0), "40"],
  [new Uint8Array([1, 2, 3, 4]), "4401020304"],
  ["", "60"],
  ["a", "6161"],
  ["IETF", "6449455446"],
  ['"\\', "62225c"],
  ["\u00fc", "62c3bc"],
  ["\u6c34", "63e6b0b4"],
  ["\ud800\udd51", "64f0908591"],
  [[], "80"],
  [[1, 2, 3], "83010203"],
  [[1, [2, 3], [4, 5]], "8301820203820405"],
  [
    Array.from({ length: 25 }, (_, i) => i + 1),
    "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
  ],
  [{}, "a0"],
  [{ a: 1, b: [2, 3] }, "a26161016162820203"],
  [["a", { b: "c" }], "826161a161626163"],
  [
    { a: "A", b: "B", c: "C", d: "D", e: "E" },
    "a56161614161626142616361436164614461656145",
  ],
];

Deno.test("encodings are those of RFC 8949 appendix A", () => {
  for (const [item, hex] of APPENDIX_A) assertEquals(encode(item).toHex(), hex, hex);
});

dataTest("and of the published vectors", (data) => {
  const text = Deno.readTextFileSync(new URL("vectors/cbor_appendix_a.json", data));
  const cases = JSON.parse(text) as { hex: string; decoded?: Item; roundtrip: boolean }[];
  let compared = 0;
  for (const { hex, decoded, roundtrip } of cases) {
    // no tags, floats, indefinite lengths, nor map keys other than text
    const other = !roundtrip || decoded === undefined || /^(f[^456]|[cd])/.test(hex);
    if (other || (typeof decoded === "number" && !Number.isSafeInteger(decoded))) continue;
    assertEquals(encode(decoded).toHex(), hex);
    compared++;
  }
  assertEquals(compared > 25, true, `${compared} compared`);
});

Deno.test("the ends of the integer range", () => {
  assertEquals(encode(-(2n ** 63n)).toHex(), "3b7fffffffffffffff");
  assertEquals(encode(-62654812000).toHex(), "3b0000000e96848f5f");
  assertThrows(() => encode(-(2n ** 63n) - 1n), RangeError);
  assertThrows(() => encode(2n ** 64n), RangeError);
  assertThrows(() => encode(0.5), RangeError);
});

Deno.test("every argument takes its shortest form", () => {
  const sizes: [number, number][] = [[23, 1], [24, 2], [255, 2], [256, 3], [65535, 3], [65536, 5]];
  for (const [n, size] of [...sizes, [2 ** 32 - 1, 5] as const, [2 ** 32, 9] as const]) {
    assertEquals(head(2, n).length, size, `${n}`);
  }
});

Deno.test("map keys stand in the order of their encodings, shorter first", () => {
  const map = { artifact_class: 1, schema: 2, body: 3, aa: 4, b: 5 };
  assertEquals(
    encode(map).toHex(),
    "a5" + "6162" + "05" + "626161" + "04" + "64626f6479" + "03" + "66736368656d61" + "02" +
      "6e61727469666163745f636c617373" + "01",
  );
});

Deno.test("the order of a map's keys never shows, nor whether it is an object or a Map", () => {
  fc.assert(fc.property(
    fc.uniqueArray(fc.tuple(fc.string(), fc.integer()), { selector: ([key]) => key }),
    fc.infiniteStream(fc.nat()),
    (entries, random) => {
      const shuffled = entries.map((entry) => ({ entry, at: random.next().value }))
        .sort((a, b) => a.at - b.at).map(({ entry }) => entry);
      assertEquals(encode(new Map(shuffled)), encode(new Map(entries)));
      assertEquals(encode(Object.fromEntries(shuffled)), encode(Object.fromEntries(entries)));
    },
  ));
});

Deno.test("a set is sorted by encodings: integers by size, then texts by length", () => {
  assertEquals(sortSet([300, 24, 5, 23]), [5, 23, 24, 300]);
  assertEquals(sortSet(["pear", "fig", "apple"]), ["fig", "pear", "apple"]);
  assertEquals(sortSet([2, 1, 2]), [1, 2, 2]);
});

Deno.test("a key from a file is never a property of the prototype", () => {
  assertEquals(encode(new Map([["__proto__", 1]])).toHex(), "a1695f5f70726f746f5f5f01");
  assertEquals(lookup({ a: { b: 7 } }, "a", "b"), 7);
  assertEquals(lookup({}, "constructor"), undefined);
  assertEquals(lookup([1], "length"), undefined);
});

Deno.test("what a reader decodes can be encoded again", () => {
  const value: Value = new Map<string, Value>([["a", [1, 2n ** 60n, null]], ["b", new Map()]]);
  assertEquals(encode(value).toHex(), "a2616183011b1000000000000000f66162a0");
});
