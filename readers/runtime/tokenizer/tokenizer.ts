/**
 * The tokenizer of a runtime (classes.md section 4): from an accepted artifact of class 4 to
 * something that encodes and decodes. No regular expression, no case mapping and no
 * normalisation of the engine ever sees text.
 */
import type { Candidate } from "../../contract.ts";
import { FLAG } from "./blobs.ts";
import { type Body, type EdgeToken, readBody } from "./body.ts";
import { decodeFilter, type Decoding } from "./decode.ts";
import { type EncodeError, encodeSegments, type Pipeline, type Segment } from "./encode.ts";
import { entry } from "./lookup.ts";
import { buildPipeline, type Contents, readBlobs, type TokenizerError } from "./pipeline.ts";
import { joined } from "./utf8.ts";

export type { EdgeToken } from "./body.ts";
export type { EncodeError, Segment } from "./encode.ts";
export type { TokenizerError } from "./pipeline.ts";

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
  /** The bytes of a token, to read only; RangeError where the id is not below vocabSize. */
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
    const filter = decodeFilter(decoding, !options.continues);
    return joined([filter.push(joined(Array.from(ids, bytesOf))), filter.end()]);
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
      // before ids become 32 bits wide, where a large one would be another
      const segment = segments.findIndex((one) =>
        one.sort === "token" && one.id >= body.vocab_size
      );
      if (segment >= 0) return { error: "NoSuchToken", segment, offset: 0 };
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
