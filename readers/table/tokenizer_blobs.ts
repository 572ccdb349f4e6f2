/** Grammars of tokenizer blobs (`classes.md` section 4, the table of kinds 1 to 6). */
import type { Artifact } from "./artifact.ts";
import type { Grammar } from "./blob_content.ts";
import { ADDED_TOKENS, BYTE_FALLBACK, MERGES, NORMALIZER, SCORES, VOCABULARY } from "./blobs.ts";
import { Entries, Joins, u32, viewOf } from "./entries.ts";
import { compareRanges } from "./fields.ts";

function vocabularySize(artifact: Artifact): number | bigint {
  return artifact.manifest.integer(artifact.get("vocab_size"));
}

/** The count at the head of a blob; null where there is no room for it. */
function countOf(bytes: Uint8Array): number | null {
  return bytes.length < 4 ? null : u32(viewOf(bytes), 0);
}

/** u32 count = vocab_size, u32 offsets[count + 1], bytes. Leaves the vocabulary. */
const vocabulary: Grammar = (artifact, bytes) => {
  const count = countOf(bytes);
  if (count === null || count !== vocabularySize(artifact)) {
    return { at: 0, expected: "vocab_size entries" };
  }
  const head = 4 + 4 * (count + 1);
  if (bytes.length < head) return { at: 4, expected: `${count + 1} offsets` };
  const view = viewOf(bytes);
  let previous = 0;
  for (let i = 0; i <= count; i++) {
    const offset = u32(view, 4 + 4 * i);
    const isRight = (i === 0 ? offset === 0 : offset >= previous) &&
      (i < count || offset === bytes.length - head);
    if (!isRight) return { at: 4 + 4 * i, expected: "offsets from 0 to the byte count" };
    previous = offset;
  }
  artifact.vocabulary = { bytes, count };
  return null;
};

const MERGE_SIZE = 12;
/** u32 count, then (left, right, result): pairs distinct, result = left + right. */
const merges: Grammar = (artifact, bytes) => {
  const count = countOf(bytes);
  if (count === null || bytes.length !== 4 + MERGE_SIZE * count) {
    return { at: 0, expected: "a count, and that many merges" };
  }
  const view = viewOf(bytes);
  const entries = new Entries(artifact.vocabulary);
  const joins = new Joins(entries);
  const pairs = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = 4 + MERGE_SIZE * i;
    const [left, right, result] = [u32(view, at), u32(view, at + 4), u32(view, at + 8)];
    const isKnown = left < entries.count && right < entries.count && result < entries.count;
    if (!isKnown) return { at, expected: "ids of the vocabulary" };
    if (!joins.holds(left, right, result)) {
      return { at: at + 8, expected: "the entry left + right" };
    }
    pairs[i] = entries.pair(left, right);
  }
  pairs.sort();
  for (let i = 1; i < count; i++) {
    if (pairs[i] === pairs[i - 1]) return { at: 4, expected: "distinct pairs" };
  }
  return null;
};

/** u32 count = vocab_size, then f32, finite. */
const scores: Grammar = (artifact, bytes) => {
  const count = countOf(bytes);
  if (count === null || count !== vocabularySize(artifact) || bytes.length !== 4 + 4 * count) {
    return { at: 0, expected: "a score for each entry" };
  }
  const view = viewOf(bytes);
  for (let at = 4; at < bytes.length; at += 4) {
    if (!Number.isFinite(view.getFloat32(at, true))) return { at, expected: "a finite f32" };
  }
  return null;
};

/** u32 count, then (u16 len, bytes) pairs, strictly increasing by source, source not empty. */
const normalizer: Grammar = (_artifact, bytes) => {
  const count = countOf(bytes);
  if (count === null) return { at: 0, expected: "a count" };
  const view = viewOf(bytes);
  let at = 4;
  let previous = 0;
  let previousEnd = 0;
  for (let i = 0; i < count; i++) {
    const source = at + 2;
    const sourceEnd = stringEnd(at);
    const end = stringEnd(sourceEnd);
    if (end > bytes.length) return { at, expected: "a pair that ends in the blob" };
    if (sourceEnd === source) return { at, expected: "a source that is not empty" };
    if (i > 0 && compareRanges(bytes, previous, previousEnd, source, sourceEnd) >= 0) {
      return { at, expected: "a source greater than the one before" };
    }
    previous = source;
    previousEnd = sourceEnd;
    at = end;
  }
  return at === bytes.length ? null : { at, expected: "the end of the blob" };

  function stringEnd(at: number): number {
    return at + 2 <= bytes.length ? at + 2 + view.getUint16(at, true) : Infinity;
  }
};

/** 256 x u32 token id, pairwise distinct; the entry of the b-th is the one byte b. */
const byteFallback: Grammar = (artifact, bytes) => {
  if (bytes.length !== 4 * 256) return { at: 0, expected: "256 ids" };
  const view = viewOf(bytes);
  const entries = new Entries(artifact.vocabulary);
  for (let byte = 0; byte < 256; byte++) { // entries that differ have ids that differ
    const id = u32(view, 4 * byte);
    const isByte = id < entries.count && entries.end(id) - entries.start(id) === 1 &&
      entries.bytes[entries.start(id)] === byte;
    if (!isByte) return { at: 4 * byte, expected: `the id of byte ${byte}` };
  }
  return null;
};

const ADDED_SIZE = 5;
const ADDED_FLAGS = 1 | 2 | 4 | 8 | 16;
/** u32 count, then u32 id, u8 flags, strictly increasing by id. */
const addedTokens: Grammar = (artifact, bytes) => {
  const count = countOf(bytes);
  if (count === null || bytes.length !== 4 + ADDED_SIZE * count) {
    return { at: 0, expected: "a count, and that many tokens" };
  }
  const view = viewOf(bytes);
  const size = vocabularySize(artifact);
  let previous = -1;
  for (let at = 4; at < bytes.length; at += ADDED_SIZE) {
    const id = u32(view, at);
    if (id >= size) return { at, expected: "an id of the vocabulary" };
    if (id <= previous) return { at, expected: "an id greater than the one before" };
    if ((bytes[at + 4] & ~ADDED_FLAGS) !== 0) return { at: at + 4, expected: "known flags" };
    previous = id;
  }
  return null;
};

export const GRAMMARS: readonly { kind: number; name: string; grammar: Grammar }[] = [
  { kind: VOCABULARY, name: "vocabulary", grammar: vocabulary },
  { kind: MERGES, name: "merges", grammar: merges },
  { kind: SCORES, name: "scores", grammar: scores },
  { kind: NORMALIZER, name: "normalizer", grammar: normalizer },
  { kind: BYTE_FALLBACK, name: "byte-fallback", grammar: byteFallback },
  { kind: ADDED_TOKENS, name: "added-tokens", grammar: addedTokens },
];
