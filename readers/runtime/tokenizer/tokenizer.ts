/**
 * The tokenizer of a runtime (classes.md section 4): from an accepted artifact of class 4 to
 * something that encodes and decodes. No regular expression, no case mapping and no
 * normalisation of the engine ever sees text.
 */
import type { Candidate } from "../../contract.ts";
import { type AddedToken, FLAG, KIND } from "./blobs.ts";
import * as blob from "./blobs.ts";
import { splitAtAdded } from "./added.ts";
import { type Body, type EdgeToken, readBody } from "./body.ts";
import { decodeFilter, type Decoding } from "./decode.ts";
import { type EncodeError, encodeSegments, type Pipeline, type Segment } from "./encode.ts";
import { byteLevelBpe } from "./kinds/byte_level_bpe.ts";
import { coverBy, type EncodePiece } from "./kinds/kind.ts";
import { scoreBpe } from "./kinds/score_bpe.ts";
import { table } from "./kinds/table.ts";
import { unigram } from "./kinds/unigram.ts";
import { wordpiece } from "./kinds/wordpiece.ts";
import { type Entries, entry, Lookup } from "./lookup.ts";
import { normalizerStep } from "./normalizer.ts";
import { pretokenizerCut } from "./pretokenizer.ts";
import { replaceAll, replaceOne } from "./replace.ts";

export type { EdgeToken } from "./body.ts";
export type { EncodeError, Segment } from "./encode.ts";

/** Why an artifact gives no tokenizer: its class, a blob, or an op that is not registered. */
export interface TokenizerError {
  readonly error: "NotATokenizer" | "BadBlob" | "MissingBlob" | "UnknownKind" | "UnknownOp";
  readonly detail: string;
}

export interface EncodeOptions {
  /** bos and eos where the tokenizer puts them by itself (`auto`); true unless given */
  readonly special?: boolean;
  /** the text is content: no added token is found in it; false unless given */
  readonly content?: boolean;
}

export interface DecodeOptions {
  /** special tokens as they are spelled, instead of left out; false unless given */
  readonly special?: boolean;
  /** the ids continue a text, so no space is dropped at the start; false unless given */
  readonly continues?: boolean;
}

/** Text out of ids that come one at a time. What it gives, joined, is `decodeText` of all. */
export interface TextStream {
  /** The text that this id settles: incomplete UTF-8 is held back. RangeError as `decode`. */
  push(id: number): string;
  /** What was held back, an incomplete sequence as one U+FFFD a maximal subpart. */
  end(): string;
}

/** Bytes out of ids that come one at a time. What it gives, joined, is `decode` of all. */
export interface ByteStream {
  /** The bytes that this id settles. RangeError as `decode`. */
  push(id: number): Uint8Array;
  /** What a decoder step held back. */
  end(): Uint8Array;
}

export interface Tokenizer {
  readonly tokenizerId: string;
  readonly vocabSize: number;
  readonly bos: EdgeToken;
  readonly eos: EdgeToken;
  readonly unknown: number | null;
  readonly roles: ReadonlyMap<string, number>;
  readonly stopTokens: readonly number[];
  readonly stopBytes: readonly Uint8Array[];
  /** The bytes of a token; RangeError where the id is not below vocabSize. */
  token(id: number): Uint8Array;
  /** The ids of a whole text. Bytes are taken as UTF-8. */
  encode(text: string | Uint8Array, options?: EncodeOptions): Uint32Array | EncodeError;
  /** The ids of a template's output; neither bos nor eos is added. */
  encodeSegments(segments: readonly Segment[]): Uint32Array | EncodeError;
  /** The bytes of a text; RangeError where an id is not below vocabSize. */
  decode(ids: Iterable<number>, options?: DecodeOptions): Uint8Array;
  /** `decode` as text: each maximal subpart of what is no UTF-8 is one U+FFFD. */
  decodeText(ids: Iterable<number>, options?: DecodeOptions): string;
  stream(options?: DecodeOptions): TextStream;
  /** `stream` before it becomes text. */
  byteStream(options?: DecodeOptions): ByteStream;
}

const utf8 = new TextEncoder();

/**
 * Builds the tokenizer of an accepted candidate of class 4. `blobs` gives the payload of
 * `candidate.blobs[index]`, already held against its hash.
 */
export function loadTokenizer(
  candidate: Candidate,
  blobs: (index: number) => Uint8Array,
): Tokenizer | TokenizerError {
  if (candidate.artifact_class !== 4) {
    return { error: "NotATokenizer", detail: `class ${candidate.artifact_class}` };
  }
  const body = readBody(candidate.manifest);
  const contents = readBlobs(body, candidate, blobs);
  if ("error" in contents) return contents;
  const pipeline = buildPipeline(body, contents);
  if ("error" in pipeline) return pipeline;
  return build(candidate.identities.artifact_id, body, contents, pipeline);
}

/** What the blobs of a tokenizer hold; null for one that does not stand. */
interface Contents {
  readonly vocabulary: Entries;
  readonly merges: blob.Merges | null;
  readonly scores: Float32Array | null;
  readonly replacements: blob.Replacements | null;
  readonly fallback: Uint32Array | null;
  readonly added: readonly AddedToken[];
}

function readBlobs(
  body: Body,
  candidate: Candidate,
  blobs: (index: number) => Uint8Array,
): Contents | TokenizerError {
  const size = body.vocab_size;
  const bad: string[] = [];
  const read = <T>(kind: number, parse: (bytes: Uint8Array, size: number) => T | null) => {
    const index = candidate.blobs.findIndex((b) => b.kind === kind);
    if (index < 0) return null;
    const content = parse(blobs(index), size);
    if (content === null) bad.push(candidate.blobs[index].name);
    return content;
  };
  const vocabulary = read(KIND.vocabulary, blob.readVocabulary);
  const contents = {
    merges: read(KIND.merges, blob.readMerges),
    scores: read(KIND.scores, blob.readScores),
    replacements: read(KIND.normalizer, blob.readReplacements),
    fallback: read(KIND.byteFallback, blob.readByteFallback),
    added: read(KIND.addedTokens, blob.readAddedTokens) ?? [],
  };
  if (bad.length > 0) return { error: "BadBlob", detail: bad.join(", ") };
  if (vocabulary === null) return { error: "MissingBlob", detail: "vocabulary" };
  if (body.byte_fallback && contents.fallback === null) {
    return { error: "MissingBlob", detail: "byte-fallback" };
  }
  return { vocabulary, ...contents };
}

function buildPipeline(body: Body, contents: Contents): Pipeline | TokenizerError {
  const { vocabulary, added, replacements } = contents;
  const normalizers = body.normalizer.map(normalizerStep);
  const cuts = body.pretokenizer.map(pretokenizerCut);
  const unknownOp = body.normalizer[normalizers.indexOf(null)] ??
    body.pretokenizer[cuts.indexOf(null)];
  if (unknownOp !== undefined) return { error: "UnknownOp", detail: unknownOp[0] };
  const kind = buildKind(body, contents);
  if (typeof kind !== "function") return kind;
  const marked = body.space_marker !== null && body.kind !== "wordpiece/1";
  return {
    rawTokens: splitAtAdded(vocabulary, added.filter((t) => !(t.flags & FLAG.normalized))),
    prefixSpace: body.added_prefix_space,
    normalizers: [
      ...(replacements === null ? [] : [replaceAll(replacements)]),
      ...normalizers.filter((step) => step !== null),
    ],
    maxExpansion: body.max_expansion,
    normalizedTokens: splitAtAdded(vocabulary, added.filter((t) => t.flags & FLAG.normalized)),
    marker: marked ? replaceOne(utf8.encode(" "), utf8.encode(body.space_marker ?? "")) : null,
    cuts: cuts.filter((cut) => cut !== null),
    kind,
  };
}

function buildKind(body: Body, contents: Contents): EncodePiece | TokenizerError {
  const { vocabulary, merges, scores, fallback, added } = contents;
  const byteLevel = body.kind === "byte-level-bpe/1";
  // "a lookup by bytes never yields a token that these blobs name" (section 4)
  const barred = new Set([...added.map(({ id }) => id), ...(byteLevel ? [] : fallback ?? [])]);
  const lookup = new Lookup(vocabulary, (id) => !barred.has(id));
  // score-bpe/1 itself falls back to bytes, whatever the policy says
  const policy = body.kind === "score-bpe/1" && body.byte_fallback ? "bytes" : body.unknown.policy;
  const cover = coverBy(policy, body.unknown.id, fallback);
  const missing = (detail: string): TokenizerError => ({ error: "MissingBlob", detail });
  switch (body.kind) {
    case "byte-level-bpe/1":
      if (merges === null) return missing("merges");
      return byteLevelBpe(lookup, merges, (id) => barred.has(id), cover);
    case "score-bpe/1":
      return scores === null ? missing("scores") : scoreBpe(lookup, scores, cover);
    case "unigram/1":
      return scores === null ? missing("scores") : unigram(lookup, scores, cover);
    case "wordpiece/1":
      return wordpiece(lookup, utf8.encode(body.space_marker ?? ""), cover);
    case "table/1":
      return table(lookup, cover);
    default:
      return { error: "UnknownKind", detail: body.kind };
  }
}

function build(
  tokenizerId: string,
  body: Body,
  { vocabulary, added }: Contents,
  pipeline: Pipeline,
): Tokenizer {
  const special = new Set(added.filter((t) => t.flags & FLAG.special).map(({ id }) => id));
  const decoding: Decoding = {
    decoder: body.decoder,
    space_marker: body.space_marker === null ? null : utf8.encode(body.space_marker),
    added_prefix_space: body.added_prefix_space,
  };
  const token = (id: number): Uint8Array => {
    if (id >= 0 && id < body.vocab_size && Number.isInteger(id)) return entry(vocabulary, id);
    throw new RangeError(`token ${id} of a vocabulary of ${body.vocab_size}`);
  };
  const wanted = ({ special: keep }: DecodeOptions) => (id: number) =>
    !keep && special.has(id) ? new Uint8Array(0) : token(id);

  const ends = (ids: number[]): number[] => {
    if (body.bos.auto && body.bos.id !== null) ids.unshift(body.bos.id);
    if (body.eos.auto && body.eos.id !== null) ids.push(body.eos.id);
    return ids;
  };

  const decode = (ids: Iterable<number>, options: DecodeOptions = {}): Uint8Array => {
    const bytesOf = wanted(options);
    const entries = Array.from(ids, bytesOf);
    const bytes = new Uint8Array(entries.reduce((sum, e) => sum + e.length, 0));
    let at = 0;
    for (const e of entries) {
      bytes.set(e, at);
      at += e.length;
    }
    const filter = decodeFilter(decoding, !options.continues);
    return concat(filter.push(bytes), filter.end());
  };

  const byteStream = (options: DecodeOptions = {}): ByteStream => {
    const bytesOf = wanted(options);
    const filter = decodeFilter(decoding, !options.continues);
    return { push: (id) => filter.push(bytesOf(id)), end: () => filter.end() };
  };

  return {
    tokenizerId,
    vocabSize: body.vocab_size,
    bos: body.bos,
    eos: body.eos,
    unknown: body.unknown.id,
    roles: body.roles,
    stopTokens: body.stop_tokens,
    stopBytes: body.stop_bytes,
    token,
    encode(text, { special = true, content = false } = {}) {
      const ids = encodeSegments(pipeline, [{ sort: content ? "content" : "literal", text }]);
      return Array.isArray(ids) ? Uint32Array.from(special ? ends(ids) : ids) : ids;
    },
    encodeSegments(segments) {
      const ids = encodeSegments(pipeline, segments);
      return Array.isArray(ids) ? Uint32Array.from(ids) : ids;
    },
    decode,
    decodeText: (ids, options) => textOf().decode(decode(ids, options)),
    stream(options = {}) {
      const bytes = byteStream(options);
      const text = textOf();
      return {
        push: (id) => text.decode(bytes.push(id), { stream: true }),
        end: () => text.decode(bytes.end()),
      };
    },
    byteStream,
  };
}

/** The engine's decoder: U+FFFD a maximal subpart, and with `ignoreBOM` it keeps U+FEFF. */
const textOf = () => new TextDecoder("utf-8", { ignoreBOM: true });

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (b.length === 0) return a;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
