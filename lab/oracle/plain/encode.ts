/** Encoding, step by step as classes.md section 4 says it ("Encoding"). */
import { KINDS, type Unit } from "./kinds.ts";
import { isSettled, normalized, split } from "./ops.ts";
import { type Added, bytesOf, type PlainParts, textOf } from "./parts.ts";

/**
 * The ids of a text; null: an encode error; "unsettled": a code point on which the engine's Unicode
 * may differ from 16.0.0, so that this has no opinion.
 */
export type PlainIds = readonly number[] | null | "unsettled";

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
  if (!isSettled(text)) return "unsettled";
  const all: number[] = [];
  const { bos, eos } = parts;
  if (special && bos.auto) all.push(bos.id!);
  const raw = content ? [] : parts.added.filter((token) => !token.normalized);
  for (const stretch of stretches(text, raw)) {
    const ids = typeof stretch === "number" ? [stretch] : stretchIds(parts, stretch, content);
    if (ids === null || ids === "unsettled") return ids;
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
  const stretch = (from: number, to: number) => {
    if (from < to) found.push({ text: points.slice(from, to).join(""), first: from === 0 });
  };
  let from = 0;
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
    if (!isSettled(text)) return "unsettled";
    text = normalized(text, op, first);
  }
  if (isOver(text)) return null;
  if (!isSettled(text)) return "unsettled";

  const all: number[] = [];
  const late = content ? [] : parts.added.filter((token) => token.normalized);
  for (const stretch of stretches(text, late)) {
    const ids = typeof stretch === "number" ? [stretch] : pieceIds(parts, stretch.text, isOver);
    if (ids === null || ids === "unsettled") return ids;
    all.push(...ids);
  }
  return all;
}

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

/** Steps 4 to 6. */
function pieceIds(parts: PlainParts, text: string, isOver: (text: string) => boolean): PlainIds {
  const { kind, space_marker } = parts;
  let pieces = [
    space_marker === null || kind === "wordpiece/1" ? text : text.split(" ").join(space_marker), // 4
  ];
  if (isOver(pieces[0])) return null;
  if (!isSettled(pieces[0])) return "unsettled";
  for (const op of parts.pretokenizer) pieces = pieces.flatMap((piece) => split(piece, op)); // 5
  const all: number[] = [];
  for (const unit of pieces.flatMap((piece) => KINDS[kind](parts, piece))) { // 6
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
