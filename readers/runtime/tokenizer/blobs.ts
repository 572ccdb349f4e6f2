/**
 * The blobs of a tokenizer (classes.md section 4): each grammar is one function from bytes to
 * its content, or null where the bytes break it. The reader judged them at stage 26 already;
 * they are judged anew because the bytes are read anew.
 */
import type { Entries } from "./lookup.ts";

/** Kinds 1 to 6 by number. */
export const KIND = {
  vocabulary: 1,
  merges: 2,
  scores: 3,
  normalizer: 4,
  byteFallback: 5,
  addedTokens: 6,
} as const;

/** Merge r makes token `result[r]` of `left[r]` and `right[r]`; r is its rank. */
export interface Merges {
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly result: Uint32Array;
}

/** The replacements of kind 4: source i becomes target i. */
export interface Replacements {
  readonly sources: Entries;
  readonly targets: Entries;
}

export interface AddedToken {
  readonly id: number;
  readonly flags: number;
}

/** Flags of an added token. */
export const FLAG = {
  special: 1,
  singleWord: 2,
  leftStrip: 4,
  rightStrip: 8,
  normalized: 16,
} as const;

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** `count` u32 from `at` on; the caller has held the count against the bytes. */
function u32s(bytes: Uint8Array, at: number, count: number, stride = 4): Uint32Array {
  const from = view(bytes);
  return Uint32Array.from({ length: count }, (_, i) => from.getUint32(at + i * stride, true));
}

/** The u32 count at the start where exactly `size` bytes follow for each, else null. */
function counted(bytes: Uint8Array, size: number): number | null {
  if (bytes.length < 4) return null;
  const count = view(bytes).getUint32(0, true);
  return bytes.length === 4 + count * size ? count : null;
}

export function readVocabulary(bytes: Uint8Array, size: number): Entries | null {
  if (bytes.length < 8) return null;
  const count = view(bytes).getUint32(0, true);
  const pool = 4 + 4 * (count + 1);
  if (count !== size || pool > bytes.length) return null;
  const offsets = u32s(bytes, 4, count + 1);
  if (offsets[0] !== 0 || offsets[count] !== bytes.length - pool) return null;
  for (let i = 0; i < count; i++) if (offsets[i] > offsets[i + 1]) return null;
  return { offsets, bytes: bytes.subarray(pool) };
}

export function readMerges(bytes: Uint8Array, size: number): Merges | null {
  const count = counted(bytes, 12);
  if (count === null) return null;
  const [left, right, result] = [4, 8, 12].map((at) => u32s(bytes, at, count, 12));
  const inRange = (ids: Uint32Array) => ids.every((id) => id < size);
  return inRange(left) && inRange(right) && inRange(result) ? { left, right, result } : null;
}

export function readScores(bytes: Uint8Array, size: number): Float32Array | null {
  if (counted(bytes, 4) !== size) return null;
  const from = view(bytes);
  const scores = Float32Array.from({ length: size }, (_, i) => from.getFloat32(4 + 4 * i, true));
  return scores.every(Number.isFinite) ? scores : null;
}

export function readReplacements(bytes: Uint8Array): Replacements | null {
  if (bytes.length < 4) return null;
  const from = view(bytes);
  const count = from.getUint32(0, true);
  const sources: Uint8Array[] = [], targets: Uint8Array[] = [];
  let at = 4;
  const text = (): Uint8Array | null => {
    if (at + 2 > bytes.length) return null;
    const start = at + 2, end = start + from.getUint16(at, true);
    at = end;
    return end > bytes.length ? null : bytes.subarray(start, end);
  };
  for (let i = 0; i < count; i++) {
    const source = text(), target = source && text();
    if (target === null || source === null || source.length === 0) return null;
    sources.push(source);
    targets.push(target);
  }
  return at === bytes.length ? { sources: joined(sources), targets: joined(targets) } : null;
}

function joined(texts: readonly Uint8Array[]): Entries {
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => offsets[i + 1] = offsets[i] + text.length);
  const bytes = new Uint8Array(offsets[texts.length]);
  texts.forEach((text, i) => bytes.set(text, offsets[i]));
  return { offsets, bytes };
}

/** The token of each byte value. */
export function readByteFallback(bytes: Uint8Array, size: number): Uint32Array | null {
  if (bytes.length !== 256 * 4) return null;
  const ids = u32s(bytes, 0, 256);
  return ids.every((id) => id < size) ? ids : null;
}

export function readAddedTokens(bytes: Uint8Array, size: number): AddedToken[] | null {
  const count = counted(bytes, 5);
  if (count === null) return null;
  const tokens: AddedToken[] = [];
  const from = view(bytes);
  for (let at = 4; at < bytes.length; at += 5) {
    const id = from.getUint32(at, true), flags = bytes[at + 4];
    if (id >= size || flags > 31 || id <= (tokens.at(-1)?.id ?? -1)) return null;
    tokens.push({ id, flags });
  }
  return tokens;
}
