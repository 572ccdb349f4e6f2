/** Encoding (classes.md section 4): added tokens, then steps 1 to 6 on each stretch. */
import type { Split } from "./added.ts";
import type { EncodePiece, Ids } from "./kinds/kind.ts";
import type { Cut } from "./pretokenizer.ts";
import type { Step } from "./replace.ts";
import { Sink } from "./sink.ts";
import { type IllFormed, illFormedAt, utf8Of } from "./utf8.ts";

/**
 * Why a text has no ids. `offset` is in UTF-16 units for LoneSurrogate, else in bytes; for
 * Expansion (max_expansion passed), Uncovered (policy `reject`) and BadReplacement (the
 * normalizer blob made what is no UTF-8) it is that of the stretch. `segment` counts from 0.
 */
export interface EncodeError {
  readonly error: IllFormed["error"] | "Expansion" | "Uncovered" | "BadReplacement";
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
  /** steps 2 and 3 */
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
    const error = encodeText(pipeline, join(texts), segment.sort === "literal", first === 0, ids);
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
    const stretch = text.subarray(start, end);
    const error = encodeStretch(pipeline, stretch, added, begins && start === 0, ids);
    if (error !== null) return { error, offset: start };
  }
  return null;
}

const whole: Split = (text) => text.length > 0 ? [{ token: null, start: 0, end: text.length }] : [];

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
  const limit = stretch.length * pipeline.maxExpansion;
  const apply = (step: Step, text: Uint8Array): Uint8Array | null => {
    const out = new Sink(limit, text.length);
    step(text, out, begins);
    return out.take();
  };

  let text: Uint8Array | null = stretch;
  if (begins && pipeline.prefixSpace) text = apply(putSpace, text);
  for (const step of pipeline.normalizers) {
    if (text === null) return "Expansion";
    text = apply(step, text);
    if (text !== null && illFormedAt(text) >= 0) return "BadReplacement";
  }
  if (text === null) return "Expansion";

  let marked = 0;
  for (const { token, start, end } of added ? pipeline.normalizedTokens(text) : whole(text)) {
    if (token !== null) {
      ids.push(token);
      continue;
    }
    let rest: Uint8Array | null = text.subarray(start, end);
    if (pipeline.marker !== null) rest = apply(pipeline.marker, rest);
    if (rest === null || (marked += rest.length) > limit) return "Expansion";
    if (!encodeRest(pipeline, rest, ids)) return "Uncovered";
  }
  return null;
}

/** Steps 5 and 6. */
function encodeRest({ cuts, kind }: Pipeline, text: Uint8Array, ids: Ids): boolean {
  let covered = true;
  const cutFrom = (depth: number, start: number, end: number): void => {
    if (!covered) return;
    if (depth < cuts.length) {
      cuts[depth](text, start, end, (from, to) => cutFrom(depth + 1, from, to));
    } else if (start < end) covered = kind(text.subarray(start, end), ids);
  };
  cutFrom(0, 0, text.length);
  return covered;
}

function join(texts: readonly Uint8Array[]): Uint8Array {
  if (texts.length === 1) return texts[0];
  const joined = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  let at = 0;
  for (const text of texts) {
    joined.set(text, at);
    at += text.length;
  }
  return joined;
}
