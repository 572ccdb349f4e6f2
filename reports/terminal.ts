/**
 * The one place where text from files or testees becomes terminal output: control,
 * format and bidirectional characters are shown as escapes, and length is bounded.
 */

/** Longest piece of foreign text that a terminal line holds, in code points. */
export const FOREIGN_TEXT_LIMIT = 200;

/** `text` made safe for one line of a terminal. */
export function foreign(text: string, limit = FOREIGN_TEXT_LIMIT): string {
  let out = "";
  let shown = 0;
  for (const character of text) {
    if (shown++ === limit) return `${out}… (${text.length} code units)`;
    out += isSafe(character) ? character : escapeOf(character);
  }
  return out;
}

/** `text` made safe for a terminal, its line breaks and tabs kept; not bounded. */
export function foreignLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, (part) => foreign(part, Infinity));
}

/** Letters, marks, numbers, punctuation, symbols and the plain space go as they are. */
function isSafe(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
