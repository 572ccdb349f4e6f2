/**
 * From parts back to a file. A layout with good hashes mends what stands in the wrong place; where that
 * is the fault itself, it is kept as a list of local edits and put back after the layout.
 */
import { BLOB, type FieldTable, HEADER, RECORDS, TENSOR } from "../../corpus/writer/fields.ts";
import { type Artifact, layOut, parse } from "../../mutators/artifact.ts";
import { getU32, getU64, putU64, same } from "../../mutators/bytes.ts";
import { FIELDS } from "../../mutators/places.ts";
import { seal } from "../../mutators/seal.ts";

/** A way to write parts down. */
export type Form = (artifact: Artifact) => Uint8Array;

const laid: Form = layOut;

const sealed: Form = (artifact) => {
  const unsealed = layOut(artifact);
  const again = parse(unsealed);
  seal(again);
  return layOut(again);
};

/** The forms in which the parts of `file` can be written down; which of them show its fault is seen by trying. */
export function formsOf(file: Uint8Array): Form[] {
  const canonical = layOut(parse(file));
  if (same(canonical, file)) return [sealed, laid];
  const edits = editsOf(file, canonical);
  return [
    sealed,
    laid,
    ...[sealed, laid].flatMap((form) =>
      (["relative", "absolute"] as const).map((how): Form => (artifact) =>
        edited(form(artifact), edits, how)
      )
    ),
  ];
}

/** A local edit of a file that is laid out: a field that has another value, or bytes where none are. */
type Edit =
  | {
    readonly kind: "field";
    readonly record: RecordAt;
    readonly at: number;
    readonly value: Uint8Array;
    readonly delta: number;
  }
  | {
    readonly kind: "gap";
    /** ranks of the parts before and behind, counted from the end of the file's parts */
    readonly part: number;
    readonly fromEnd: number;
    readonly toNext: number;
    readonly value: number;
  }
  | { readonly kind: "tail"; readonly bytes: Uint8Array };

interface RecordAt {
  readonly table: "header" | "tensor" | "blob";
  readonly index: number;
}

/** Fields that a layout derives. */
const DERIVED: Readonly<Record<RecordAt["table"], FieldTable>> = {
  header: HEADER,
  tensor: { payload_relative_offset: TENSOR.payload_relative_offset },
  blob: { payload_relative_offset: BLOB.payload_relative_offset },
};

function editsOf(file: Uint8Array, canonical: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  for (const record of recordsIn(canonical)) {
    const base = baseOf(canonical, record);
    for (const { name, at, size } of FIELDS[record.table]) {
      if (!Object.hasOwn(DERIVED[record.table], name)) continue;
      const value = file.slice(base + at, base + at + size);
      if (value.length < size || same(value, canonical.subarray(base + at, base + at + size))) {
        continue;
      }
      const number = (bytes: Uint8Array, from: number) =>
        size === 8 ? getU64(bytes, from) : size === 4 ? getU32(bytes, from) : 0;
      const delta = number(file, base + at) - number(canonical, base + at);
      edits.push({ kind: "field", record, at, value, delta });
    }
  }
  const parts = partsOf(canonical);
  for (let i = 0; i + 1 < parts.length; i++) {
    for (let p = parts[i].end; p < Math.min(parts[i + 1].start, file.length); p++) {
      if (file[p] === 0) continue;
      const [fromEnd, toNext] = [p - parts[i].end, parts[i + 1].start - p];
      edits.push({ kind: "gap", part: parts.length - i, fromEnd, toNext, value: file[p] });
    }
  }
  if (file.length > canonical.length) {
    edits.push({ kind: "tail", bytes: file.slice(canonical.length) });
  }
  return edits;
}

/** Puts edits back: a value as it was or as far from the right one, a byte as far from what stands before or behind. */
function edited(
  file: Uint8Array,
  edits: readonly Edit[],
  how: "absolute" | "relative",
): Uint8Array {
  const parts = partsOf(file);
  let result = file.slice();
  for (const edit of edits) {
    if (edit.kind === "tail") {
      result = Uint8Array.of(...result, ...edit.bytes);
    } else if (edit.kind === "gap") {
      const before = parts[parts.length - edit.part], next = parts[parts.length - edit.part + 1];
      if (!before || !next) continue;
      const at = how === "absolute" ? before.end + edit.fromEnd : next.start - edit.toNext;
      if (at >= before.end && at < next.start) result[at] = edit.value;
    } else {
      const at = baseOf(file, edit.record) + edit.at;
      if (how === "absolute" || edit.value.length !== 8) result.set(edit.value, at);
      else putU64(result, at, Math.max(0, getU64(file, at) + edit.delta));
    }
  }
  return result;
}

function recordsIn(file: Uint8Array): RecordAt[] {
  const { tensors, blobs } = parse(file);
  return [
    { table: "header", index: 0 },
    ...tensors.map((_, index): RecordAt => ({ table: "tensor", index })),
    ...blobs.map((_, index): RecordAt => ({ table: "blob", index })),
  ];
}

function baseOf(file: Uint8Array, { table, index }: RecordAt): number {
  if (table === "header") return 0;
  const { offset, size } = RECORDS[table];
  return getU64(file, HEADER[offset][0]) + index * size;
}

/** What a file that is laid out consists of, in order: header, sections, objects. */
function partsOf(file: Uint8Array): { start: number; end: number }[] {
  const u64 = (name: keyof typeof HEADER) => getU64(file, HEADER[name][0]);
  const parts = [{ start: 0, end: 224 }];
  const add = (start: number, length: number) => {
    if (length > 0) parts.push({ start, end: start + length });
  };
  add(u64("manifest_offset"), u64("manifest_length"));
  add(u64("string_table_offset"), u64("string_table_length"));
  for (const { offset, count, size } of Object.values(RECORDS)) {
    add(u64(offset), getU32(file, HEADER[count][0]) * size);
  }
  const payload = u64("payload_offset");
  const { tensors, blobs } = parse(file);
  const objects = (list: Artifact["tensors"], [at]: readonly [number, unknown]) => {
    for (const { record, object } of list) add(payload + getU64(record, at), object.length);
  };
  objects(tensors, TENSOR.payload_relative_offset);
  objects(blobs, BLOB.payload_relative_offset);
  return parts;
}
