/** SLM-DCBOR-1 (section 5): the one encoding of an item. */
import type { Value } from "../../readers/contract.ts";
import { compare, join, utf8 } from "./bytes.ts";

/**
 * What can be encoded: a decoded `Value`, or the same with plain objects for maps, which are
 * easier to write down. Own enumerable keys count, in any order.
 */
export type Item =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Item[]
  | ItemMap;
export type ItemMap = ReadonlyMap<string, Item> | { readonly [key: string]: Item };

const UNSIGNED = 0, NEGATIVE = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, SIMPLE = 7;

/** The entries of a map item, in the order in which it was written down. */
export function entriesOf(map: ItemMap): [string, Item][] {
  return map instanceof Map ? [...map] : Object.entries(map as { [key: string]: Item });
}

/** Whether an item is a map, and neither an array nor bytes. */
export function isMap(item: Item | undefined): item is ItemMap {
  return typeof item === "object" && item !== null && !Array.isArray(item) &&
    !(item instanceof Uint8Array);
}

/** The item under a path of map keys, or undefined. */
export function lookup(item: Item | undefined, ...path: readonly string[]): Item | undefined {
  let at = item;
  for (const key of path) {
    if (!isMap(at)) return undefined;
    at = entriesOf(at).find(([name]) => name === key)?.[1];
  }
  return at;
}

/** A major type with its argument in the shortest form (RFC 8949 section 3). */
export function head(major: number, argument: number | bigint): Uint8Array {
  const n = BigInt(argument);
  const [info, size] = n < 24n
    ? [Number(n), 0]
    : n < 0x100n
    ? [24, 1]
    : n < 0x10000n
    ? [25, 2]
    : n < 0x100000000n
    ? [26, 4]
    : [27, 8];
  const bytes = new Uint8Array(1 + size);
  bytes[0] = (major << 5) | info;
  for (let i = 0, rest = n; i < size; i++, rest >>= 8n) bytes[size - i] = Number(rest & 255n);
  return bytes;
}

/**
 * Encodes an item: shortest forms, definite lengths, map keys in the bytewise order of their
 * encodings. Text is taken as it is: the writer's judge, not the encoder, asks for NFC.
 * @throws RangeError for a number that is no integer, or outside -2^63 .. 2^64 - 1
 */
export function encode(item: Item): Uint8Array {
  const parts: Uint8Array[] = [];
  put(item, parts);
  return join(parts);
}

function put(item: Item, parts: Uint8Array[]): void {
  if (typeof item === "number" || typeof item === "bigint") parts.push(encodeInteger(item));
  else if (item === null) parts.push(head(SIMPLE, 22));
  else if (typeof item === "boolean") parts.push(head(SIMPLE, item ? 21 : 20));
  else if (typeof item === "string") {
    const text = utf8(item);
    parts.push(head(TEXT, text.length), text);
  } else if (item instanceof Uint8Array) parts.push(head(BYTES, item.length), item);
  else if (isMap(item)) putMap(item, parts);
  else {
    parts.push(head(ARRAY, item.length));
    for (const element of item) put(element, parts);
  }
}

function putMap(map: ItemMap, parts: Uint8Array[]): void {
  const entries = entriesOf(map).map(([key, value]) => ({ key: encode(key), value }));
  entries.sort((a, b) => compare(a.key, b.key));
  parts.push(head(MAP, entries.length));
  for (const { key, value } of entries) {
    parts.push(key);
    put(value, parts);
  }
}

function encodeInteger(n: number | bigint): Uint8Array {
  const exact = BigInt(n);
  if (exact < -(1n << 63n) || exact >= 1n << 64n) throw new RangeError(`${n} has no encoding`);
  return exact >= 0n ? head(UNSIGNED, exact) : head(NEGATIVE, -1n - exact);
}

/**
 * `set<x>` of classes.md: elements in strictly increasing order of their encodings. A repeated
 * element stays, beside its twin.
 */
export function sortSet<T extends Item>(elements: readonly T[]): T[] {
  return elements.map((element) => ({ element, code: encode(element) }))
    .sort((a, b) => compare(a.code, b.code))
    .map(({ element }) => element);
}

/** A value of the readers is an item; this line holds that to be so. */
export const _valueIsItem = (value: Value): Item => value;
