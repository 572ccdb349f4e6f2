/** What stands inside blobs (classes.md sections 4, 5, 7, 9 and 10). */
import { BLOB } from "../corpus/writer/fields.ts";
import { type Entry, layOut, parse, setObject } from "./artifact.ts";
import { getU16, getU32, putU32, splice } from "./bytes.ts";
import { perturb } from "./integers.ts";
import type { Mutator } from "./mutator.ts";
import { anyCodePoint, oddText } from "./odd_texts.ts";
import type { Random } from "./random.ts";

const VOCABULARY = 1, MERGES = 2, SCORES = 3, NORMALIZER = 4, BYTE_FALLBACK = 5, ADDED_TOKENS = 6;
const DOCUMENTS = 64;

/** Tables of rows: bytes before the first row, and bytes a row. */
const ROWS = new Map([[MERGES, [4, 12]], [SCORES, [4, 4]], [BYTE_FALLBACK, [0, 4]], [ADDED_TOKENS, [
  4,
  5,
]], [32, [0, 32]]]);

/** A mutator of one blob, of the given kinds where there are any; its lengths follow. */
const onBlob = (
  name: string,
  reason: string,
  kinds: readonly number[],
  change: (object: Uint8Array, random: Random, kind: number) => Uint8Array | null,
): Mutator => ({
  name,
  reason,
  mutate(input, random) {
    const artifact = parse(input);
    const kindOf = ({ record }: Entry) => getU16(record, BLOB.blob_kind[0]);
    const fitting = artifact.blobs.filter((one) =>
      kinds.length === 0 || kinds.includes(kindOf(one))
    );
    if (fitting.length === 0) return null;
    const entry = random.pick(fitting);
    const changed = change(entry.object, random, kindOf(entry));
    if (changed === null) return null;
    setObject(entry, "blob", changed);
    return layOut(artifact);
  },
});

/** Row `i` of a table with `lead` bytes before it. */
const rowAt = (lead: number, size: number, i: number) => lead + size * i;

export const blobs: readonly Mutator[] = [
  onBlob(
    "blob-word",
    "each u32 of a table: counts, offsets, ids, at their borders",
    [],
    (object, random) => {
      if (object.length < 4) return null;
      perturb(object, 4 * random.below(Math.floor(object.length / 4)), 4, random);
      return object;
    },
  ),
  onBlob(
    "blob-count",
    "a count one off, with or without the row that it counts",
    [],
    (object, random) => {
      if (object.length < 4) return null;
      putU32(object, 0, Math.max(0, getU32(object, 0) + random.pick([1, -1])));
      return random.oneIn(2)
        ? splice(object, object.length, 0, random.bytes(random.pick([1, 4, 5, 12])))
        : object;
    },
  ),
  onBlob(
    "blob-rows",
    "rows repeated, swapped, missing, equal in part",
    [...ROWS.keys()],
    (object, random, kind) => {
      const [lead, size] = ROWS.get(kind)!;
      const count = Math.floor((object.length - lead) / size);
      if (count < 1) return null;
      const from = rowAt(lead, size, random.below(count)),
        to = rowAt(lead, size, random.below(count));
      const row = object.slice(from, from + size);
      const setCount = (table: Uint8Array, more: number) => {
        if (lead === 4) putU32(table, 0, count + more);
        return table;
      };
      switch (random.below(4)) {
        case 0:
          object.copyWithin(from, to, to + size);
          object.set(row, to);
          return object;
        case 1:
          return setCount(splice(object, random.oneIn(2) ? from + size : to, 0, row), 1);
        case 2:
          return setCount(splice(object, from, size, new Uint8Array(0)), -1);
        default: {
          const part = 4 * random.below(Math.max(1, Math.floor(size / 4)));
          object.copyWithin(to + part, from + part, from + Math.min(size, part + 4));
          return object;
        }
      }
    },
  ),
  onBlob(
    "blob-offsets",
    "offsets of a vocabulary or of documents: not from 0, decreasing, beyond the end",
    [VOCABULARY, DOCUMENTS],
    (object, random) => {
      const count = getU32(object, 0);
      if (object.length < 8 + 4 * count) return null;
      const at = 4 + 4 * random.pick([0, count, random.below(count + 1)]);
      putU32(
        object,
        at,
        Math.max(0, getU32(object, at) + random.pick([1, -1, 2, 100, -100, 2 ** 31])),
      );
      return object;
    },
  ),
  onBlob(
    "blob-entry",
    "an entry's bytes, and its equal: merges, fallback and lookup hang on them",
    [VOCABULARY, DOCUMENTS],
    (object, random) => {
      const count = getU32(object, 0), first = 8 + 4 * count;
      if (object.length <= first) return null;
      object[first + random.below(object.length - first)] = random.oneIn(2)
        ? random.u32()
        : random.pick([0, 0x61, 0xc3, 0xff]);
      return object;
    },
  ),
  onBlob(
    "blob-entry-size",
    "an entry one byte longer or shorter, the offsets behind it following",
    [VOCABULARY, DOCUMENTS],
    (object, random) => {
      const count = getU32(object, 0), first = 8 + 4 * count;
      if (count < 1 || object.length < first) return null;
      const entry = random.oneIn(4) ? count - 1 : random.below(count);
      const from = getU32(object, 4 + 4 * entry), to = getU32(object, 8 + 4 * entry);
      const grows = to <= from || random.oneIn(2);
      const changed = grows
        ? splice(object, first + to, 0, random.bytes(1))
        : splice(object, first + to - 1, 1, new Uint8Array(0));
      for (let i = entry + 1; i <= count; i++) {
        putU32(changed, 4 + 4 * i, getU32(changed, 4 + 4 * i) + (grows ? 1 : -1));
      }
      return changed;
    },
  ),
  onBlob(
    "blob-border",
    "a border between entries inside a character: each is UTF-8 of its own, not all together",
    [VOCABULARY, DOCUMENTS],
    (object, random) => {
      const count = getU32(object, 0), first = 8 + 4 * count;
      if (count < 2 || object.length < first) return null;
      const inner = random.between(1, count - 1);
      const border = getU32(object, 4 + 4 * inner);
      const character = anyCodePoint(random);
      if (character.length < 2 || first + border > object.length) return null;
      const changed = splice(object, first + border, 0, character);
      for (let i = inner; i <= count; i++) {
        const more = i === inner ? random.between(1, character.length - 1) : character.length;
        putU32(changed, 4 + 4 * i, getU32(changed, 4 + 4 * i) + more);
      }
      return changed;
    },
  ),
  onBlob("blob-score", "scores that are no finite number", [SCORES], (object, random) => {
    const count = Math.floor(object.length / 4) - 1;
    if (count < 1) return null;
    const bits = random.pick([
      0x7f800000,
      0xff800000,
      0x7fc00000,
      0x7f800001,
      0x7f7fffff,
      0x80000000,
      1,
    ]);
    putU32(object, 4 + 4 * random.below(count), bits);
    return object;
  }),
  onBlob(
    "blob-pairs",
    "a normalizer table with a source that is empty, repeated, out of order or cut",
    [NORMALIZER],
    (object, random) => {
      const pairs: Uint8Array[] = [];
      let at = 4;
      while (at + 2 <= object.length && pairs.length < 64) {
        const middle = at + 2 + getU16(object, at);
        if (middle + 2 > object.length) break;
        const end = middle + 2 + getU16(object, middle);
        pairs.push(object.slice(at, end));
        at = end;
      }
      if (pairs.length === 0) return null;
      const i = random.below(pairs.length), j = random.below(pairs.length);
      switch (random.below(5)) {
        case 0:
          pairs.splice(j, 0, pairs[i]);
          break;
        case 1:
          [pairs[i], pairs[j]] = [pairs[j], pairs[i]];
          break;
        case 2:
          pairs.splice(random.oneIn(2) ? 0 : i, 0, Uint8Array.of(0, 0, 1, 0, 0x61));
          break;
        case 3:
          pairs[i] = pairs[i].slice(0, -1);
          break;
        default:
          perturb(pairs[i], 0, 2, random);
      }
      const size = pairs.reduce((sum, one) => sum + one.length, 4);
      const table = new Uint8Array(size);
      putU32(table, 0, pairs.length);
      let to = 4;
      for (const pair of pairs) {
        table.set(pair, to);
        to += pair.length;
      }
      return table;
    },
  ),
  onBlob("blob-flags", "flags of added tokens, the three that must be zero among them", [
    ADDED_TOKENS,
  ], (object, random) => {
    const count = Math.floor((object.length - 4) / 5);
    if (count < 1) return null;
    object[8 + 5 * random.below(count)] = random.oneIn(2)
      ? 1 << random.below(8)
      : random.below(256);
    return object;
  }),
  onBlob("blob-text", "UTF-8 in blobs: no NFC and no table asked, but no byte of it wrong", [
    16,
    48,
    80,
    DOCUMENTS,
    VOCABULARY,
  ], (object, random, kind) => {
    const part = random.oneIn(2) ? oddText(random) : anyCodePoint(random);
    const tabled = kind === DOCUMENTS || kind === VOCABULARY;
    const first = tabled ? Math.min(object.length, 8 + 4 * getU32(object, 0)) : 0;
    const at = random.pick([first, object.length, random.between(first, object.length)]);
    if (!tabled) return splice(object, at, random.oneIn(2) ? 0 : part.length, part);
    object.set(part.subarray(0, object.length - at), at);
    return object;
  }),
  onBlob(
    "blob-literal-total",
    "literals of 256 KiB together, and one byte more",
    [16],
    (object, random) => {
      if (!random.oneIn(64)) return null;
      const large = new Uint8Array(262144 + random.pick([-1, 0, 1])).fill(0x61);
      large.set(object.subarray(0, large.length));
      return large;
    },
  ),
];
