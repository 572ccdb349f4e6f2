/** Tokenizer artifacts (class 4, classes.md section 4) from vocabulary, scores, merges and ids. */
import type { TokenizerBody } from "../bodies.ts";
import { compare, concat, join, u16, u32, utf8 } from "../bytes.ts";
import type { BlobDescription, Description } from "../description.ts";

/** Flags of an added token. */
export const ADDED = {
  special: 1,
  single_word: 2,
  left_strip: 4,
  right_strip: 8,
  normalized: 16,
} as const;

/** What a tokenizer is made of; each part that is given becomes its blob. */
export interface TokenizerParts {
  /** an entry an id; a text stands for its UTF-8 */
  readonly vocabulary: readonly (Uint8Array | string)[];
  /** in rank order */
  readonly merges?: readonly (readonly [left: number, right: number, result: number])[];
  /** a finite f32 an id */
  readonly scores?: ArrayLike<number>;
  /** replacements of the kind 4 blob, in any order */
  readonly normalizer?: readonly (readonly [source: string, replacement: string])[];
  /** the id of each of the 256 bytes */
  readonly byte_fallback?: ArrayLike<number>;
  /** in any order */
  readonly added_tokens?: readonly { readonly id: number; readonly flags: number }[];
}

/** What a body need not say. */
const DEFAULTS = {
  added_prefix_space: false,
  bos: { auto: false, id: null },
  decoder: [],
  eos: { auto: false, id: null },
  max_expansion: 4,
  normalizer: [],
  pretokenizer: [],
  roles: {},
  space_marker: null,
  stop_bytes: [],
  stop_tokens: [],
  unknown: { id: null, policy: "reject" },
} as const;

/**
 * Describes a tokenizer. Absent fields of `body` are neutral: nothing added, nothing normalised,
 * what is not covered rejected; `byte_fallback` follows from the parts.
 */
export function tokenizer(
  parts: TokenizerParts,
  body: Pick<TokenizerBody, "kind"> & Partial<TokenizerBody>,
): Description & { readonly body: TokenizerBody } {
  const blobs: [kind: number, name: string, payload: Uint8Array | undefined][] = [
    [1, "vocabulary", vocabularyTable(parts.vocabulary)],
    [2, "merges", parts.merges && u32Table(parts.merges.length, parts.merges.flat())],
    [3, "scores", parts.scores && scoresTable(parts.scores)],
    [4, "normalizer", parts.normalizer && normalizerTable(parts.normalizer)],
    [5, "byte-fallback", parts.byte_fallback && join(Array.from(parts.byte_fallback, u32))],
    [6, "added-tokens", parts.added_tokens && addedTokensTable(parts.added_tokens)],
  ];
  return {
    artifact_class: 4,
    body: {
      ...DEFAULTS,
      byte_fallback: parts.byte_fallback !== undefined,
      vocab_size: parts.vocabulary.length,
      ...body,
    },
    blobs: blobs.flatMap(([kind, name, payload]): BlobDescription[] =>
      payload ? [{ kind, name, media_type: "application/slm2-table", payload }] : []
    ),
  };
}

/** u32 count, u32 offsets[count + 1], bytes: kind 1, and kind 64 of a retrieval index. */
export function vocabularyTable(entries: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = entries.map((entry) => typeof entry === "string" ? utf8(entry) : entry);
  let end = 0;
  const offsets = [u32(0), ...bytes.map(({ length }) => u32(end += length))];
  return join([u32(bytes.length), ...offsets, ...bytes]);
}

const u32Table = (count: number, numbers: readonly number[]): Uint8Array =>
  join([u32(count), ...numbers.map(u32)]);

function scoresTable(scores: ArrayLike<number>): Uint8Array {
  const table = new Uint8Array(4 + 4 * scores.length);
  const view = new DataView(table.buffer);
  view.setUint32(0, scores.length, true);
  for (let id = 0; id < scores.length; id++) view.setFloat32(4 + 4 * id, scores[id], true);
  return table;
}

function normalizerTable(pairs: readonly (readonly [string, string])[]): Uint8Array {
  const encoded = pairs.map(([source, replacement]) => [utf8(source), utf8(replacement)])
    .sort(([a], [b]) => compare(a, b));
  return join([
    u32(pairs.length),
    ...encoded.flat().map((text) => concat(u16(text.length), text)),
  ]);
}

function addedTokensTable(tokens: readonly { id: number; flags: number }[]): Uint8Array {
  const sorted = [...tokens].sort((a, b) => a.id - b.id);
  return join([
    u32(tokens.length),
    ...sorted.map(({ id, flags }) => concat(u32(id), new Uint8Array([flags]))),
  ]);
}
