/** Single fields of the header and of records: the borders, widths and ends of every number. */
import { RECORDS } from "../corpus/writer/fields.ts";
import { perturb } from "./integers.ts";
import type { Mutator } from "./mutator.ts";
import { anyRecord, type FieldPlace, FIELDS, recordsOf, TABLES } from "./places.ts";
import type { Random } from "./random.ts";

/** Changes one field: an integer by its borders, raw bytes by one byte or as a whole. */
function changeField(file: Uint8Array, at: number, field: FieldPlace, random: Random): void {
  if (typeof field.type !== "number") return perturb(file, at, field.size, random);
  const bytes = file.subarray(at, at + field.size);
  if (bytes.length === 0) return;
  const kind = random.below(4);
  if (kind === 0) bytes.fill(random.pick([0, 0xff]));
  else if (kind === 1) bytes.set(random.bytes(bytes.length));
  else bytes[random.below(bytes.length)] ^= 1 << random.below(8);
}

/** Fields of records that are one value in every file. */
const isFixed = ({ name }: FieldPlace) => /version|flags|reserved|codec/.test(name);
const FIXED = {
  quant: FIELDS.quant.filter(isFixed),
  tensor: FIELDS.tensor.filter(isFixed),
  blob: FIELDS.blob.filter(isFixed),
  auxiliary: FIELDS.auxiliary.filter(isFixed),
} as const;

const LEGACY = [0x53, 0x4c, 0x4d, 0x31];

export const fields: readonly Mutator[] = [
  {
    name: "header-field",
    reason: "each header field has its own check, width, border and place in the order of stages",
    mutate(input, random) {
      if (input.length < 224) return null;
      const file = input.slice();
      const field = random.pick(FIELDS.header);
      if (field.name === "magic" && random.oneIn(2)) file.set(LEGACY);
      else changeField(file, field.at, field, random);
      return file;
    },
  },
  {
    name: "header-pair",
    reason: "two faults at once show the order of checks",
    mutate(input, random) {
      if (input.length < 224) return null;
      const file = input.slice();
      for (let i = 0; i < 2; i++) {
        const field = random.pick(FIELDS.header);
        changeField(file, field.at, field, random);
      }
      return file;
    },
  },
  {
    name: "header-alias",
    reason: "a range that equals, follows or swaps with another is where overlap checks are loose",
    mutate(input, random) {
      if (input.length < 224) return null;
      const file = input.slice();
      const from = random.pick(FIELDS.header);
      const like = FIELDS.header.filter(({ size, name }) =>
        size === from.size && name !== from.name
      );
      if (like.length === 0) return null;
      const to = random.pick(like);
      const kept = file.slice(to.at, to.at + to.size);
      file.copyWithin(to.at, from.at, from.at + from.size);
      if (random.oneIn(2)) file.set(kept, from.at);
      return file;
    },
  },
  {
    name: "record-field",
    reason: "each field of each record has its own check and its own width",
    mutate(input, random) {
      const record = anyRecord(input, random);
      if (record === null) return null;
      const file = input.slice();
      const field = random.pick(FIELDS[record.table]);
      changeField(file, record.at + field.at, field, random);
      return file;
    },
  },
  {
    name: "record-fixed",
    reason: "one bit of a field that has one legal value: every byte of it must be read",
    mutate(input, random) {
      const record = anyRecord(input, random);
      if (record === null) return null;
      const fixed = FIXED[record.table];
      const { at, size } = random.pick(fixed);
      const file = input.slice();
      file[record.at + at + random.below(size)] ^= 1 << random.below(8);
      return file;
    },
  },
  {
    name: "record-pair",
    reason: "two faults in one record show in which order its checks run",
    mutate(input, random) {
      const record = anyRecord(input, random);
      if (record === null) return null;
      const file = input.slice();
      for (let i = random.between(2, 3); i > 0; i--) {
        const field = random.pick(FIELDS[record.table]);
        changeField(file, record.at + field.at, field, random);
      }
      return file;
    },
  },
  {
    name: "record-two",
    reason: "faults in two records: all checks of one run before any of the next",
    mutate(input, random) {
      const tables = TABLES.filter((table) => recordsOf(input, table).count > 1);
      if (tables.length === 0) return null;
      const table = random.pick(tables);
      const { at, count } = recordsOf(input, table);
      const file = input.slice();
      for (let i = 0; i < 2; i++) {
        const field = random.pick(FIELDS[table]);
        const base = at + random.below(count) * RECORDS[table].size;
        changeField(file, base + field.at, field, random);
      }
      return file;
    },
  },
  {
    name: "record-copy",
    reason: "a field with the value of its neighbour's: aliases, repeated names, shared ranges",
    mutate(input, random) {
      const tables = TABLES.filter((table) => recordsOf(input, table).count > 1);
      if (tables.length === 0) return null;
      const table = random.pick(tables);
      const { at, count } = recordsOf(input, table);
      const { size } = RECORDS[table];
      const from = random.below(count), to = (from + random.between(1, count - 1)) % count;
      const field = random.pick(FIELDS[table]);
      const file = input.slice();
      file.copyWithin(
        at + to * size + field.at,
        at + from * size + field.at,
        at + from * size + field.at + field.size,
      );
      return file;
    },
  },
];
