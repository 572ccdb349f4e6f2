/**
 * The manifest item by item (section 5), each named by its path, such as `manifest.body.layers`.
 * Keys are the file's own texts. What is no CBOR ends it: the rest has no name of its own.
 */
import { getInteger } from "../../corpus/writer/bytes.ts";
import type { Span } from "./spans.ts";

/** Items that are named, and how deep; the format's own limit of depth is 16. */
const MOST_ITEMS = 4096, DEPTH = 20;

/** Characters of a key. */
const KEY = 40;

/** Major types of CBOR (RFC 8949, 3.1). */
const BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5;

const utf8 = new TextDecoder();

export function manifestSpans(input: Uint8Array, offset: number, length: number): Span[] {
  const spans: Span[] = [];
  if (!(offset > 0 && length > 0 && offset < input.length)) return spans;
  const end = Math.min(offset + length, input.length);
  let at = offset;

  /** The head at `at`, which is passed; null where there is none. */
  const head = () => {
    if (at >= end || spans.length >= MOST_ITEMS) return null;
    const major = input[at] >> 5, info = input[at] & 31;
    const wide = info < 24 ? 0 : 2 ** (info - 24);
    if (info > 27 || at + 1 + wide > end) return null;
    const argument = info < 24 ? info : Number(getReversed(input, at + 1, wide));
    at += 1 + wide;
    return { major, argument };
  };

  /** @param start where the span begins: at its key, if it has one. @returns whether to go on */
  const item = (name: string, start: number, depth: number): boolean => {
    const first = head();
    if (first === null || depth > DEPTH) return false;
    const { major, argument } = first;
    if (major === BYTES || major === TEXT) {
      if (argument > end - at) return false;
      at += argument;
    }
    spans.push({ name, offset: start, size: at - start, kind: "item" });
    if (major === ARRAY) {
      for (let i = 0; i < argument; i++) if (!item(`${name}[${i}]`, at, depth + 1)) return false;
    }
    if (major === MAP) {
      for (let i = 0; i < argument; i++) {
        const begin = at, key = head();
        if (key === null || key.major !== TEXT || key.argument > end - at) return false;
        const text = utf8.decode(input.subarray(at, at + Math.min(key.argument, KEY)));
        at += key.argument;
        if (!item(`${name}.${text}`, begin, depth + 1)) return false;
      }
    }
    return true;
  };
  item("manifest", at, 0);
  return spans;
}

/** CBOR's integers are big-endian. */
function getReversed(input: Uint8Array, offset: number, size: number): number | bigint {
  return getInteger(input.slice(offset, offset + size).reverse(), 0, size);
}
