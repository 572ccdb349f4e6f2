/** The sections of a file by their header fields, and one such field changed. */
import type { Section } from "../../../readers/contract.ts";
import { type FieldValue, getField } from "../../writer/fields.ts";
import { type Case, corrupt, type Recipe, type Rejection, type ValidCase } from "../case.ts";
import { withFields } from "../parts.ts";

export const MAX = Number.MAX_SAFE_INTEGER;

/** A section by the prefix of its header fields and the name that verdicts give it. */
export const SECTIONS = [
  { prefix: "manifest", name: "manifest" },
  { prefix: "string_table", name: "strings" },
  { prefix: "quant_table", name: "quant" },
  { prefix: "tensor_table", name: "tensors" },
  { prefix: "blob_table", name: "blobs" },
  { prefix: "auxiliary_table", name: "auxiliary" },
  { prefix: "payload", name: "payload" },
] as const;

/** The tables that have counts: field prefix, format limit (section 4), record size (section 2). */
export const TABLES = [
  { prefix: "quant", name: "quant", limit: 1024, size: 128 },
  { prefix: "tensor", name: "tensors", limit: 65536, size: 192 },
  { prefix: "blob", name: "blobs", limit: 4096, size: 96 },
  { prefix: "auxiliary", name: "auxiliary", limit: 262144, size: 32 },
] as const;

export const number = (file: Uint8Array, field: string) =>
  Number(getField(file, `header.${field}`));

/** One header field of `parent` with another value. */
export function one(
  recipe: Recipe,
  parent: ValidCase,
  field: string,
  local: string,
  value: FieldValue,
  reason: string,
  rejection: Rejection,
): Case {
  return corrupt(
    parent,
    `${recipe.name}/${field}-${local}`,
    `${field} is ${value}: ${reason}`,
    withFields(parent.artifact.bytes, { [`header.${field}`]: value }),
    rejection,
  );
}

/** Where each present section of a file begins and ends, in order. */
export function extents(file: Uint8Array): { name: Section; start: number; end: number }[] {
  return SECTIONS.flatMap(({ prefix, name }) => {
    const start = number(file, `${prefix}_offset`);
    const table = TABLES.find((one) => `${one.prefix}_table` === prefix);
    const length = table
      ? number(file, `${table.prefix}_count`) * table.size
      : number(file, `${prefix}_length`);
    return length === 0 ? [] : [{ name, start, end: start + length }];
  });
}
