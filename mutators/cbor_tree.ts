/**
 * SLM-DCBOR-1 as a tree that may be wrong in every way: a node keeps its own head bytes where it
 * was made with other than the shortest one, and whatever cannot be read is kept as it is.
 */
import { compare } from "../corpus/writer/bytes.ts";

export const UINT = 0, NINT = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, TAG = 6, SIMPLE = 7;
/** Not a major type of CBOR: bytes that no item begins with, or that end too early. */
export const OPAQUE = 8;

const NONE = new Uint8Array(0);

/** One item. Keys and values of a map alternate in `items`. */
export class Node {
  constructor(
    public major: number,
    /** the argument of 0, 1 and 7 */
    public value: number | bigint = 0,
    /** of 2 and 3, and of `OPAQUE` */
    public bytes: Uint8Array = NONE,
    /** of 4, 5 and 6 */
    public items: Node[] = [],
    /** the head as it stood or shall stand, or null for the shortest one */
    public head: Uint8Array | null = null,
  ) {}
}

export const node = (
  major: number,
  { value, bytes, items, head }: Partial<Omit<Node, "major">> = {},
): Node => new Node(major, value, bytes, items, head);
export const text = (value: string): Node => node(TEXT, { bytes: utf8.encode(value) });
export const uint = (value: number | bigint): Node =>
  value < 0 ? node(NINT, { value: typeof value === "bigint" ? -1n - value : -1 - value }) : node(
    UINT,
    { value },
  );
export const bytes = (value: Uint8Array): Node => node(BYTES, { bytes: value });
export const array = (...items: Node[]): Node => node(ARRAY, { items });
export const simple = (value: number): Node => node(SIMPLE, { value });
export const opaque = (value: Uint8Array): Node => node(OPAQUE, { bytes: value });

const utf8 = new TextEncoder();

/** Deeper items, and what comes after so many, are kept as they are; the format's limits are 16 and 65,536. */
const DEPTH = 40, ITEMS = 70_000;

/** Reads `manifest` as one item, and what follows it as opaque bytes. */
export function parseTree(manifest: Uint8Array): { root: Node; rest: Uint8Array } {
  let at = 0, left = ITEMS;
  const item = (depth: number): Node => {
    const start = at;
    const first = manifest[at++];
    const major = first >> 5, info = first & 31;
    const wide = info < 24 ? 0 : 2 ** (info - 24);
    if (
      first === undefined || info > 27 || at + wide > manifest.length || depth > DEPTH || --left < 0
    ) {
      return remainder(start);
    }
    let value: number | bigint = info < 24 ? info : 0;
    if (wide === 8) {
      let big = 0n;
      for (let i = 0; i < 8; i++) big = (big << 8n) | BigInt(manifest[at + i]);
      value = big <= Number.MAX_SAFE_INTEGER ? Number(big) : big;
    } else {
      for (let i = 0; i < wide; i++) value = (value as number) * 256 + manifest[at + i];
    }
    at += wide;
    const made = new Node(major, value);
    const shortest = wide === 0 || value >= [24, 0x100, 0x10000, 0x1_0000_0000][info - 24];
    if (!shortest) made.head = manifest.subarray(start, at);
    if (major === BYTES || major === TEXT) {
      if (value > manifest.length - at) return remainder(start);
      made.bytes = manifest.subarray(at, at += Number(value));
    } else if (major === ARRAY || major === MAP || major === TAG) {
      const count = major === TAG ? 1 : major === MAP ? 2 * Number(value) : Number(value);
      if (count > manifest.length - at) return remainder(start);
      const end = at;
      while (made.items.length < count && at < manifest.length) made.items.push(item(depth + 1));
      if (major === MAP && made.items.length % 2 === 1) made.items.push(opaque(NONE));
      if (major === TAG || made.items.length < count) made.head = manifest.subarray(start, end);
    }
    return made;
  };
  const remainder = (start: number): Node => {
    at = manifest.length;
    return opaque(manifest.subarray(start));
  };
  const root = item(1);
  return { root, rest: manifest.subarray(at) };
}

/** Bytes that are put one after another, in one buffer that is used again. */
class Sink {
  #bytes = new Uint8Array(1 << 16);
  #used = 0;

  put(part: Uint8Array): void {
    const { length } = part;
    if (length === 0) return;
    this.#room(length);
    if (length > 32) this.#bytes.set(part, this.#used);
    else for (let i = 0; i < length; i++) this.#bytes[this.#used + i] = part[i];
    this.#used += length;
  }
  byte(n: number): void {
    this.#room(1);
    this.#bytes[this.#used++] = n;
  }
  #room(size: number): void {
    if (this.#used + size <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#used + size));
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
  }
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#used);
    this.#used = 0;
    return taken;
  }
}

const sink = new Sink();

/** The bytes of a tree. */
export function encodeTree(root: Node, rest: Uint8Array = NONE): Uint8Array {
  put(root);
  sink.put(rest);
  return sink.take();
}

function put(one: Node): void {
  if (one.major === OPAQUE) return sink.put(one.bytes);
  if (one.head) sink.put(one.head);
  else {
    putHead(one.major << 5, argumentOf(one));
  }
  sink.put(one.bytes);
  for (let i = 0; i < one.items.length; i++) put(one.items[i]);
}

/** The shortest head; big-endian. */
function putHead(major: number, n: number | bigint): void {
  if (typeof n === "bigint") {
    sink.byte(major | 27);
    for (let shift = 56n; shift >= 0n; shift -= 8n) sink.byte(Number((n >> shift) & 255n));
  } else if (n < 24) sink.byte(major | n);
  else {
    const wide = n < 0x100 ? 0 : n < 0x10000 ? 1 : n < 2 ** 32 ? 2 : 3;
    sink.byte(major | (24 + wide));
    for (let i = (1 << wide) - 1; i >= 0; i--) sink.byte(Math.floor(n / 2 ** (8 * i)) % 256);
  }
}

/** What the head of a node has to say. */
export function argumentOf(one: Node): number | bigint {
  switch (one.major) {
    case BYTES:
    case TEXT:
      return one.bytes.length;
    case ARRAY:
      return one.items.length;
    case MAP:
      return one.items.length >> 1;
    default:
      return one.value;
  }
}

/** A node with its place: its parent and index there (null for the root), and its depth. */
export interface Spot {
  readonly node: Node;
  readonly parent: Node | null;
  readonly index: number;
  readonly depth: number;
}

/** All nodes of a tree, parents first. */
export function spots(root: Node): Spot[] {
  const list: Spot[] = [{ node: root, parent: null, index: 0, depth: 1 }];
  visit(root, 2, list);
  return list;
}

function visit(parent: Node, depth: number, list: Spot[]): void {
  const { items } = parent;
  for (let index = 0; index < items.length; index++) {
    const node = items[index];
    list.push({ node, parent, index, depth });
    if (node.items.length > 0) visit(node, depth + 1, list);
  }
}

/** A copy that shares no list with its original. */
export const copyNode = ({ major, value, bytes, items, head }: Node): Node =>
  new Node(major, value, bytes.slice(), items.map(copyNode), head);

/** Puts the entries of a map, or the elements of a set, into the order of their encodings. */
export function sortItems(one: Node): void {
  const step = one.major === MAP ? 2 : 1;
  const groups: { key: Uint8Array; items: Node[] }[] = [];
  for (let i = 0; i < one.items.length; i += step) {
    const items = one.items.slice(i, i + step);
    groups.push({ key: encodeTree(items[0]), items });
  }
  groups.sort((a, b) => compare(a.key, b.key));
  one.items = groups.flatMap(({ items }) => items);
}

/** The value under a path of keys and array indexes, or undefined. */
export function at(root: Node, ...path: (string | number)[]): Node | undefined {
  let here: Node | undefined = root;
  for (const step of path) {
    if (typeof step === "number") here = here?.items[step];
    else {
      const i: number = here?.major === MAP
        ? here.items.findIndex((key, j) => j % 2 === 0 && isText(key, step))
        : -1;
      here = i < 0 ? undefined : here?.items[i + 1];
    }
  }
  return here;
}

/** Whether a node is this ASCII text. */
function isText({ major, bytes }: Node, ascii: string): boolean {
  if (major !== TEXT || bytes.length !== ascii.length) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== ascii.charCodeAt(i)) return false;
  return true;
}

/** Replaces the node at a spot; at the root this does nothing. */
export function replace({ parent, index }: Spot, by: Node): void {
  if (parent) parent.items[index] = by;
}
