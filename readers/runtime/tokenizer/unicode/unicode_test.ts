/** The packed tables and the normal forms, swept in full against the published files. */
import { assertEquals } from "@std/assert";
import { dataTest } from "../../../../lab/data.ts";
import { lowerCase } from "./lower_case.ts";
import { type Form, normalForm } from "./normal_forms.ts";
import * as properties from "./properties.ts";

const CODE_POINTS = 0x110000;

function records(data: URL, name: string): string[][] {
  const text = Deno.readTextFileSync(new URL(`vectors/unicode-16.0.0/${name}`, data));
  return text.split("\n").map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("@"))
    .map((line) => line.split(";").map((field) => field.trim()));
}

const codes = (field: string) => field.split(" ").map((code) => parseInt(code, 16));

dataTest("categories and White_Space are those of the published files", (data) => {
  const category = new Array<string>(CODE_POINTS).fill("Cn");
  for (const [range, value] of records(data, "DerivedGeneralCategory.txt")) {
    const [from, to = from] = range.split("..").map((code) => parseInt(code, 16));
    category.fill(value, from, to + 1);
  }
  const white = new Set<number>();
  for (const [range, value] of records(data, "PropList.txt")) {
    const [from, to = from] = range.split("..").map((code) => parseInt(code, 16));
    for (let code = from; value === "White_Space" && code <= to; code++) white.add(code);
  }
  const wrong: number[] = [];
  for (let code = 0; code < CODE_POINTS; code++) {
    const is = category[code];
    const agree = properties.isLetter(code) === is.startsWith("L") &&
      properties.isNumber(code) === is.startsWith("N") &&
      properties.isPunctuation(code) === is.startsWith("P") &&
      properties.isNonspacingMark(code) === (is === "Mn") &&
      properties.isControlOrFormat(code) === (is === "Cc" || is === "Cf") &&
      properties.isWhitespace(code) === white.has(code);
    if (!agree) wrong.push(code);
  }
  assertEquals(wrong, []);
  assertEquals(white.size, 25);
});

dataTest("lower case is that of UnicodeData and of SpecialCasing without conditions", (data) => {
  const lower = new Map<number, number[]>();
  for (const fields of records(data, "UnicodeData.txt")) {
    if (fields[13]) lower.set(parseInt(fields[0], 16), codes(fields[13]));
  }
  for (const [code, to, , , condition] of records(data, "SpecialCasing.txt")) {
    if (condition === "" && codes(to)[0] !== parseInt(code, 16)) {
      lower.set(parseInt(code, 16), codes(to));
    }
  }
  const wrong: number[] = [];
  for (let code = 0; code < CODE_POINTS; code++) {
    if (lowerCase(code)?.join() !== lower.get(code)?.join()) wrong.push(code);
  }
  assertEquals(wrong, []);
  assertEquals(lower.get(0x130), [0x69, 0x307]);
});

dataTest("normal forms pass NormalizationTest whole", (data) => {
  const wrong: string[] = [];
  const listed = new Set<number>();
  const hold = (form: Form, text: number[], expected: number[]) => {
    if (normalForm(text, form).join() !== expected.join()) wrong.push(`${form} of ${text}`);
  };
  for (const fields of records(data, "NormalizationTest.txt")) {
    const [source, nfc, nfd, nfkc, nfkd] = fields.slice(0, 5).map(codes);
    if (source.length === 1) listed.add(source[0]);
    for (const text of [source, nfc, nfd]) {
      hold("nfc", text, nfc);
      hold("nfd", text, nfd);
      hold("nfkc", text, nfkc);
    }
    for (const text of [nfkc, nfkd]) {
      hold("nfc", text, nfkc);
      hold("nfkc", text, nfkc);
    }
  }
  // part 1 lists every code point that any form changes: the others stay, unassigned or not
  for (let code = 0; code < CODE_POINTS; code++) {
    if (listed.has(code) || (code >= 0xd800 && code < 0xe000)) continue;
    for (const form of ["nfc", "nfd", "nfkc"] as const) hold(form, [code], [code]);
  }
  assertEquals(wrong, []);
});

Deno.test("a long run of marks is put in order stably", () => {
  const marks = Array.from({ length: 10_000 }, (_, i) => [0x301, 0x327, 0x300][i % 3]);
  const ordered = normalForm([0x61, ...marks], "nfd");
  assertEquals(ordered.slice(0, 2), [0x61, 0x327]);
  assertEquals(ordered.slice(3333, 3337), [0x327, 0x301, 0x300, 0x301]);
});
