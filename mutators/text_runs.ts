/**
 * Text that goes through the tables of Unicode row by row, as the engine's own tables have them:
 * what it takes for normal, the readers' pinned tables (section 5, Unicode 16.0.0) must too, or
 * both refuse.
 */
import type { Random } from "./random.ts";

/** Planes 0 to 2 but for Hangul syllables, which a rule makes, and surrogates. */
const RANGES = [[0xa0, 0xabff], [0xd7b0, 0xd7ff], [0xf900, 0x2ffff]] as const;

/** Marks of the classes 1, 220 and 230: what is ordered against each shows its own class. */
const ORDERED_AGAINST = ["\u0334", "\u0323", "\u0301"];
const MOST = 48;

/**
 * What Hangul's arithmetic (Unicode 3.12) begins and ends with, and its neighbours on either side:
 * leads, vowels, tails, and syllables with and without a tail.
 */
const HANGUL = [
  ...["\u10ff", "\u1100", "\u1112", "\u1113", "\u1160", "\u1161", "\u1175", "\u1176"],
  ...["\u11a7", "\u11a8", "\u11c2", "\u11c3"],
  ...["\uac00", "\uac01", "\uac1b", "\uac1c", "\ud788", "\ud7a3", "\ud7b0"],
];

interface Tables {
  /** composed characters that stay so */
  readonly composites: readonly string[];
  /** what has a decomposition for good */
  readonly excluded: readonly string[];
  readonly marks: readonly string[];
  /** first and last of every run of assigned code points, and their neighbours */
  readonly borders: readonly string[];
}

let tables: Tables | null = null;

/** One pass over the engine's tables, made when first asked for. */
function tablesOf(): Tables {
  if (tables) return tables;
  const composites: string[] = [], excluded: string[] = [], marks: string[] = [];
  const borders: string[] = [];
  const assigned = /^[\p{Assigned}\p{Private_Use}]$/u, mark = /^\p{M}$/u;
  for (const [first, last] of RANGES) {
    let before = true;
    for (let code = first; code <= last; code++) {
      const c = String.fromCodePoint(code);
      const is = assigned.test(c);
      if (is !== before) borders.push(String.fromCodePoint(code - 1), c);
      before = is;
      if (!is) continue;
      if (c.normalize("NFC") !== c) excluded.push(c);
      else if (c.normalize("NFD") !== c) composites.push(c);
      if (mark.test(c)) marks.push(c);
    }
  }
  return tables = { composites, excluded, marks, borders };
}

/** Neighbouring rows of one table, as normal text. */
export function textRun(random: Random): string {
  const { composites, excluded, marks, borders } = tablesOf();
  const table = random.pick([composites, composites, marks, marks, excluded, borders, null]);
  if (table === null) return sequences(random);
  const from = random.below(table.length);
  const rows = table.slice(from, from + random.between(1, MOST));
  // a text with two of these is refused for the first
  if (table === borders || table === excluded && random.oneIn(2)) return random.pick(rows);
  const against = table === marks ? random.pick(ORDERED_AGAINST) : "";
  return rows.map((row) => `a${row}${against}`).join("").normalize("NFC");
}

/**
 * Short sequences, as normal text, of what composition has rules for: what composes with which
 * neighbour, what stands between and blocks it, what only looks as if it did.
 */
function sequences(random: Random): string {
  const { composites, marks } = tablesOf();
  const part = () => random.pick([...random.pick(composites).normalize("NFD")]);
  const next = random.oneIn(2)
    ? () => random.pick(HANGUL)
    : () => random.oneIn(2) ? part() : random.pick(marks);
  const row = () => Array.from({ length: random.between(2, 4) }, next).join("");
  return Array.from({ length: random.between(1, MOST) }, row).join("a").normalize("NFC");
}

/** A text with one of its characters decomposed, where one can be. */
export function decomposed(text: string, random: Random): string {
  const characters = [...text];
  const whole = characters.flatMap((c, i) => c.normalize("NFD") === c ? [] : [i]);
  if (whole.length === 0) return text;
  const i = random.pick(whole);
  characters[i] = characters[i].normalize("NFD");
  return characters.join("");
}
