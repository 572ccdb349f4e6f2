/**
 * How each kind encodes one piece (classes.md section 4, "How a kind encodes"). All over byte
 * strings; what a kind cannot cover comes back as the bytes of its least unit.
 */
import { bytesOf, type PlainParts } from "./parts.ts";

/** A token, or the bytes of a unit that has none. */
export type Unit = number | string;

export type Kind = (parts: PlainParts, piece: string) => Unit[];

/** `byte-level-bpe/1` */
function byteLevel({ ids, merges }: PlainParts, piece: string): Unit[] {
  let units: Unit[] = Array.from(bytesOf(piece), (byte) => ids.get(byte) ?? byte);
  const mergeAt = (at: number) => {
    const [left, right] = [units[at], units[at + 1]];
    if (typeof left !== "number" || typeof right !== "number") return undefined;
    return merges.get(`${left} ${right}`);
  };
  while (true) {
    let least = Infinity;
    units.forEach((_, at) => least = Math.min(least, mergeAt(at)?.rank ?? Infinity));
    if (least === Infinity) return units;
    const next: Unit[] = [];
    for (let at = 0; at < units.length; at++) {
      const merge = mergeAt(at);
      if (merge?.rank === least) {
        next.push(merge.result);
        at++;
      } else next.push(units[at]);
    }
    units = next;
  }
}

/** `score-bpe/1` */
function scored({ ids, scores }: PlainParts, piece: string): Unit[] {
  const units = Array.from(piece, bytesOf);
  const isToken = units.map((bytes) => ids.has(bytes));
  while (true) {
    let best = -1, most = -Infinity;
    for (let at = 0; at + 1 < units.length; at++) {
      const id = isToken[at] && isToken[at + 1] ? ids.get(units[at] + units[at + 1]) : undefined;
      if (id !== undefined && scores[id] > most) [best, most] = [at, scores[id]];
    }
    if (best < 0) return units.map((bytes) => ids.get(bytes) ?? bytes);
    units.splice(best, 2, units[best] + units[best + 1]);
    isToken.splice(best, 2, true);
  }
}

/** `unigram/1` */
function unigram({ ids, scores, longest }: PlainParts, text: string): Unit[] {
  const piece = bytesOf(text);
  const uncovered = Math.fround(Math.min(...scores) - 10);
  /** of each byte position that can be reached: the best way to it */
  const ways: ({ sum: number; from: number; unit: Unit } | undefined)[] = [
    { sum: 0, from: 0, unit: "" },
  ];
  const starts = new Map<number, string>();
  let start = 0;
  for (const point of Array.from(text, bytesOf)) {
    starts.set(start, point);
    start += point.length;
  }
  for (let end = 1; end <= piece.length; end++) {
    // the longest last token first, so that an equal sum keeps it
    for (let from = Math.max(0, end - Math.max(longest, 4)); from < end; from++) {
      const before = ways[from];
      if (before === undefined) continue;
      const bytes = piece.slice(from, end);
      const id = ids.get(bytes);
      if (id === undefined && starts.get(from) !== bytes) continue;
      const sum = Math.fround(before.sum + (id === undefined ? uncovered : scores[id]));
      const best = ways[end];
      if (best === undefined || sum > best.sum) ways[end] = { sum, from, unit: id ?? bytes };
    }
  }
  const units: Unit[] = [];
  for (let end = piece.length; end > 0;) {
    const { from, unit } = ways[end]!;
    units.unshift(unit);
    end = from;
  }
  return units;
}

/** The longest token at a place of a byte string, at least one byte. */
function longestAt({ ids, longest }: PlainParts, bytes: string, at: number) {
  for (let end = Math.min(bytes.length, at + longest); end > at; end--) {
    const id = ids.get(bytes.slice(at, end));
    if (id !== undefined) return { id, end };
  }
  return null;
}

/** `wordpiece/1` */
function wordpiece(parts: PlainParts, piece: string): Unit[] {
  const uncovered = [bytesOf(piece)];
  if (Array.from(piece).length > 100) return uncovered;
  const word = bytesOf((parts.space_marker ?? "") + piece);
  const units: Unit[] = [];
  for (let at = 0; at < word.length;) {
    const found = longestAt(parts, word, at);
    if (found === null) return uncovered;
    units.push(found.id);
    at = found.end;
  }
  return units;
}

/** `table/1` */
function table(parts: PlainParts, piece: string): Unit[] {
  const bytes = bytesOf(piece);
  const units: Unit[] = [];
  for (let at = 0; at < bytes.length;) {
    const { id, end } = longestAt(parts, bytes, at) ?? { id: bytes[at], end: at + 1 };
    units.push(id);
    at = end;
  }
  return units;
}

export const KINDS: { readonly [kind: string]: Kind } = {
  "byte-level-bpe/1": byteLevel,
  "score-bpe/1": scored,
  "unigram/1": unigram,
  "wordpiece/1": wordpiece,
  "table/1": table,
};
