/**
 * The dictionary that a campaign begins with: what the specification itself names. Every word in
 * backticks or quotes and every key, bare and as a text of CBOR, and every number.
 */
import { FORMS, putInteger } from "./integers.ts";

const TEXTS = ["slm2.md", "classes.md"].map((name) =>
  new URL(`../../corpus/spec/${name}`, import.meta.url)
);

/** A name of the format: a key, a role, an id, a domain. */
const WORD = /(?<=[`"])[a-z][a-z0-9._/-]{1,31}(?=[`"])|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;
/** As it stands in the text: decimal, perhaps with its thousands apart, or hexadecimal. */
const NUMBER = /\b(0x[0-9a-f]+|[0-9]{1,3}(?:[ ,][0-9]{3})+|[0-9]+)\b/gi;

/** Head of a short text (RFC 8949 section 3.1): its length below 24 in the first byte. */
const TEXT = 0x60;
const SHORT = 24;

/** Tokens, in the order of the text, each once. */
export function specTokens(
  texts: readonly string[] = TEXTS.map(Deno.readTextFileSync),
): Uint8Array[] {
  const tokens = new Map<string, Uint8Array>();
  const add = (token: Uint8Array) => tokens.set(token.toHex(), token);
  for (const text of texts) {
    for (const [word] of text.matchAll(WORD)) {
      const bytes = new TextEncoder().encode(word);
      add(bytes);
      if (bytes.length < SHORT) add(Uint8Array.of(TEXT + bytes.length, ...bytes));
    }
    for (const [, digits] of text.matchAll(NUMBER)) {
      const value = Number(digits.replaceAll(/[ ,]/g, ""));
      if (value > 0xff && Number.isSafeInteger(value)) add(narrowest(value));
    }
  }
  return [...tokens.values()];
}

/** The narrowest little-endian form: where a wide field holds it, the rest is zeros anyway. */
function narrowest(value: number): Uint8Array {
  const forms = FORMS.filter(({ little }) => little).toSorted((a, b) => a.width - b.width);
  for (const form of forms) {
    const bytes = new Uint8Array(form.width);
    if (putInteger(value, form, bytes)) return bytes;
  }
  throw new RangeError(`${value} has no form`);
}
