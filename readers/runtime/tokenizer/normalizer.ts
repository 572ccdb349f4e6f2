/** The registered normalizer ops (classes.md section 4), each a step from text to text. */
import type { Op } from "./body.ts";
import { replaceOne, type Step } from "./replace.ts";
import type { Sink } from "./sink.ts";
import { lowerCase } from "./unicode/lower_case.ts";
import { type Form, normalForm } from "./unicode/normal_forms.ts";
import { isControlOrFormat, isNonspacingMark, isWhitespace } from "./unicode/properties.ts";
import { codePoint, width } from "./utf8.ts";

const utf8 = new TextEncoder();

/** Makes a step from the operands of an op. */
type Make = (...operands: (string | number)[]) => Step;

const NORMALIZERS = new Map<string, Make>([
  ["nfc", () => inForm("nfc")],
  ["nfkc", () => inForm("nfkc")],
  ["lowercase", () => lower],
  ["strip-accents", () => inForm("nfd", (code) => !isNonspacingMark(code))],
  ["clean-control", () => cleanControl],
  ["cjk-space", () => cjkSpace],
  ["prepend", (text) => prepend(utf8.encode(String(text)))],
  ["replace", (from, to) => replaceOne(utf8.encode(String(from)), utf8.encode(String(to)))],
  ["collapse-space", () => collapseSpace],
]);

/** The step of an op, or null where it is not registered. */
export function normalizerStep([id, ...operands]: Op): Step | null {
  return NORMALIZERS.get(id)?.(...operands) ?? null;
}

const isAscii = (text: Uint8Array) => text.every((byte) => byte < 0x80);

/** A normal form, and of its code points those that `keep` wants. ASCII is in every form. */
function inForm(form: Form, keep: (code: number) => boolean = () => true): Step {
  return (text, out) => {
    if (isAscii(text)) return out.append(text);
    const codes: number[] = [];
    for (let at = 0; at < text.length; at += width(text[at])) codes.push(codePoint(text, at));
    for (const code of normalForm(codes, form)) if (keep(code)) out.codePoint(code);
  };
}

/** A step that looks at one code point at a time. */
function each(map: (code: number, out: Sink) => void): Step {
  return (text, out) => {
    for (let at = 0; at < text.length; at += width(text[at])) map(codePoint(text, at), out);
  };
}

const lower = each((code, out) => {
  const mapped = lowerCase(code);
  if (mapped === undefined) out.codePoint(code);
  else for (const part of mapped) out.codePoint(part);
});

const SPACE = 0x20;
const KEPT_CONTROLS = [0x09, 0x0a, 0x0d];

const cleanControl = each((code, out) => {
  if (code === 0 || code === 0xfffd) return;
  if (isControlOrFormat(code) && !KEPT_CONTROLS.includes(code)) return;
  out.codePoint(isWhitespace(code) ? SPACE : code);
});

/** Ideographs by block, as section 4 lists them. */
const CJK = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b820, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
] as const;

const cjkSpace = each((code, out) => {
  const apart = code >= 0x3400 && CJK.some(([from, to]) => code >= from && code <= to);
  if (apart) out.codePoint(SPACE);
  out.codePoint(code);
  if (apart) out.codePoint(SPACE);
});

function prepend(prefix: Uint8Array): Step {
  return (text, out, begins) => {
    if (begins) out.append(prefix);
    out.append(text);
  };
}

const collapseSpace: Step = (text, out) => {
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== SPACE || text[at - 1] !== SPACE) out.append(text, at, at + 1);
  }
};
