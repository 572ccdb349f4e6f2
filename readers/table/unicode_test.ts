import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { Memory } from "./input.ts";
import { textFault } from "./text.ts";
import { fromHex, utf8 } from "./testing.ts";
import { assigned, nfc } from "./unicode.ts";
import { Utf8 } from "./utf8.ts";

function fault(bytes: Uint8Array): string | null {
  return textFault(bytes, 0, bytes.length, new Memory(undefined));
}
function text(points: readonly number[]): Uint8Array {
  return utf8(String.fromCodePoint(...points));
}
const isSurrogate = (point: number) => point >= 0xd800 && point < 0xe000;

dataTest("UTF-8 as two strict decoders judge it", async (data) => {
  const { cases } = JSON.parse(await Deno.readTextFile(new URL("vectors/utf8_cases.json", data)));
  for (const { hex, valid } of cases) {
    const bytes = fromHex(hex);
    assertEquals(fault(bytes) !== "CborInvalidUtf8", valid, hex);
    for (let split = 0; split <= bytes.length; split++) {
      const stream = new Utf8();
      const isValid = stream.takeAll(bytes, 0, split) &&
        stream.takeAll(bytes, split, bytes.length) && stream.whole;
      assertEquals(isValid, valid, `${hex} split at ${split}`);
    }
  }
});

dataTest("NormalizationTest 16.0.0, unlisted code points included", async (data) => {
  const file = new URL("vectors/unicode-16.0.0/NormalizationTest.txt", data);
  const listed = new Set<number>();
  let part = "";
  let lines = 0;
  for (const line of (await Deno.readTextFile(file)).split("\n")) {
    if (line.startsWith("@")) part = line.slice(0, 6);
    if (line === "" || line.startsWith("#") || line.startsWith("@")) continue;
    const columns = line.split(";").slice(0, 5)
      .map((column) => column.split(" ").map((h) => parseInt(h, 16)));
    const [source, c, d, kc, kd] = columns;
    if (part === "@Part1") listed.add(source[0]);
    for (const points of [source, c, d]) assertEquals(nfc(points), c, line);
    for (const points of [kc, kd]) assertEquals(nfc(points), kc, line);
    for (const points of columns) {
      const isNormal = String(nfc(points)) === String(points);
      assertEquals(fault(text(points)), isNormal ? null : "CborNotNfc", line);
    }
    lines++;
  }
  assert(lines > 19_000);
  for (let point = 0; point < 0x110000; point++) {
    if (listed.has(point) || isSurrogate(point)) continue;
    assertEquals(nfc([point]), [point]);
  }
});

dataTest("assigned is UnicodeData 16.0.0, to the code point", async (data) => {
  const file = new URL("vectors/unicode-16.0.0/DerivedGeneralCategory.txt", data);
  const unassigned = new Uint8Array(0x110000);
  for (const line of (await Deno.readTextFile(file)).split("\n")) {
    const match = /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*Cn/.exec(line);
    if (match === null) continue;
    const first = parseInt(match[1], 16);
    unassigned.fill(1, first, parseInt(match[2] ?? match[1], 16) + 1);
  }
  for (let point = 0; point < 0x110000; point++) {
    assertEquals(assigned(point), unassigned[point] === 0, point.toString(16));
  }
  const newer = new URL("vectors/unicode-16.0.0/assigned_in_17_not_16.json", data);
  let count = 0;
  for (const [first, last] of JSON.parse(await Deno.readTextFile(newer)).ranges) {
    for (let point = parseInt(first, 16); point <= parseInt(last, 16); point++, count++) {
      assertEquals(fault(text([point])), "CborUnassigned");
    }
  }
  assertEquals(count, 4803);
});

Deno.test("long runs of marks are judged in linear work", () => {
  // U+1E61, then dots below: the first one moves before the dot above and composes.
  const marks = (point: number) => Array<number>(16_000).fill(point);
  assertEquals(fault(text([0x73, ...marks(0x323)])), "CborNotNfc");
  assertEquals(fault(text([0x71, ...marks(0x323), ...marks(0x307)])), null);
  assertEquals(fault(text([0x71, ...marks(0x307), ...marks(0x323)])), "CborNotNfc");
});

Deno.test("the quick check never differs from normalising in full", () => {
  // starters, marks of several classes, composites, seconds, jamo, syllables, excluded ones
  const points = [
    0x41,
    0x73,
    0xe9,
    0x1e61,
    0x1e69,
    0x1fa7,
    0x300,
    0x301,
    0x307,
    0x323,
    0x327,
    0x345,
    0x340,
    0x344,
    0x3b1,
    0x9c7,
    0x9be,
    0x9cb,
    0x9bc,
    0x958,
    0x1100,
    0x1161,
    0x11a7,
    0x11a8,
    0xac00,
    0xac01,
    0x16d63,
    0x16d67,
    0x16d68,
    0x16d69,
    0x113c2,
    0x113b8,
    0x113c7,
    0x11366,
    0x113ce,
    0x2126,
    0xfb1d,
    0x1d15e,
    0x2add,
    0x338,
    0xf71,
    0xf72,
    0xf73,
    0xf900,
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...points), { maxLength: 7 }), (list) => {
      const isNormal = String(nfc(list)) === String(list);
      assertEquals(fault(text(list)), isNormal ? null : "CborNotNfc");
    }),
    { numRuns: 20_000 },
  );
});
