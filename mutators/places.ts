/** Every field of the header and of the record tables as a place that can be overwritten. */
import {
  type FieldTable,
  type FieldType,
  HEADER,
  RECORDS,
  sizeOf,
} from "../corpus/writer/fields.ts";
import { getU32, getU64 } from "./bytes.ts";
import type { Random } from "./random.ts";

export interface FieldPlace {
  readonly name: string;
  readonly at: number;
  readonly size: number;
  readonly type: FieldType;
}

const placesOf = (fields: FieldTable): readonly FieldPlace[] =>
  Object.entries(fields).map(([name, [at, type]]) => ({ name, at, size: sizeOf(type), type }));

/** By table, in record order; `at` counts from the record. */
export const FIELDS = {
  header: placesOf(HEADER),
  quant: placesOf(RECORDS.quant.fields),
  tensor: placesOf(RECORDS.tensor.fields),
  blob: placesOf(RECORDS.blob.fields),
  auxiliary: placesOf(RECORDS.auxiliary.fields),
} as const;
export type TableName = Exclude<keyof typeof FIELDS, "header">;
export const TABLES = ["quant", "tensor", "blob", "auxiliary"] as const;

/** One record of a file: its table, where it begins. */
export interface RecordPlace {
  readonly table: TableName;
  readonly at: number;
}

/** Where the records of a table stand, as far as the file reaches. */
export function recordsOf(file: Uint8Array, table: TableName): { at: number; count: number } {
  if (file.length < 224) return { at: 0, count: 0 };
  const { size, offset, count } = RECORDS[table];
  const at = getU64(file, HEADER[offset][0]);
  const fit = Math.max(0, Math.floor((file.length - at) / size));
  return { at, count: Math.min(getU32(file, HEADER[count][0]), fit) };
}

/** A record of any table that has one; tables first, so that short ones are not forgotten. */
export function anyRecord(file: Uint8Array, random: Random): RecordPlace | null {
  const present = TABLES.filter((table) => recordsOf(file, table).count > 0);
  if (present.length === 0) return null;
  const table = random.pick(present);
  const { at, count } = recordsOf(file, table);
  return { table, at: at + random.below(count) * RECORDS[table].size };
}
