/** Unicode 16.0.0's own files: NormalizationTest (UAX #15), and every code point's category. */
import { encode } from "../writer/cbor.ts";
import { free, withValue } from "../recipes/cbor_site.ts";
import type { Question } from "./cbor.ts";

/** Texts in one file: as many as an array may have. */
const TOGETHER = 4096;

/** The texts of the test: those that NFC leaves as they are, and those that it changes. */
function texts(data: URL): { normal: string[]; other: string[] } {
  const lines = Deno.readTextFileSync(
    new URL("vectors/unicode-16.0.0/NormalizationTest.txt", data),
  ).split("\n").filter((line) => /^[0-9A-F]/.test(line));
  const normal = new Set<string>(), other = new Set<string>();
  for (const line of lines) {
    const [c1, c2, c3, c4, c5] = line.split(";").slice(0, 5).map((codes) =>
      String.fromCodePoint(...codes.split(" ").map((code) => Number.parseInt(code, 16)))
    );
    // NFC of columns 1 to 3 is column 2, of columns 4 and 5 column 4
    for (const [text, nfc] of [[c1, c2], [c2, c2], [c3, c2], [c4, c4], [c5, c4]]) {
      (text === nfc ? normal : other).add(text);
    }
  }
  return { normal: [...normal], other: [...other] };
}

/** Few files for many texts that must be accepted. */
function* together(name: string, list: readonly string[]): Generator<Question> {
  for (let at = 0; at < list.length; at += TOGETHER) {
    const { artifact } = free("neighbours/texts", name, list.slice(at, at + TOGETHER));
    yield { name: `${name}, from ${at} on`, file: artifact.bytes, code: null };
  }
}

/** One file a text that must be refused, and few files for all that must be accepted. */
export function* normalization(data: URL): Generator<Question> {
  const { normal, other } = texts(data);
  yield* together("texts in NFC", normal);
  for (const text of other) {
    const name = [...text].map((c) => c.codePointAt(0)!.toString(16)).join(" ");
    yield { name, file: withValue(encode(text)), code: "CborNotNfc" };
  }
}

/** Every assigned code point that stands in NFC alone; of each stretch of others both ends. */
export function* categories(data: URL): Generator<Question> {
  const lines = Deno.readTextFileSync(
    new URL("vectors/unicode-16.0.0/DerivedGeneralCategory.txt", data),
  ).split("\n");
  const assigned: string[] = [];
  for (const line of lines) {
    const [, from, to = from, category] =
      /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*; (\w\w)/.exec(line) ?? [];
    if (from === undefined || category === "Cs") continue;
    const [first, last] = [from, to].map((code) => Number.parseInt(code, 16));
    if (category !== "Cn") {
      for (let point = first; point <= last; point++) assigned.push(String.fromCodePoint(point));
      continue;
    }
    for (const point of new Set([first, last])) {
      const file = withValue(encode(String.fromCodePoint(point)));
      yield { name: `U+${point.toString(16)}`, file, code: "CborUnassigned" };
    }
  }
  const { other } = texts(data);
  const changed = new Set(other);
  yield* together("assigned code points", assigned.filter((point) => !changed.has(point)));
}
