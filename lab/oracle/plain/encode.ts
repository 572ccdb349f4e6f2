/** Encoding, step by step as classes.md section 4 says it ("Encoding"). */
import { KINDS, type Unit } from "./kinds.ts";
import { isSettled, normalized, split } from "./ops.ts";
import { type Added, bytesOf, type PlainParts, textOf } from "./parts.ts";

/**
 * The ids of a text; null: an encode error; "no opinion" of a text that grew long, or came to a code
 * point on which the engine's Unicode may differ from 16.0.0.
 */
export type PlainIds = readonly number[] | null | "no opinion";

/** Code units of the longest text that is encoded: some steps take the square of its length. */
const MOST = 512;

const judged = (text: string): boolean => text.length <= MOST && isSettled(text);

export interface PlainOptions {
  readonly special: boolean;
  readonly content: boolean;
}

/** The ids of a whole text. */
export function plainIds(
  parts: PlainParts,
  text: string,
  { special, content }: PlainOptions,
): PlainIds {
  if (!judged(text)) return "no opinion";
  const all: number[] = [];
  const { bos, eos } = parts;
  if (special && bos.auto) all.push(bos.id!);
  const raw = content ? [] : parts.added.filter((token) => !token.normalized);
  for (const stretch of stretches(text, raw)) {
    const ids = typeof stretch === "number" ? [stretch] : stretchIds(parts, stretch, content);
    if (ids === null || ids === "no opinion") return ids;
    all.push(...ids);
  }
  if (special && eos.auto) all.push(eos.id!);
  return all;
}

interface Stretch {
  readonly text: string;
  /** whether it begins the input */
  readonly first: boolean;
}

const isWord = (point: string | undefined): boolean =>
  point !== undefined && /^[\p{L}\p{N}_]$/u.test(point);

/** The added tokens in a text, and the stretches between them that are not empty. */
function stretches(text: string, tokens: readonly Added[]): (number | Stretch)[] {
  const points = Array.from(text);
  const isSpace = (at: number) => /^\p{White_Space}$/u.test(points[at] ?? "");
  const found: (number | Stretch)[] = [];
  let from = 0;
  const stretch = (from: number, to: number) => {
    if (from < to) found.push({ text: points.slice(from, to).join(""), first: from === 0 });
  };
  for (let at = 0; at < points.length;) {
    const token = tokens
      .filter((one) => {
        const length = Array.from(one.text).length;
        return points.slice(at, at + length).join("") === one.text &&
          !(one.singleWord && (isWord(points[at - 1]) || isWord(points[at + length])));
      })
      .sort((a, b) => Array.from(b.text).length - Array.from(a.text).length || a.id - b.id)
      .at(0);
    if (token === undefined) {
      at++;
      continue;
    }
    let before = at;
    while (token.leftStrip && before > from && isSpace(before - 1)) before--;
    stretch(from, before);
    found.push(token.id);
    at += Array.from(token.text).length;
    while (token.rightStrip && isSpace(at)) at++;
    from = at;
  }
  stretch(from, points.length);
  return found;
}

function stretchIds(parts: PlainParts, { text: raw, first }: Stretch, content: boolean): PlainIds {
  const bytes = BigInt(bytesOf(raw).length);
  const isOver = (text: string) => BigInt(bytesOf(text).length) > parts.max_expansion * bytes;

  let text = raw;
  if (first && parts.added_prefix_space) text = ` ${text}`; // 1
  if (isOver(text)) return null;

  const replaced = textOf(replacedBytes(bytesOf(text), parts.replacements)); // 2
  if (replaced === null || isOver(replaced)) return null;
  text = replaced;

  for (const op of parts.normalizer) { // 3
    if (!judged(text)) return "no opinion";
    text = normalized(text, op, first);
    if (isOver(text)) return null; // "each has a declared worst expansion": not the last one alone
  }
  if (!judged(text)) return "no opinion";

  const late = content ? [] : parts.added.filter((token) => token.normalized);
  const marked = stretches(text, late).map((stretch) =>
    // 4
    typeof stretch === "number" ? stretch : withMarker(parts, stretch.text)
  );
  const texts = marked.filter((one) => typeof one === "string").join("");
  if (isOver(texts)) return null;
  if (!judged(texts)) return "no opinion";

  const all: number[] = [];
  for (const part of marked) {
    const ids = typeof part === "number" ? [part] : restIds(parts, part);
    if (ids === null) return null;
    all.push(...ids);
  }
  return all;
}

const withMarker = ({ kind, space_marker }: PlainParts, text: string): string =>
  space_marker === null || kind === "wordpiece/1" ? text : text.split(" ").join(space_marker);

/** Step 2: leftmost-longest, the output not read again. */
function replacedBytes(bytes: string, pairs: PlainParts["replacements"]): string {
  let output = "";
  for (let at = 0; at < bytes.length;) {
    const [source, target] = pairs
      .filter(([source]) => bytes.startsWith(source, at))
      .sort(([a], [b]) => b.length - a.length)
      .at(0) ?? [bytes[at], bytes[at]];
    output += target;
    at += source.length;
  }
  return output;
}

/** Steps 5 and 6. */
function restIds(parts: PlainParts, text: string): number[] | null {
  let pieces = [text];
  for (const op of parts.pretokenizer) pieces = pieces.flatMap((piece) => split(piece, op)); // 5
  const all: number[] = [];
  for (const unit of pieces.flatMap((piece) => KINDS[parts.kind](parts, piece))) { // 6
    const ids = typeof unit === "number" ? [unit] : coveredIds(parts, unit);
    if (ids === null) return null;
    all.push(...ids);
  }
  return all;
}

/** What stands for a unit that the kind cannot cover. */
function coveredIds(parts: PlainParts, unit: Unit & string): number[] | null {
  const { kind, byte_fallback, fallback, unknown: { id, policy } } = parts;
  const bytes = () => Array.from(unit, (byte) => fallback[byte.charCodeAt(0)]);
  if (kind === "score-bpe/1" && byte_fallback) return bytes(); // Decisions 6
  switch (policy) {
    case "reject":
      return null;
    case "token":
      return [id!];
    case "bytes":
      return bytes();
  }
}
