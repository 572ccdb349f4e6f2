/**
 * The one place where foreign text becomes HTML or XML. Text is bounded, then escaped;
 * what neither language can carry (control characters, lone surrogates) becomes U+FFFD.
 */

/** Most characters of one foreign text in a report. */
export const MARKUP_TEXT_LIMIT = 4096;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** XML 1.0 production 2, Char, less U+007F to U+009F, which it discourages. */
// deno-lint-ignore no-control-regex -- these are what is looked for
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** Bidirectional controls: they would let one text rearrange its neighbours. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `text` as content or as a quoted attribute value of HTML or XML. */
export function escape(text: string, limit = MARKUP_TEXT_LIMIT): string {
  const bounded = text.length <= limit
    ? text
    : `${text.slice(0, limit)}... (${text.length} characters)`;
  return bounded.toWellFormed().replace(NOT_XML, "\ufffd")
    .replace(BIDI, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}

/** Markup that is safe to be put into markup. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | readonly Part[];

/**
 * A piece of markup from a template: strings in it are escaped, `Markup` is not, and lists are
 * joined. So a text that was not thought of is escaped, never raw.
 */
export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: texts }, ...parts.map(partText)));
}

function partText(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(partText).join("");
  return escape(String(part));
}
