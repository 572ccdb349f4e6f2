/** Whole records: their order, repetition, absence, and parts of another artifact. */
import { type Artifact, type Entry, layOut, parse, stringsOf, stringTable } from "./artifact.ts";
import { compare } from "../corpus/writer/bytes.ts";
import { BLOB, TENSOR } from "../corpus/writer/fields.ts";
import { STRING_IDS } from "./artifact.ts";
import { getU32, putU32 } from "./bytes.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

type Row = Uint8Array | Entry;

/** The tables that hold at least `least` records, as lists of anything. */
const tablesOf = (artifact: Artifact, least: number): Row[][] =>
  [artifact.quants, artifact.tensors, artifact.blobs, artifact.auxiliaries]
    .filter((table) => table.length >= least) as Row[][];

const copyOf = (row: Row): Row =>
  row instanceof Uint8Array
    ? row.slice()
    : { record: row.record.slice(), object: row.object.slice() };

/** A mutator that rearranges one table with at least `least` records, and lays out again. */
const onTable = (
  name: string,
  reason: string,
  least: number,
  change: (table: Row[], random: Random) => void,
): Mutator => ({
  name,
  reason,
  mutate(input, random) {
    const artifact = parse(input);
    const tables = tablesOf(artifact, least);
    if (tables.length === 0) return null;
    change(random.pick(tables), random);
    return layOut(artifact);
  },
});

/** Puts strings into the table where they sort, and moves every id. */
export function addStrings(artifact: Artifact, more: readonly Uint8Array[]): Uint8Array[] {
  const before = stringsOf(artifact.strings);
  const after = [...before];
  for (const one of more) {
    if (!after.some((other) => compare(other, one) === 0)) after.push(one);
  }
  after.sort(compare);
  const moved = before.map((one) => after.indexOf(one));
  const move = (record: Uint8Array, fields: readonly number[]) => {
    for (const at of fields) {
      const id = getU32(record, at);
      if (id < moved.length) putU32(record, at, moved[id]);
    }
  };
  for (const record of artifact.quants) move(record, STRING_IDS.quant);
  for (const { record } of artifact.tensors) move(record, STRING_IDS.tensor);
  for (const { record } of artifact.blobs) move(record, STRING_IDS.blob);
  artifact.strings = stringTable(after);
  return after;
}

/** Every string id of every record. */
function references({ quants, tensors, blobs }: Artifact) {
  return [
    ...quants.flatMap((record) => STRING_IDS.quant.map((at) => ({ record, at }))),
    ...tensors.flatMap(({ record }) => STRING_IDS.tensor.map((at) => ({ record, at }))),
    ...blobs.flatMap(({ record }) => STRING_IDS.blob.map((at) => ({ record, at }))),
  ];
}

/** Leaves out the strings that no record refers to any more. */
export function dropStrings(artifact: Artifact): void {
  const used = new Set(references(artifact).map(({ record, at }) => getU32(record, at)));
  const strings = stringsOf(artifact.strings);
  const kept = strings.map((_, id) => id).filter((id) => used.has(id));
  if (kept.length === strings.length) return;
  artifact.strings = stringTable(kept.map((id) => strings[id]));
  for (const { record, at } of references(artifact)) {
    const id = kept.indexOf(getU32(record, at));
    if (id >= 0) putU32(record, at, id);
  }
}

/** Takes a record of the same table from another artifact, with its strings and its payload. */
function spliceRecord(
  input: Uint8Array,
  random: Random,
  other?: Uint8Array,
): Uint8Array | null {
  if (!other) return null;
  const artifact = parse(input), donor = parse(other);
  const tables = (["tensors", "blobs", "quants"] as const).filter((name) => donor[name].length > 0);
  if (tables.length === 0) return null;
  const name = random.pick(tables);
  const fields = STRING_IDS[name === "tensors" ? "tensor" : name === "blobs" ? "blob" : "quant"];
  const row = copyOf(random.pick<Row>(donor[name]));
  const record = row instanceof Uint8Array ? row : row.record;
  const texts = stringsOf(donor.strings);
  const used = fields.map((at) => texts[getU32(record, at)] ?? new Uint8Array([0x61]));
  const all = addStrings(artifact, used);
  for (const [i, at] of fields.entries()) {
    putU32(record, at, all.findIndex((one) => compare(one, used[i]) === 0));
  }
  const table = artifact[name] as Row[];
  table.splice(random.below(table.length + 1), 0, row);
  return layOut(artifact);
}

/** A record of a tensor or blob with the name of another. */
function named(row: Row, other: Row, isBlob: boolean): Row {
  if (row instanceof Uint8Array || other instanceof Uint8Array) return row;
  const [at] = (isBlob ? BLOB : TENSOR).canonical_name_string_id;
  putU32(row.record, at, getU32(other.record, at));
  return row;
}

export const descriptors: readonly Mutator[] = [
  onTable(
    "record-swap",
    "records must be strictly increasing; a swap keeps every record good",
    2,
    (table, random) => {
      const i = random.below(table.length), j = random.below(table.length);
      [table[i], table[j]] = [table[j], table[i]];
    },
  ),
  onTable(
    "record-duplicate",
    "a repeated record, beside its twin or far from it",
    1,
    (table, random) => {
      const i = random.below(table.length);
      const at = random.oneIn(2) ? i + 1 : random.below(table.length + 1);
      table.splice(at, 0, copyOf(table[i]));
    },
  ),
  {
    name: "record-instead",
    reason: "a record twice and its neighbour not at all: counts are right, and names",
    mutate(input, random) {
      const artifact = parse(input);
      const tables = tablesOf(artifact, 2);
      if (tables.length === 0) return null;
      const table = random.pick(tables);
      const from = random.below(table.length - 1), to = from + 1;
      const [kept, lost] = random.oneIn(2) ? [from, to] : [to, from];
      table[lost] = named(copyOf(table[kept]), table[lost], table === artifact.blobs);
      dropStrings(artifact);
      return layOut(artifact);
    },
  },
  onTable(
    "record-drop",
    "what is missing leaves strings, profiles or runs that nothing refers to",
    1,
    (table, random) => {
      table.splice(random.below(table.length), 1);
    },
  ),
  onTable(
    "object-swap",
    "two records with each other's payload: hashes bind bytes to names",
    2,
    (table, random) => {
      const a = random.pick(table), b = random.pick(table);
      if (a instanceof Uint8Array || b instanceof Uint8Array) return;
      [a.object, b.object] = [b.object, a.object];
    },
  ),
  {
    name: "record-splice",
    reason: "a good record of another artifact, at home nowhere here",
    mutate: spliceRecord,
  },
  {
    name: "section-splice",
    reason: "a whole section of another artifact: counts, ids and relations no longer fit",
    mutate(input, random, other) {
      if (!other) return null;
      const artifact = parse(input), donor = parse(other);
      const name = random.pick(
        ["manifest", "strings", "quants", "tensors", "blobs", "auxiliaries"] as const,
      );
      return layOut({ ...artifact, [name]: donor[name] });
    },
  },
  {
    name: "class-splice",
    reason: "the header of one class over the tables of another",
    mutate(input, random) {
      const file = input.slice();
      if (file.length < 38) return null;
      file[36] = random.between(0, 14);
      return file;
    },
  },
];
