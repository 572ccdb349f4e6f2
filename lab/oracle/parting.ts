/** Where two candidates of one file part: the cause of what a writer makes of the wrong one. */
import { compare } from "../../corpus/writer/bytes.ts";
import type { Description } from "../../corpus/writer/description.ts";

/** What is decoded as SLM-DCBOR: one decoder for all of it, so a value's kind tells more than its place. */
const MANIFEST = ["body", "dependencies", "extensions", "requirements"] as const;
const RECORDS = ["tensors", "blobs", "auxiliaries"] as const;

/** The first part in which two descriptions differ: `manifest integer`, `tensors layer`; null for none. */
export function partOf(a: Description, b: Description): string | null {
  for (const part of MANIFEST) {
    const kind = differingKind(a[part], b[part]);
    if (kind !== null) return `manifest ${kind}`;
  }
  for (const table of RECORDS) {
    const ones = (a[table] ?? []) as readonly object[],
      others = (b[table] ?? []) as readonly object[];
    if (ones.length !== others.length) return `${table} count`;
    for (const [i, one] of ones.entries()) {
      for (const [field, value] of Object.entries(one)) {
        if (differingKind(value, Reflect.get(others[i], field)) !== null) {
          return `${table} ${field}`;
        }
      }
    }
  }
  return null;
}

/** The kind of the first value that differs; of a container, where not even its size or keys agree. */
function differingKind(a: unknown, b: unknown): string | null {
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return kind;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compare(a, b) === 0 ? null : kind;
  const [ones, others] = [childrenOf(a), childrenOf(b)];
  if (ones === null || others === null) return a === b ? null : kind;
  if (ones.length !== others.length) return kind;
  for (const [i, [key, value]] of ones.entries()) {
    if (key !== others[i][0]) return kind;
    const differs = differingKind(value, others[i][1]);
    if (differs !== null) return differs;
  }
  return null;
}

function kindOf(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "integer";
    case "string":
      return "text";
    case "object":
      if (value === null) return "null";
      return value instanceof Uint8Array ? "bytes" : Array.isArray(value) ? "array" : "map";
    default:
      return typeof value;
  }
}

function childrenOf(value: unknown): (readonly [unknown, unknown])[] | null {
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof Map || Array.isArray(value)) {
    return [...value.entries()] as (readonly [unknown, unknown])[];
  }
  return Object.entries(value);
}
