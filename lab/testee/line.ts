/** One line of the protocol (testee.md): UTF-8, one JSON object, each key once. */

/** Longest line either side may write, without its newline (testee.md). */
export const MAX_LINE = 64 * 1024 * 1024;

export type JsonObject = { readonly [key: string]: unknown };

/** The object on a line, or what is wrong with the line. */
export type Line = { readonly object: JsonObject } | { readonly fault: string };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a line. RFC 8259 leaves repeated keys open; here they are a fault. */
export function parseLine(bytes: Uint8Array): Line {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: "the line is not UTF-8" };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: `the line is not JSON: ${clip(text)}` };
  }
  if (!isObject(value)) return { fault: `the line is not a JSON object: ${clip(text)}` };
  if (keysWritten(text) !== keysKept(value)) {
    return { fault: `the line repeats a key: ${clip(text)}` };
  }
  return { object: value };
}

/** An object as a line, newline included. Lone surrogates stay escapes. */
export function writeLine(object: JsonObject): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(object) + "\n");
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The start of a line, short enough to be quoted in a report. */
export function clip(text: string, limit = 200): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit).toWellFormed()}... (${text.length} characters)`;
}

/** How many keys a JSON text has, repeated ones included: strings that a colon follows. */
function keysWritten(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = stringEnd(text, at);
    while (/\s/.test(text[at])) at++;
    if (text[at] === ":") keys++;
  }
  return keys;
}

/** The position after the string that begins with the quote at `at`, in valid JSON. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1);; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

/** How many keys the parsed value has; a repeated one was dropped. Deep values need no stack. */
function keysKept(value: unknown): number {
  let keys = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (Array.isArray(item)) { for (const one of item) open.push(one); }
    else if (isObject(item)) {
      for (const one of Object.values(item)) {
        keys++;
        open.push(one);
      }
    }
  }
  return keys;
}
