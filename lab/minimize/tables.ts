/** Blobs: rows and tokens left out, with the counts, ids and dimensions that hang on them; then bytes. */
import { BLOB, TENSOR } from "../../corpus/writer/fields.ts";
import { type Artifact, type Entry, parse, setObject } from "../../mutators/artifact.ts";
import { cut, getU16, getU32, getU64, putU32 } from "../../mutators/bytes.ts";
import { encodeTree, parseTree, spots, UINT } from "../../mutators/cbor_tree.ts";
import { without } from "./bytes.ts";
import { reshaped } from "./reshape.ts";
import type { Search } from "./search.ts";

/** classes.md sections 4, 7 and 9. */
const VOCABULARY = 1, MERGES = 2, SCORES = 3, NORMALIZER = 4, FALLBACK = 5, ADDED = 6;
const HASHES = 32, DOCUMENTS = 64;

/** A blob as rows; `join` gives it back, `rest` behind them. */
interface Layout {
  rows(object: Uint8Array): Uint8Array[];
  join(rows: readonly Uint8Array[], rest: Uint8Array): Uint8Array;
}

const fixed = (lead: 0 | 4, size: number): Layout => ({
  rows: (object) =>
    Array.from(
      { length: Math.max(0, Math.floor((object.length - lead) / size)) },
      (_, i) => object.subarray(lead + i * size, lead + (i + 1) * size),
    ),
  join: (rows, rest) => concat([...lead === 0 ? [] : [u32(rows.length)], ...rows, rest]),
});

/** u32 count, u32 offsets[count + 1], bytes. */
const offsets: Layout = {
  rows(object) {
    if (object.length < 8) return [];
    const count = Math.min(getU32(object, 0), (object.length - 8) >> 2);
    const pool = object.subarray(8 + 4 * count);
    return Array.from({ length: count }, (_, i) => {
      const from = getU32(object, 4 + 4 * i), to = getU32(object, 8 + 4 * i);
      return cut(pool, from, Math.max(0, to - from));
    });
  },
  join(rows, rest) {
    let end = 0;
    const ends = rows.map(({ length }) => u32(end += length));
    return concat([u32(rows.length), u32(0), ...ends, ...rows, rest]);
  },
};

/** u32 count, then pairs of texts with a u16 length each. */
const pairs: Layout = {
  rows(object) {
    const rows: Uint8Array[] = [];
    for (let at = 4; at + 4 <= object.length;) {
      const second = at + 2 + getU16(object, at);
      const end = second + 2 + (second + 2 <= object.length ? getU16(object, second) : 0);
      rows.push(object.subarray(at, end));
      at = end;
    }
    return rows;
  },
  join: (rows, rest) => concat([u32(rows.length), ...rows, rest]),
};

const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [VOCABULARY, offsets],
  [MERGES, fixed(4, 12)],
  [SCORES, fixed(4, 4)],
  [NORMALIZER, pairs],
  [ADDED, fixed(4, 5)],
  [HASHES, fixed(0, 32)],
  [DOCUMENTS, offsets],
]);

/** The kind of a blob. */
export const kindOf = ({ record }: Entry) => getU16(record, BLOB.blob_kind[0]);

export async function shrinkTables(search: Search): Promise<void> {
  for (let i = 0; i < parse(search.best).blobs.length; i++) {
    const here = () => parse(search.best).blobs[i];
    const layout = LAYOUTS.get(kindOf(here()));
    if (layout) {
      await search.thin(
        () => layout.rows(here()?.object ?? NONE).length,
        async (at, length) =>
          await search.takeEdited((artifact) => dropRows(artifact, i, at, length, true)) ||
          await search.takeEdited((artifact) => dropRows(artifact, i, at, length, false)),
      );
      await shortenRows(search, i, layout);
    }
    await search.thin(
      () => here()?.object.length ?? 0,
      (at, length) =>
        search.takeEdited(({ blobs: { [i]: blob } }) =>
          setObject(blob, "blob", without(blob.object, at, length))
        ),
    );
  }
}

/** Makes each row of a list of texts shorter. */
async function shortenRows(search: Search, i: number, layout: Layout): Promise<void> {
  if (layout !== offsets) return;
  const rows = () => layout.rows(parse(search.best).blobs[i]?.object ?? NONE);
  for (let row = 0; row < rows().length && !search.over; row++) {
    await search.thin(
      () => rows()[row]?.length ?? 0,
      (at, length) =>
        search.takeEdited(({ blobs: { [i]: blob } }) => {
          const now = layout.rows(blob.object);
          setObject(blob, "blob", layout.join(now.with(row, without(now[row], at, length)), NONE));
        }),
    );
  }
}

/**
 * Leaves out rows of a blob. A row of a vocabulary is a token, which goes everywhere.
 * @param tied whether numbers of the manifest and dimensions that equal the count follow
 */
function dropRows(
  artifact: Artifact,
  index: number,
  at: number,
  length: number,
  tied: boolean,
): boolean {
  const blob = artifact.blobs[index];
  const layout = blob && LAYOUTS.get(kindOf(blob));
  if (!layout) return false;
  const count = layout.rows(blob.object).length;
  const drop = (one: Entry, { rows, join }: Layout) => {
    const now = rows(one.object);
    const rest = one.object.subarray(join(now, NONE).length);
    setObject(one, "blob", join(now.toSpliced(at, length), rest));
  };
  drop(blob, layout);
  if (!tied) return true;
  if (kindOf(blob) === VOCABULARY) {
    for (const other of artifact.blobs) {
      if (kindOf(other) === SCORES) drop(other, LAYOUTS.get(SCORES)!);
      else renumber(other, at, length);
    }
  }
  renameCount(artifact, count, count - length);
  for (const entry of artifact.tensors) {
    const first = TENSOR.shape_0[0];
    if (getU64(entry.record, first) === count) {
      reshaped(entry, (record) => putU32(record, first, count - length));
    }
  }
  return true;
}

/** Gives the manifest another count where it has this one. */
export function renameCount(artifact: Artifact, before: number, after: number): void {
  const { root, rest } = parseTree(artifact.manifest);
  for (const { node } of spots(root)) {
    if (node.major === UINT && node.value === before) node.value = after;
  }
  artifact.manifest = encodeTree(root, rest);
}

/** Rows of the blob by which the others are counted; null where there is none. */
export function rowCount({ blobs }: Artifact): number | null {
  const blob = blobs.find((one) => LAYOUTS.get(kindOf(one)) === offsets);
  return blob ? offsets.rows(blob.object).length : null;
}

/** Where ids of tokens stand in a row. */
const IDS: ReadonlyMap<number, readonly number[]> = new Map([
  [MERGES, [0, 4, 8]],
  [ADDED, [0]],
]);

/** Ids behind the tokens that went move down; rows that name one of those go. */
function renumber(blob: Entry, at: number, length: number): void {
  const kind = kindOf(blob);
  const moved = (row: Uint8Array, places: readonly number[]) => {
    const copy = row.slice();
    for (const place of places) {
      const id = getU32(copy, place);
      if (id >= at + length) putU32(copy, place, id - length);
    }
    return copy;
  };
  if (kind === FALLBACK) {
    const every = Array.from({ length: blob.object.length >> 2 }, (_, i) => 4 * i);
    return setObject(blob, "blob", moved(blob.object, every));
  }
  const places = IDS.get(kind), layout = LAYOUTS.get(kind);
  if (!places || !layout) return;
  const rows = layout.rows(blob.object).filter((row) =>
    places.every((place) => getU32(row, place) < at || getU32(row, place) >= at + length)
  );
  setObject(blob, "blob", layout.join(rows.map((row) => moved(row, places)), NONE));
}

const NONE = new Uint8Array(0);

function u32(n: number): Uint8Array {
  const bytes = new Uint8Array(4);
  putU32(bytes, 0, n);
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
