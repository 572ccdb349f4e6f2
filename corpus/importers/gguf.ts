/**
 * The metadata of a GGUF file (versions 2 and 3, little-endian; the format's description is
 * docs/gguf.md of the ggml repository). Every count and length is held against the bytes that
 * are there before anything is allocated or repeated by it.
 */
import type { Source } from "../../readers/contract.ts";
import type { ImportCode, ImportError } from "./import.ts";

/** A value; a string is its bytes, which need not be UTF-8. */
export type GgufValue = number | bigint | boolean | Uint8Array | readonly GgufValue[];

const MAGIC = 0x46554747; // "GGUF"
const VERSIONS = [2, 3];
const HEADER_SIZE = 24;
/** A key's length, a type and the least value: the least that an entry takes. */
const LEAST_ENTRY = 8 + 4 + 1;
/** More metadata than any vocabulary has; also a bound on what is held. */
const MOST_METADATA = 1 << 28;
const FIRST_READ = 1 << 16;

interface Fixed {
  readonly size: number;
  readonly read: (view: DataView, at: number) => GgufValue;
}

/** Value types of fixed size by number. */
const FIXED: { readonly [type: number]: Fixed } = {
  0: { size: 1, read: (view, at) => view.getUint8(at) },
  1: { size: 1, read: (view, at) => view.getInt8(at) },
  2: { size: 2, read: (view, at) => view.getUint16(at, true) },
  3: { size: 2, read: (view, at) => view.getInt16(at, true) },
  4: { size: 4, read: (view, at) => view.getUint32(at, true) },
  5: { size: 4, read: (view, at) => view.getInt32(at, true) },
  6: { size: 4, read: (view, at) => view.getFloat32(at, true) },
  7: { size: 1, read: (view, at) => view.getUint8(at) === 1 },
  10: { size: 8, read: (view, at) => view.getBigUint64(at, true) },
  11: { size: 8, read: (view, at) => view.getBigInt64(at, true) },
  12: { size: 8, read: (view, at) => view.getFloat64(at, true) },
};
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;
/** A string is at least its length. */
const LEAST_STRING = 8;
const ARRAY_HEAD = 4 + 8;

/** The metadata of a file; values are decoded as they are asked for. */
export class GgufMetadata {
  readonly #file: Prefix;
  readonly #places: ReadonlyMap<string, { type: number; offset: number }>;

  constructor(
    file: Prefix,
    places: ReadonlyMap<string, { type: number; offset: number }>,
    /** how the file is called in an error */
    readonly name: string,
    /** where the metadata ends and the tensor descriptions begin */
    readonly end: number,
  ) {
    this.#file = file;
    this.#places = places;
  }

  /** A fault of the value under a key, or of a key that is not there. */
  fault(code: ImportCode, key: string, expected: string): ImportError {
    const offset = this.#places.get(key)?.offset ?? this.end;
    return { code, file: this.name, what: key, offset, expected };
  }

  keys(): string[] {
    return [...this.#places.keys()];
  }

  /** The value under a key, or undefined where there is none. */
  get(key: string): GgufValue | undefined {
    const place = this.#places.get(key);
    return place && decode(this.#file, place.type, place.offset).value;
  }

  /** A string as text, or undefined where there is none or it is no UTF-8. */
  text(key: string): string | undefined {
    const value = this.get(key);
    return value instanceof Uint8Array ? textOf(value) : undefined;
  }

  /** A number of any type, exact, or undefined. */
  number(key: string): number | undefined {
    const value = this.get(key);
    if (typeof value === "number") return value;
    return typeof value === "bigint" && Number.isSafeInteger(Number(value))
      ? Number(value)
      : undefined;
  }

  bool(key: string): boolean | undefined {
    const value = this.get(key);
    return typeof value === "boolean" ? value : undefined;
  }

  numbers(key: string): number[] | undefined {
    const value = this.get(key);
    return isArray(value) && value.every((v) => typeof v === "number") ? value : undefined;
  }

  strings(key: string): Uint8Array[] | undefined {
    const value = this.get(key);
    return isArray(value) && value.every((v) => v instanceof Uint8Array) ? value : undefined;
  }
}

const isArray = (value: GgufValue | undefined): value is GgufValue[] => Array.isArray(value);

/** Text of bytes that are UTF-8, else undefined. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads the metadata of a file, and no byte behind it but for a last window.
 * @param name how the file is called in an error
 */
export function readGguf(source: Source, name: string): GgufMetadata | ImportError {
  try {
    return walk(new Prefix(source), name);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const { code, what, offset, expected } = fault;
    return { code, file: name, what, offset, expected };
  }
}

/** Carries an `ImportError` out of the walk; never leaves this file. */
class Fault extends Error {
  constructor(
    readonly code: ImportCode,
    readonly what: string,
    readonly offset: number,
    readonly expected: string,
  ) {
    super(code);
  }
}

/** The beginning of a file, as far as it was needed. */
class Prefix {
  readonly #source: Source;
  readonly size: number;
  #bytes = new Uint8Array(0);
  view = new DataView(this.#bytes.buffer);

  constructor(source: Source) {
    this.#source = source;
    this.size = attempt(() => source.size());
  }

  /** Has bytes up to `end` at hand, or faults for the item at `offset`. */
  need(end: number, offset: number): void {
    if (end <= this.#bytes.length) return;
    if (end > this.size) throw new Fault("Truncated", "item", offset, `${end - offset} bytes`);
    if (end > MOST_METADATA) {
      throw new Fault("TooLarge", "metadata", offset, `at most ${MOST_METADATA} bytes`);
    }
    const had = this.#bytes.length;
    const wider = new Uint8Array(
      Math.min(this.size, MOST_METADATA, Math.max(FIRST_READ, 2 * end)),
    );
    wider.set(this.#bytes);
    const rest = wider.subarray(had);
    if (attempt(() => this.#source.read(had, rest)) !== rest.length) {
      throw new Fault("Unreadable", "file", had, `${rest.length} bytes`);
    }
    this.#bytes = wider;
    this.view = new DataView(wider.buffer);
  }

  u32(offset: number): number {
    this.need(offset + 4, offset);
    return this.view.getUint32(offset, true);
  }

  /** A count of items of at least `least` bytes each, which must fit what follows it. */
  count(offset: number, least: number): number {
    this.need(offset + 8, offset);
    const count = Number(this.view.getBigUint64(offset, true));
    if (count * least > this.size - offset - 8) {
      throw new Fault("Truncated", "count", offset, `${count} items of ${least} bytes or more`);
    }
    return count;
  }

  bytes(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }
}

function attempt<T>(act: () => T): T {
  try {
    return act();
  } catch {
    throw new Fault("Unreadable", "file", 0, "a file that can be read");
  }
}

function walk(file: Prefix, name: string): GgufMetadata {
  if (file.u32(0) !== MAGIC) throw new Fault("BadMagic", "magic", 0, "GGUF");
  if (!VERSIONS.includes(file.u32(4))) {
    throw new Fault("UnsupportedVersion", "version", 4, `one of ${VERSIONS.join(", ")}`);
  }
  const entries = file.count(16, LEAST_ENTRY);
  const places = new Map<string, { type: number; offset: number }>();
  let at = HEADER_SIZE;
  for (let i = 0; i < entries; i++) {
    const { value, end } = decode(file, STRING, at);
    const key = value instanceof Uint8Array ? textOf(value) : undefined;
    if (key === undefined) throw new Fault("BadKey", "key", at, "UTF-8");
    if (places.has(key)) throw new Fault("DuplicateKey", key, at, "each key once");
    places.set(key, { type: file.u32(end), offset: end + 4 });
    at = skip(file, file.u32(end), end + 4, end);
  }
  return new GgufMetadata(file, places, name, at);
}

/** Where a value ends; faults where it is not all there or not well-formed. */
function skip(file: Prefix, type: number, offset: number, typeOffset: number): number {
  if (type === STRING) {
    const end = offset + 8 + file.count(offset, 1);
    file.need(end, offset);
    return end;
  }
  if (type === ARRAY) {
    const element = file.u32(offset);
    if (element === ARRAY) throw new Fault("NestedArray", "array", offset, "no array in an array");
    const least = FIXED[element]?.size ?? LEAST_STRING;
    const count = file.count(offset + 4, least);
    let at = offset + ARRAY_HEAD;
    if (FIXED[element] === undefined || element === BOOL) {
      for (let i = 0; i < count; i++) at = skip(file, element, at, offset);
      return at;
    }
    file.need(at + count * least, offset);
    return at + count * least;
  }
  const fixed = FIXED[type];
  if (fixed === undefined) {
    throw new Fault("UnknownType", "type", typeOffset, "a type from 0 to 12");
  }
  file.need(offset + fixed.size, offset);
  if (type === BOOL && file.view.getUint8(offset) > 1) {
    throw new Fault("BadBool", "bool", offset, "0 or 1");
  }
  return offset + fixed.size;
}

/** A value, of metadata that was walked (or of the string at hand), and where it ends. */
function decode(file: Prefix, type: number, offset: number): { value: GgufValue; end: number } {
  const end = skip(file, type, offset, offset);
  if (type === STRING) return { value: file.bytes(offset + 8, end), end };
  if (type !== ARRAY) return { value: FIXED[type].read(file.view, offset), end };
  const element = file.u32(offset);
  const items: GgufValue[] = [];
  for (let at = offset + ARRAY_HEAD; at < end;) {
    const item = decode(file, element, at);
    items.push(item.value);
    at = item.end;
  }
  return { value: items, end };
}
