/** For tests only: bytes, CBOR and SLM_HASH by concatenation, written apart from the reader. */
import { blake3 } from "@noble/hashes/blake3.js";
import type { Judgement, Source, Verdict } from "../contract.ts";

// ------------------------------------------------------------------------------- bytes

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
export function concat(...parts: Uint8Array[]): Uint8Array {
  return joined(parts);
}
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
export function le(n: number | bigint, size: number): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(n));
  return Uint8Array.from({ length: size }, () => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}
/** u32s, little-endian. */
export function words(...ns: number[]): Uint8Array {
  return wordList(ns);
}
export function wordList(ns: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * ns.length));
  ns.forEach((n, i) => view.setUint32(4 * i, n, true));
  return new Uint8Array(view.buffer);
}
/** 32 bytes of one value. */
export function fill32(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}

export function memory(bytes: Uint8Array): Source {
  return {
    size: () => bytes.length,
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
}

// -------------------------------------------------------------------------------- CBOR

/** Bytes that stand in a manifest as they are. */
export class Raw {
  constructor(readonly bytes: Uint8Array) {}
}
export type Cbor =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | Raw
  | readonly Cbor[]
  | CborMap;
export type CborMap = { readonly [key: string]: Cbor };

function head(major: number, n: number | bigint): Uint8Array {
  const big = BigInt(n);
  const sizes: [bigint, number, number][] = [
    [24n, 0, 0],
    [256n, 24, 1],
    [65536n, 25, 2],
    [2n ** 32n, 26, 4],
    [2n ** 64n, 27, 8],
  ];
  const [, info, size] = sizes.find(([end]) => big < end) ?? sizes[4];
  if (size === 0) return Uint8Array.of(major << 5 | Number(big));
  return concat(Uint8Array.of(major << 5 | info), le(big, size).reverse());
}
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
/** Deterministic encoding (section 5). */
export function encode(value: Cbor): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6);
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4);
  if (typeof value === "number" || typeof value === "bigint") {
    return value < 0 ? head(1, -1n - BigInt(value)) : head(0, value);
  }
  if (typeof value === "string") return concat(head(3, utf8(value).length), utf8(value));
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  if (value instanceof Raw) return value.bytes;
  if (Array.isArray(value)) return concat(head(4, value.length), ...value.map(encode));
  const entries = Object.entries(value)
    .map(([key, item]) => [encode(key), encode(item)]).sort(([a], [b]) => compareBytes(a, b));
  return concat(head(5, entries.length), ...entries.flat());
}

// ------------------------------------------------------------------------------ hashes

type Hashed = readonly [type: number, bytes: Uint8Array];
export const raw = (b: Uint8Array): Hashed => [1, b];
export const ident = (s: string): Hashed => [2, utf8(s)];
export const u16 = (n: number): Hashed => [3, le(n, 2)];
export const u32 = (n: number): Hashed => [3, le(n, 4)];
export const u64 = (n: number | bigint): Hashed => [3, le(n, 8)];
export const digest = (d: Uint8Array | null): Hashed => [4, d ?? new Uint8Array(0)];
export const digests = (l: readonly Uint8Array[]): Hashed => [5, concat(le(l.length, 8), ...l)];
export const cbor = (v: Cbor): Hashed => [6, encode(v)];

/** SLM_HASH (section 9). */
export function slmHash(domain: string, ...fields: Hashed[]): Uint8Array {
  return blake3(concat(
    utf8("SLM2-HASH\0"),
    le(domain.length, 2),
    utf8(domain),
    le(fields.length, 4),
    ...fields.flatMap(([type, bytes]) => [le(type, 2), le(bytes.length, 8), bytes]),
  ));
}

/** A copy with bytes overwritten. */
export function patched(file: Uint8Array, ...patches: [number, Uint8Array][]): Uint8Array {
  const copy = file.slice();
  for (const [offset, bytes] of patches) copy.set(bytes, offset);
  return copy;
}

// --------------------------------------------------------------------------- verdicts

/** Stage, code and section in one line, or `accept`. */
export function short(verdict: Verdict | Judgement): string {
  switch (verdict.verdict) {
    case "accept":
      return "accept";
    case "skip":
      return "skip";
    default:
      return `${verdict.stage} ${verdict.code} [${verdict.section}]`;
  }
}
