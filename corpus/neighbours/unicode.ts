/** NormalizationTest of Unicode 16.0.0: each of its texts is in NFC or is not (UAX #15). */
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

/** One file a text that must be refused, and few files for all that must be accepted. */
export function* normalization(data: URL): Generator<Question> {
  const { normal, other } = texts(data);
  for (let at = 0; at < normal.length; at += TOGETHER) {
    const list = normal.slice(at, at + TOGETHER);
    const { artifact } = free("neighbours/normal", "texts in NFC", list);
    yield { name: `${list.length} texts in NFC`, file: artifact.bytes, code: null };
  }
  for (const text of other) {
    const name = [...text].map((c) => c.codePointAt(0)!.toString(16)).join(" ");
    yield { name, file: withValue(encode(text)), code: "CborNotNfc" };
  }
}
