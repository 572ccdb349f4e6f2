/**
 * Input to state (Aschermann et al., REDQUEEN, 2019): where code compared `left` with `right`, an
 * input that holds `left` should hold `right` in that place. Every place is tried, once an entry.
 */
import { utf8 } from "../../corpus/writer/bytes.ts";
import type { Compared } from "./compare_log.ts";
import { encodeInteger, FORMS, putInteger } from "./integers.ts";

/** One change: `remove` bytes at `offset` become `put`; a resize is one at the end. */
export interface Edit {
  readonly offset: number;
  readonly remove: number;
  readonly put: Uint8Array;
}

/** Places of one value that are tried: a zero byte stands nearly everywhere. */
const MOST_PLACES = 16;

/** A bound is passed by its neighbours. */
const NEAR = [0, 1, -1] as const;

/**
 * The edits that the comparisons ask for: the first of each before the second of any, and those of
 * the latest comparison before others, for the last thing compared is what rejected.
 * @param limit length in bytes that an input may have
 * @param most edits that are given
 */
export function editsOf(
  input: Uint8Array,
  compared: readonly Compared[],
  limit: number,
  most: number,
): Edit[] {
  const places = new Places(input);
  const done = new Set<string>();
  const edits: Edit[] = [];
  /** takes one edit more of a comparison, and says whether there was one */
  const more = (one: Iterator<Edit>): boolean => {
    const { done, value } = one.next();
    if (!done && edits.length < most) edits.push(value);
    return !done;
  };
  let open: Iterator<Edit>[] = [];
  for (const { left, right } of compared.toReversed()) {
    if (edits.length === most) return edits;
    for (const [held, wanted] of [[left, right], [right, left]]) {
      const pair = `${typeof held} ${held} ${wanted}`;
      if (done.has(pair)) continue;
      done.add(pair);
      const one = typeof held === "string" || typeof wanted === "string"
        ? textEdits(places, String(held), String(wanted))
        : integerEdits(places, held, wanted, limit);
      if (more(one)) open.push(one);
    }
  }
  while (open.length > 0 && edits.length < most) open = open.filter(more);
  return edits;
}

function* textEdits(places: Places, held: string, wanted: string): Generator<Edit, void> {
  const find = utf8(held);
  const put = utf8(wanted);
  for (const offset of places.of(find)) yield { offset, remove: find.length, put };
}

function* integerEdits(
  places: Places,
  held: number | bigint,
  wanted: number | bigint,
  limit: number,
): Generator<Edit, void> {
  const { length } = places.input;
  if (held === length && wanted >= 0 && wanted <= limit) yield resize(length, Number(wanted));
  // where a wide form stands, a narrow one of the same end would make the same input
  const little = new Set<number>();
  const big = new Set<number>();
  for (const form of FORMS) {
    const find = SCRATCH[form.width];
    if (!putInteger(held, form, find)) continue;
    const offsets = places.of(find);
    if (offsets.length === 0) continue;
    const puts = NEAR.flatMap((step) =>
      encodeInteger(typeof wanted === "bigint" ? wanted + BigInt(step) : wanted + step, form) ?? []
    );
    const known = form.little ? little : big;
    for (const offset of offsets) {
      const end = form.little ? offset : offset + form.width;
      if (known.has(end)) continue;
      known.add(end);
      for (const put of puts) yield { offset, remove: put.length, put };
    }
  }
}

/** What is looked for, by width: nothing is held of it. */
const SCRATCH = {
  1: new Uint8Array(1),
  2: new Uint8Array(2),
  4: new Uint8Array(4),
  8: new Uint8Array(8),
} as const;

function resize(length: number, wanted: number): Edit {
  return wanted < length
    ? { offset: wanted, remove: length - wanted, put: new Uint8Array(0) }
    : { offset: length, remove: 0, put: new Uint8Array(wanted - length) };
}

/** Where values stand in an input: positions by their byte, so that a search reads few of them. */
class Places {
  readonly #start = new Int32Array(257);
  readonly #positions: Int32Array;

  constructor(readonly input: Uint8Array) {
    for (const byte of input) this.#start[byte + 1]++;
    for (let i = 0; i < 256; i++) this.#start[i + 1] += this.#start[i];
    this.#positions = new Int32Array(input.length);
    const next = this.#start.slice();
    for (let i = 0; i < input.length; i++) this.#positions[next[input[i]]++] = i;
  }

  /** The first places of `bytes`, at most `MOST_PLACES`. */
  of(bytes: Uint8Array): number[] {
    let rarest = 0;
    const count = (i: number) => this.#start[bytes[i] + 1] - this.#start[bytes[i]];
    for (let i = 1; i < bytes.length; i++) if (count(i) < count(rarest)) rarest = i;
    const found: number[] = [];
    const end = this.#start[bytes[rarest] + 1];
    for (let at = this.#start[bytes[rarest]]; at < end && found.length < MOST_PLACES; at++) {
      const offset = this.#positions[at] - rarest;
      if (offset >= 0 && this.#holds(offset, bytes)) found.push(offset);
    }
    return found;
  }

  #holds(offset: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) {
      if (this.input[offset + i] !== bytes[i]) return false;
    }
    return true;
  }
}

/** Writes `input` with `edit` done into `into`. @returns its length, or -1 where that is too small */
export function applyEdit(input: Uint8Array, edit: Edit, into: Uint8Array): number {
  const { offset, remove, put } = edit;
  const length = input.length - remove + put.length;
  if (length > into.length) return -1;
  into.set(input);
  into.copyWithin(offset + put.length, offset + remove, input.length);
  if (put.length > remove) into.set(input.subarray(offset + remove), offset + put.length);
  into.set(put, offset);
  return length;
}
