/** What normalizer and pretokenizer ops do to a text (classes.md section 4, "Ops"). */
import type { Op } from "./parts.ts";

/**
 * Only code points on which every Unicode version since long agrees: the engine's may be a later
 * one than 16.0.0.
 */
const SETTLED =
  /^[\0-\u036f\u0384-\u03ff\u0400-\u052f\u0621-\u063a\u0641-\u066f\u0905-\u0939\u0966-\u096f\u1100-\u11ff\u1e00-\u1eff\u2000-\u2064\u2581\u3000-\u303f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3\ufb00-\ufb06\ufeff\uff01-\uff5e\ufffd\u{1f600}-\u{1f64f}\u{1f680}\u{20000}-\u{2a6d6}]*$/u;

export const isSettled = (text: string): boolean => SETTLED.test(text);

const CJK =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

/** @param first whether the text begins the input */
export function normalized(text: string, [name, ...operands]: Op, first: boolean): string {
  switch (name) {
    case "nfc":
      return text.normalize("NFC");
    case "nfkc":
      return text.normalize("NFKC");
    case "lowercase": // each code point alone: no final sigma
      return Array.from(text, (one) => one.toLowerCase()).join("");
    case "strip-accents":
      return text.normalize("NFD").replace(/\p{Mn}/gu, "");
    case "clean-control":
      return text.replace(/(?![\t\n\r])[\0\ufffd\p{Cc}\p{Cf}]/gu, "")
        .replace(/\p{White_Space}/gu, " ");
    case "cjk-space":
      return text.replace(CJK, (one) => ` ${one} `);
    case "prepend":
      return first ? `${operands[0]}${text}` : text;
    case "replace": // an empty text stands nowhere
      return operands[0] === "" ? text : text.split(String(operands[0])).join(String(operands[1]));
    case "collapse-space":
      return text.replace(/ +/g, " ");
    default:
      throw new RangeError(name);
  }
}

const GPT2 = new RegExp(
  [
    "'s|'t|'re|'ve|'m|'ll|'d",
    " ?\\p{L}+",
    " ?\\p{N}+",
    " ?[^\\p{White_Space}\\p{L}\\p{N}]+",
    // to the end of the text, or less its last code point, or one alone
    "\\p{White_Space}+(?!\\P{White_Space})",
    "\\p{White_Space}",
  ].join("|"),
  "gu",
);

/** The pieces of a piece, in order. */
export function split(piece: string, [name, ...operands]: Op): string[] {
  switch (name) {
    case "gpt2-split":
      return piece.match(GPT2) ?? [];
    case "whitespace-split":
      return piece.match(/\P{White_Space}+/gu) ?? [];
    case "punctuation-split":
      return piece.match(
        /[\p{P}\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]|[^\p{P}\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+/gu,
      ) ?? [];
    case "digits-split":
      return piece.match(new RegExp(`\\p{N}{1,${operands[0]}}|\\P{N}+`, "gu")) ?? [];
    case "none":
      return [piece];
    default:
      throw new RangeError(name);
  }
}
