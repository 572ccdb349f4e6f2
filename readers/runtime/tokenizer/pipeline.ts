/** From a manifest body and its blobs to the parts that text goes through. */
import type { Candidate } from "../../contract.ts";
import { splitAtAdded } from "./added.ts";
import * as blob from "./blobs.ts";
import { type AddedToken, FLAG, KIND } from "./blobs.ts";
import type { Body } from "./body.ts";
import type { Pipeline } from "./encode.ts";
import { byteLevelBpe } from "./kinds/byte_level_bpe.ts";
import { coverBy, type EncodePiece } from "./kinds/kind.ts";
import { scoreBpe } from "./kinds/score_bpe.ts";
import { table } from "./kinds/table.ts";
import { unigram } from "./kinds/unigram.ts";
import { wordpiece } from "./kinds/wordpiece.ts";
import { type Entries, Lookup } from "./lookup.ts";
import { normalizerStep } from "./normalizer.ts";
import { pretokenizerCut } from "./pretokenizer.ts";
import { replaceAll, replaceOne } from "./replace.ts";

/** Why an artifact gives no tokenizer: its class, a blob, or an op that is not registered. */
export interface TokenizerError {
  readonly error: "NotATokenizer" | "BadBlob" | "MissingBlob" | "UnknownKind" | "UnknownOp";
  readonly detail: string;
}

const utf8 = new TextEncoder();

/** What the blobs of a tokenizer hold; null for one that does not stand. */
export interface Contents {
  readonly vocabulary: Entries;
  readonly merges: blob.Merges | null;
  readonly scores: Float32Array | null;
  readonly replacements: blob.Replacements | null;
  readonly fallback: Uint32Array | null;
  readonly added: readonly AddedToken[];
}

/** Reads the blobs that stand; `blobs` gives the payload of `candidate.blobs[index]`. */
export function readBlobs(
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

/** Makes every part of encoding. */
export function buildPipeline(body: Body, contents: Contents): Pipeline | TokenizerError {
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
    replacements: replacements && replaceAll(replacements),
    normalizers: normalizers.filter((step) => step !== null),
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
