/** Encoding (classes.md section 4): added tokens, then steps 1 to 6 on each stretch. */
import type { Split } from "./added.ts";
import type { EncodePiece, Ids } from "./kinds/kind.ts";
import type { Cut } from "./pretokenizer.ts";
import type { Step } from "./replace.ts";
import { Sink } from "./sink.ts";
import { type IllFormed, illFormedAt, joined, utf8Of } from "./utf8.ts";

/**
 * Why a text has no ids. `offset` is in UTF-16 units for LoneSurrogate, else in bytes; for
 * Expansion (max_expansion passed), TooLarge (this runtime's own bound passed), BadReplacement (the
 * normalizer blob made what is no UTF-8) and Uncovered (policy `reject`) it is that of the stretch.
 * `segment` counts from 0.
 */
export interface EncodeError {
  readonly error:
    | IllFormed["error"]
    | "Expansion"
    | "TooLarge"
    | "BadReplacement"
    | "Uncovered"
    /** a template emits a token that the vocabulary does not have */
    | "NoSuchToken";
  readonly segment: number;
  readonly offset: number;
}

/**
 * A part of a template's output (classes.md section 5), in which added tokens are found only
 * in literals; or a token.
 */
export type Segment =
  | { readonly sort: "literal" | "content"; readonly text: string | Uint8Array }
  | { readonly sort: "token"; readonly id: number };

/** The parts of a tokenizer that encoding goes through, in this order. */
export interface Pipeline {
  readonly rawTokens: Split;
  /** step 1 */
  readonly prefixSpace: boolean;
  /** step 2 */
  readonly replacements: Step | null;
  /** step 3 */
  readonly normalizers: readonly Step[];
  readonly maxExpansion: number;
  readonly normalizedTokens: Split;
  /** step 4 */
  readonly marker: Step | null;
  /** step 5 */
  readonly cuts: readonly Cut[];
  /** step 6 */
  readonly kind: EncodePiece;
}

type Fault = Exclude<EncodeError["error"], IllFormed["error"]>;

/**
 * What a stretch may grow to whatever max_expansion allows: the greater of bytes and times. Pieces and
 * ids of it take tens of times as much.
 */
const MOST_NORMALIZED = { bytes: 1 << 20, times: 16 } as const;

/**
 * The ids of segments, neighbours of one sort joined. Only the first begins the input.
 * Near-linear in the text for the BPE kinds and wordpiece; for unigram and table times the
 * longest entry at worst.
 */
export function encodeSegments(
  pipeline: Pipeline,
  segments: readonly Segment[],
): Ids | EncodeError {
  const ids: Ids = [];
  for (let first = 0; first < segments.length;) {
    const segment = segments[first];
    if (segment.sort === "token") {
      ids.push(segment.id);
      first++;
      continue;
    }
    const texts: Uint8Array[] = [];
    let next = first;
    for (let same = segments[next]; same?.sort === segment.sort; same = segments[++next]) {
      const bytes = utf8Of(same.text);
      if (!(bytes instanceof Uint8Array)) return { ...bytes, segment: next };
      texts.push(bytes);
    }
    const error = encodeText(pipeline, joined(texts), segment.sort === "literal", first === 0, ids);
    if (error !== null) return { ...error, segment: first };
    first = next;
  }
  return ids;
}

function encodeText(
  pipeline: Pipeline,
  text: Uint8Array,
  added: boolean,
  begins: boolean,
  ids: Ids,
): { error: Fault; offset: number } | null {
  const parts = added ? pipeline.rawTokens(text) : whole(text);
  for (const { token, start, end } of parts) {
    if (token !== null) {
      ids.push(token);
      continue;
    }
    const stretch = partOf(text, start, end);
    const error = encodeStretch(pipeline, stretch, added, begins && start === 0, ids);
    if (error !== null) return { error, offset: start };
  }
  return null;
}

const whole: Split = (text) => text.length > 0 ? [{ token: null, start: 0, end: text.length }] : [];

/** A view of `text[start .. end)`; mostly that is all of it, and then it is no new one. */
const partOf = (text: Uint8Array, start: number, end: number): Uint8Array =>
  end - start === text.length ? text : text.subarray(start, end);

const SPACE = Uint8Array.of(0x20);

const putSpace: Step = (text, out) => {
  out.append(SPACE);
  out.append(text);
};

function encodeStretch(
  pipeline: Pipeline,
  stretch: Uint8Array,
  added: boolean,
  begins: boolean,
  ids: Ids,
): Fault | null {
  const allowed = stretch.length * pipeline.maxExpansion;
  const most = Math.max(MOST_NORMALIZED.bytes, MOST_NORMALIZED.times * stretch.length);
  const limit = Math.min(allowed, most);
  const passed = allowed > most ? "TooLarge" : "Expansion";
  const apply = (step: Step, text: Uint8Array): Uint8Array | null => {
    const out = new Sink(limit, text.length);
    step(text, out, begins);
    return out.take();
  };

  const { prefixSpace, replacements, normalizers, marker } = pipeline;
  let text: Uint8Array | null = stretch;
  if (begins && prefixSpace) text = apply(putSpace, text);
  if (text !== null && replacements !== null) {
    text = apply(replacements, text);
    if (text !== null && illFormedAt(text) >= 0) return "BadReplacement";
  }
  for (const step of normalizers) text &&= apply(step, text);
  if (text === null) return passed;

  let total = 0;
  for (const { token, start, end } of added ? pipeline.normalizedTokens(text) : whole(text)) {
    if (token !== null) {
      ids.push(token);
      continue;
    }
    const rest = partOf(text, start, end);
    const marked = marker === null ? rest : apply(marker, rest);
    if (marked === null || (total += marked.length) > limit) return passed;
    if (!encodeRest(pipeline, marked, ids)) return "Uncovered";
  }
  return null;
}

/** Steps 5 and 6. There may be thousands of ops, so that each goes over all pieces in turn. */
function encodeRest({ cuts, kind }: Pipeline, text: Uint8Array, ids: Ids): boolean {
  let bounds = [0, text.length];
  for (const cut of cuts) {
    const next: number[] = [];
    for (let i = 0; i < bounds.length; i += 2) {
      cut(text, bounds[i], bounds[i + 1], (start, end) => next.push(start, end));
    }
    bounds = next;
  }
  for (let i = 0; i < bounds.length; i += 2) {
    if (bounds[i] === bounds[i + 1]) continue;
    if (!kind(partOf(text, bounds[i], bounds[i + 1]), ids)) return false;
  }
  return true;
}
