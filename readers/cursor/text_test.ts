/** UTF-8, assigned code points and NFC, against the published data of Unicode 16.0.0. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { dataTest } from "../../lab/data.ts";
import { decodeUtf8, isAssigned, isNfc, textFault } from "./text.ts";
import { Utf8Judge } from "./utf8_judge.ts";

const fault = (bytes: Uint8Array) => textFault(bytes, 0, bytes.length);
const codePoints = (field: string) =>
  String.fromCodePoint(...field.trim().split(" ").map((cp) => parseInt(cp, 16)));
const lines = async (data: URL, name: string) =>
  (await Deno.readTextFile(new URL(`vectors/unicode-16.0.0/${name}`, data))).split("\n");

dataTest("UTF-8: published cases, whole and in every two parts", async (data) => {
  const { cases } = JSON.parse(await Deno.readTextFile(new URL("vectors/utf8_cases.json", data)));
  for (const { hex, valid } of cases) {
    const bytes = Uint8Array.fromHex(hex);
    assertEquals(fault(bytes) === "CborInvalidUtf8", !valid, hex);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const judge = new Utf8Judge(true);
      judge.feed(bytes.subarray(0, cut));
      judge.feed(bytes.subarray(cut));
      assertEquals(judge.end(), valid, `${hex} at ${cut}`);
    }
  }
});

dataTest("assigned: every code point of UnicodeData, and none else", async (data) => {
  const assigned = new Uint8Array(0x110000);
  let first = 0;
  for (const line of await lines(data, "UnicodeData.txt")) {
    const [cp, name] = line.split(";");
    if (name === undefined) continue;
    const n = parseInt(cp, 16);
    if (name.endsWith(", First>")) first = n;
    assigned.fill(1, name.endsWith(", Last>") ? first : n, n + 1);
  }
  let wrong = 0;
  for (let cp = 0; cp < 0x110000; cp++) {
    if (cp >= 0xd800 && cp < 0xe000) continue; // no UTF-8 says a surrogate
    if (isAssigned(String.fromCodePoint(cp)) !== (assigned[cp] === 1)) wrong++;
  }
  assertEquals(wrong, 0);
});

dataTest("assigned: what came in Unicode 17 is not there yet", async (data) => {
  const { ranges } = JSON.parse((await lines(data, "assigned_in_17_not_16.json")).join("\n"));
  for (const [first, last] of ranges) {
    for (const cp of [first, last]) assert(!isAssigned(codePoints(cp)), cp);
  }
  assert(isAssigned("a\u{1f31f}\ue000\u{10fffd}"));
  assert(!isAssigned("a\u{10ffff}"));
});

dataTest("NFC: NormalizationTest, and every code point that it leaves out", async (data) => {
  const listed = new Set<string>();
  let part = "";
  const test = (text: string, nfc: string) => {
    assertEquals(isNfc(text), text === nfc, JSON.stringify(text));
    const far = `${"#".repeat(200)}${text}${"#".repeat(200)}`; // composes with nothing
    assertEquals(isNfc(far), text === nfc, "far into a long text");
  };
  for (const line of await lines(data, "NormalizationTest.txt")) {
    if (line.startsWith("@")) part = line.slice(0, 6);
    if (!/^[0-9A-F]/.test(line)) continue;
    const [c1, c2, c3, c4, c5] = line.split(";").slice(0, 5).map(codePoints);
    if (part === "@Part1") listed.add(c1);
    for (const text of [c1, c2, c3]) test(text, c2);
    for (const text of [c4, c5]) test(text, c4);
  }
  for (let cp = 0; cp < 0x110000; cp++) {
    if (cp >= 0xd800 && cp < 0xe000) continue;
    const text = String.fromCodePoint(cp);
    if (!listed.has(text)) assert(isNfc(text), cp.toString(16));
  }
});

Deno.test("NFC: long runs of marks, in order and not", () => {
  const dots = "\u0323".repeat(20_000);
  const acutes = "\u0301".repeat(20_000);
  assert(isNfc("q" + dots + acutes));
  assert(!isNfc("q" + acutes + dots));
  assert(!isNfc("q" + "\u0301\u0323".repeat(20_000)));
  assert(!isNfc("q" + dots + "e" + acutes), "e and its acute, far into the text");
});

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function strictly(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

const bytesOf = (hex: string) => Uint8Array.fromHex(hex.replaceAll(" ", ""));

/** Whole and broken sequences, U+FFFD and its parts among them. */
const PARTS = [
  "61",
  "c3 a9",
  "ef bb bf",
  "ef bf bd",
  "ef bf",
  "ef",
  "bf bd",
  "80",
  "ff",
  "c0 80",
  "e0 80 80",
  "e1 80",
  "ed a0 80",
  "f0 9f 9a 80",
  "f0 9f",
  "f4 90 80 80",
  "61".repeat(60),
].map(bytesOf);

Deno.test("UTF-8: U+FFFD itself is text, what the engine puts it for is not", () => {
  assertEquals(decodeUtf8(bytesOf("ef bf bd")), "\ufffd");
  assertEquals(decodeUtf8(bytesOf("ef bf bd ff")), null);
  assertEquals(decodeUtf8(bytesOf("e1 ef bf bd")), null);
  assertEquals(decodeUtf8(bytesOf("ef bb bf 61")), "\ufeffa");
  assertEquals(decodeUtf8(bytesOf("61 ff 62"), 2, 3), "b");
});

Deno.test("UTF-8: the same texts are refused as by an engine that throws", () => {
  const parts = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.uint8Array({ maxLength: 3 })));
  fc.assert(
    fc.property(parts, (parts) => {
      const whole = Uint8Array.from(parts.flatMap((part) => [...part]));
      assertEquals(decodeUtf8(whole), strictly(whole));
    }),
    { numRuns: 3000 },
  );
});
