/** SLM-DCBOR-1 (section 5): the one encoding of an item. */
import { ByteList, compare, integer, utf8 } from "./bytes.ts";

/**
 * What can be encoded: a decoded `Value` of the readers, or the same with plain objects for maps, which are
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
  const list = new ByteList();
  putHead(list, major, argument);
  return list.finish();
}

function putHead(list: ByteList, major: number, n: number | bigint): void {
  if (n < 24) list.integer((major << 5) | Number(n), 1);
  else if (n < 0x100) list.integer((major << 5) | 24, 1).integer(n, 1);
  else if (n < 0x10000) putWide(list, major, 25, n, 2);
  else if (n < 0x100000000) putWide(list, major, 26, n, 4);
  else putWide(list, major, 27, n, 8);
}

/** The argument of a head is the one big-endian integer of the format. */
function putWide(list: ByteList, major: number, info: number, n: number | bigint, size: number) {
  list.integer((major << 5) | info, 1).put(integer(n, size).reverse());
}

/**
 * Encodes an item: shortest forms, definite lengths, map keys in the bytewise order of their
 * encodings. Text is taken as it is: the writer's judge, not the encoder, asks for NFC.
 * @throws RangeError for a number that is no integer, or outside -2^63 .. 2^64 - 1
 */
export function encode(item: Item): Uint8Array {
  const list = new ByteList();
  put(list, item);
  return list.finish();
}

function put(list: ByteList, item: Item): void {
  if (typeof item === "number" || typeof item === "bigint") putNumber(list, item);
  else if (item === null) putHead(list, SIMPLE, 22);
  else if (typeof item === "boolean") putHead(list, SIMPLE, item ? 21 : 20);
  else if (typeof item === "string") putBytes(list, TEXT, utf8(item));
  else if (item instanceof Uint8Array) putBytes(list, BYTES, item);
  else if (isMap(item)) putMap(list, item);
  else {
    putHead(list, ARRAY, item.length);
    for (const element of item) put(list, element);
  }
}

function putBytes(list: ByteList, major: number, bytes: Uint8Array): void {
  putHead(list, major, bytes.length);
  list.put(bytes);
}

function putMap(list: ByteList, map: ItemMap): void {
  const entries = entriesOf(map).map(([key, value]) => ({ key: utf8(key), value }));
  // a shorter text has the lesser head
  entries.sort((a, b) => a.key.length - b.key.length || compare(a.key, b.key));
  putHead(list, MAP, entries.length);
  for (const { key, value } of entries) {
    putBytes(list, TEXT, key);
    put(list, value);
  }
}

function putNumber(list: ByteList, n: number | bigint): void {
  const exact = Number.isSafeInteger(n) ? n : BigInt(n);
  if (exact < -(2n ** 63n) || exact >= 2n ** 64n) throw new RangeError(`${n} has no encoding`);
  if (exact >= 0) putHead(list, UNSIGNED, exact);
  else putHead(list, NEGATIVE, typeof exact === "bigint" ? -1n - exact : -1 - exact);
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
