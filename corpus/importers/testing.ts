/** GGUF files for tests, from their entries. */

const utf8 = new TextEncoder();

/** An integer as 4 or 8 bytes, little-endian. */
export function le(size: 4 | 8, value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes.subarray(0, size);
}

export const join = (...parts: Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

export const text = (value: string): Uint8Array =>
  join(le(8, utf8.encode(value).length), utf8.encode(value));

export const head = (entries: number | bigint, version = 3): Uint8Array =>
  join(utf8.encode("GGUF"), le(4, version), le(8, 0), le(8, entries));

export const entry = (key: string, type: number, value: Uint8Array): Uint8Array =>
  join(text(key), le(4, type), value);

const U32 = 4, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9;

/** A file of entries by key: texts, u32 numbers, bools, arrays of texts or of f32. */
export function ggufFile(
  entries: { readonly [key: string]: string | number | boolean | readonly (string | number)[] },
): Uint8Array {
  const all = Object.entries(entries).map(([key, value]) => {
    if (typeof value === "string") return entry(key, STRING, text(value));
    if (typeof value === "number") return entry(key, U32, le(4, value));
    if (typeof value === "boolean") return entry(key, BOOL, Uint8Array.of(Number(value)));
    const strings = typeof value[0] === "string";
    const items = value.map((item) => typeof item === "string" ? text(item) : f32(item));
    return entry(key, ARRAY, join(le(4, strings ? STRING : F32), le(8, value.length), ...items));
  });
  return join(head(all.length), ...all);
}

const f32 = (value: number): Uint8Array => new Uint8Array(Float32Array.of(value).buffer);
