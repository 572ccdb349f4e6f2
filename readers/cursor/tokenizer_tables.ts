/** Blobs of kinds 1 to 6: the tables of a tokenizer (`classes.md` section 4). */
import type { Artifact } from "./artifact.ts";
import { compareRanges, u16, u32 } from "./bytes.ts";
import {
  ADDED_TOKENS,
  type BlobRecord,
  BYTE_FALLBACK,
  MERGES,
  NORMALIZER_TABLE,
  UNIGRAM_TABLE,
  VOCABULARY,
} from "./records.ts";
import { TRUE } from "./tape.ts";

const TOKENIZER_CLASS = 4;
const MEDIA_TYPE = "application/slm2-table";

/** The only name of a blob of each kind. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [VOCABULARY, "vocabulary"],
  [MERGES, "merges"],
  [UNIGRAM_TABLE, "scores"],
  [NORMALIZER_TABLE, "normalizer"],
  [BYTE_FALLBACK, "byte-fallback"],
  [ADDED_TOKENS, "added-tokens"],
]);

/** The blob that a tokenizer kind needs besides the vocabulary. */
const NEEDED: ReadonlyMap<string, number> = new Map([
  ["byte-level-bpe/1", MERGES],
  ["score-bpe/1", UNIGRAM_TABLE],
  ["unigram/1", UNIGRAM_TABLE],
]);

/** special, single word, left strip, right strip, normalized */
const ADDED_TOKEN_FLAGS = 1 + 2 + 4 + 8 + 16;

/** A vocabulary blob: entry `id` is a range of its bytes. */
class Vocabulary {
  readonly count: number;

  constructor(readonly bytes: Uint8Array) {
    this.count = u32(bytes, 0);
  }

  start(id: number): number {
    return 8 + 4 * this.count + u32(this.bytes, 4 + 4 * id);
  }

  end(id: number): number {
    return this.start(id + 1);
  }

  /** Whether the bytes of `result` are those of `left` and then those of `right`. */
  joins(left: number, right: number, result: number): boolean {
    const middle = this.start(result) + this.end(left) - this.start(left);
    const end = this.end(result);
    return end - middle === this.end(right) - this.start(right) &&
      this.#same(left, this.start(result), middle) && this.#same(right, middle, end);
  }

  #same(id: number, from: number, to: number): boolean {
    return compareRanges(this.bytes, this.start(id), this.end(id), from, to) === 0;
  }
}

/** Judges the tables one after another, in the order of the kinds. */
export class TokenizerTables {
  readonly #artifact: Artifact;
  readonly #seen = new Set<number>();
  #vocabulary: Vocabulary | null = null;

  constructor(artifact: Artifact) {
    this.#artifact = artifact;
  }

  /** Whether the blob has its kind's name and media type. */
  isNamed({ kind, name, media_type }: BlobRecord): boolean {
    const { strings } = this.#artifact;
    return strings.is(name, NAMES.get(kind) ?? "") && strings.is(media_type, MEDIA_TYPE);
  }

  /** Whether the table `bytes` of `kind` is in its grammar. */
  judge(kind: number, bytes: Uint8Array): boolean {
    this.#seen.add(kind);
    switch (kind) {
      case VOCABULARY:
        return this.#judgeVocabulary(bytes);
      case MERGES:
        return this.#judgeMerges(bytes);
      case UNIGRAM_TABLE:
        return this.#judgeScores(bytes);
      case NORMALIZER_TABLE:
        return judgeNormalizer(bytes);
      case BYTE_FALLBACK:
        return this.#judgeByteFallback(bytes);
      default:
        return this.#judgeAddedTokens(bytes);
    }
  }

  /** Whether no blob is missing that the tokenizer needs. */
  isComplete(): boolean {
    const { artifact_class, tape, body } = this.#artifact;
    if (artifact_class !== TOKENIZER_CLASS) return true;
    const needed = NEEDED.get(tape.text(tape.get(body, "kind")));
    const fallback = tape.head(tape.get(body, "byte_fallback")) === TRUE;
    return this.#seen.has(VOCABULARY) && (needed === undefined || this.#seen.has(needed)) &&
      (!fallback || this.#seen.has(BYTE_FALLBACK));
  }

  /** `vocab_size` of the body. */
  #size(): number | bigint {
    const { tape, body } = this.#artifact;
    return tape.integer(tape.get(body, "vocab_size"));
  }

  #judgeVocabulary(bytes: Uint8Array): boolean {
    if (bytes.length < 8) return false;
    const count = u32(bytes, 0);
    const pool = 8 + 4 * count;
    if (count !== this.#size() || pool > bytes.length || u32(bytes, 4) !== 0) return false;
    for (let at = 8; at < pool; at += 4) if (u32(bytes, at) < u32(bytes, at - 4)) return false;
    if (u32(bytes, pool - 4) !== bytes.length - pool) return false;
    this.#vocabulary = new Vocabulary(bytes);
    return true;
  }

  #judgeMerges(bytes: Uint8Array): boolean {
    const vocabulary = this.#vocabulary;
    if (bytes.length < 4) return false;
    const count = u32(bytes, 0);
    if (bytes.length !== 4 + 12 * count) return false;
    if (vocabulary === null) return count === 0;
    this.#artifact.memory.hold(8 * count);
    const pairs = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const at = 4 + 12 * i;
      const [left, right, result] = [u32(bytes, at), u32(bytes, at + 4), u32(bytes, at + 8)];
      if (Math.max(left, right, result) >= vocabulary.count) return false;
      if (!vocabulary.joins(left, right, result)) return false;
      pairs[i] = left * vocabulary.count + right; // a vocabulary has less than 2^24 entries
    }
    pairs.sort();
    return pairs.every((pair, i) => i === 0 || pair !== pairs[i - 1]);
  }

  #judgeScores(bytes: Uint8Array): boolean {
    if (bytes.length < 4 || u32(bytes, 0) !== this.#size()) return false;
    if (bytes.length !== 4 + 4 * u32(bytes, 0)) return false;
    for (let at = 4; at < bytes.length; at += 4) {
      if ((u16(bytes, at + 2) & 0x7f80) === 0x7f80) return false; // infinite or NaN
    }
    return true;
  }

  #judgeByteFallback(bytes: Uint8Array): boolean {
    const vocabulary = this.#vocabulary;
    if (vocabulary === null || bytes.length !== 4 * 256) return false;
    for (let byte = 0; byte < 256; byte++) {
      // Entries that differ are pairwise distinct tokens.
      const id = u32(bytes, 4 * byte);
      if (id >= vocabulary.count) return false;
      const start = vocabulary.start(id);
      if (vocabulary.end(id) !== start + 1 || vocabulary.bytes[start] !== byte) return false;
    }
    return true;
  }

  #judgeAddedTokens(bytes: Uint8Array): boolean {
    if (bytes.length < 4 || bytes.length !== 4 + 5 * u32(bytes, 0)) return false;
    const size = this.#size();
    for (let at = 4, previous = -1; at < bytes.length; at += 5) {
      const id = u32(bytes, at);
      if (id <= previous || id >= size || bytes[at + 4] > ADDED_TOKEN_FLAGS) return false;
      previous = id;
    }
    return true;
  }
}

/** u32 count, then (u16 length, bytes) twice a pair, strictly increasing by the first. */
function judgeNormalizer(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const count = u32(bytes, 0);
  let at = 4;
  /** The end of the text that begins at `at`, or -1 where it passes the end. */
  const textEnd = () => {
    const end = at + 2 <= bytes.length ? at + 2 + u16(bytes, at) : Infinity;
    return end <= bytes.length ? end : -1;
  };
  let [previous, previousEnd] = [0, 0];
  for (let i = 0; i < count; i++) {
    const [source, sourceEnd] = [at + 2, textEnd()];
    if (sourceEnd < 0 || sourceEnd === source) return false;
    if (i > 0 && compareRanges(bytes, previous, previousEnd, source, sourceEnd) >= 0) return false;
    [previous, previousEnd] = [source, sourceEnd];
    at = sourceEnd;
    at = textEnd();
    if (at < 0) return false;
  }
  return at === bytes.length;
}
