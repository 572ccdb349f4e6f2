/**
 * Decoded manifest values in CBOR diagnostic notation (RFC 8949 section 8), bounded in
 * length and depth of output whatever the value. Integers are exact.
 */
import type { Value } from "../readers/contract.ts";

/** @param limit most characters of output; what is cut shows as `…` */
export function diagnostic(value: Value, limit = 400): string {
  let out = "";
  const full = () => out.length >= limit;
  const put = (text: string) => {
    if (!full()) out += text;
  };
  const walk = (item: Value): void => {
    if (full()) return;
    if (typeof item === "string") put(quote(item, limit - out.length));
    else if (item instanceof Uint8Array) {
      put(`h'${item.subarray(0, limit).toHex()}'`);
    } else if (item instanceof Map) {
      put("{");
      let first = true;
      for (const [key, inner] of item) {
        if (full()) break;
        if (!first) put(", ");
        first = false;
        walk(key);
        put(": ");
        walk(inner);
      }
      put("}");
    } else if (Array.isArray(item)) {
      put("[");
      for (let i = 0; i < item.length && !full(); i++) {
        if (i > 0) put(", ");
        walk(item[i]);
      }
      put("]");
    } else put(String(item));
  };
  walk(value);
  return out.length > limit ? `${out.slice(0, limit)}…` : out;
}

function quote(text: string, limit: number): string {
  return JSON.stringify(text.slice(0, limit));
}
