/**
 * Stretches of a file whose header says where they stand: they go, and what the header says of the
 * rest follows, faults included. For files whose parts cannot be told.
 */
import { type FieldTable, HEADER, HEADER_SIZE, RECORDS } from "../../corpus/writer/fields.ts";
import { alignUp, SECTION_ALIGNMENT } from "../../corpus/writer/layout.ts";
import { getU32, getU64, putU32, putU64 } from "../../mutators/bytes.ts";
import { without } from "./bytes.ts";
import type { Search } from "./search.ts";

/** A section as the header has it. */
interface Section {
  readonly offset: number;
  /** field of its length in bytes, or of its count of records */
  readonly length: number;
  /** bytes of what is counted */
  readonly unit: number;
  /** its fields, all of which are zero where it is absent */
  readonly fields: readonly number[];
}

const at = (name: string) => (HEADER as FieldTable)[name][0];

const SECTIONS: readonly Section[] = [
  ...["manifest", "string_table", "payload"].map((name) => ({
    offset: at(`${name}_offset`),
    length: at(`${name}_length`),
    unit: 1,
    fields: [at(`${name}_offset`), at(`${name}_length`)],
  })),
  ...Object.values(RECORDS).map(({ offset, count, size }) => ({
    offset: at(offset),
    length: at(count),
    unit: size,
    fields: [at(offset), at(count)],
  })),
];

const amount = (file: Uint8Array, { length, unit }: Section) =>
  unit === 1 ? getU64(file, length) : getU32(file, length) * unit;

export async function shrinkRanges(search: Search): Promise<void> {
  if (search.best.length <= HEADER_SIZE) return;
  for (const section of SECTIONS) await search.take(absent(search.best, section));
  for (const unit of [SECTION_ALIGNMENT, 32, 1]) {
    if (search.best.length / unit > MOST_STEPS) continue;
    await search.thin(
      () => Math.ceil((search.best.length - HEADER_SIZE) / unit),
      (from, length) => takeCut(search, HEADER_SIZE + from * unit, length * unit),
    );
  }
}

/** Finer cuts of long files take too long. */
const MOST_STEPS = 4096;

/** A file without `length` bytes, its header as it was, or moved, or with a shorter section too. */
async function takeCut(search: Search, from: number, length: number): Promise<boolean> {
  const { best } = search;
  const to = Math.min(from + length, best.length);
  const moved = without(best, from, to - from);
  follow(moved, best, from, to);
  if (await search.take(moved)) return true;
  for (const section of SECTIONS) {
    const start = getU64(best, section.offset), size = amount(best, section);
    const inside = Math.min(to, start + size) - Math.max(from, start);
    if (inside <= 0 || inside % section.unit !== 0) continue;
    const shorter = moved.slice();
    const left = (size - inside) / section.unit;
    if (section.unit === 1) putU64(shorter, section.length, left);
    else putU32(shorter, section.length, left);
    if (await search.take(shorter)) return true;
  }
  return false;
}

/** Moves what the header says of what stood behind the stretch. */
function follow(file: Uint8Array, before: Uint8Array, from: number, to: number): void {
  const by = to - from;
  for (const { offset } of SECTIONS) {
    const start = getU64(before, offset);
    if (start >= to && start <= before.length) putU64(file, offset, start - by);
  }
  const size = HEADER.file_size[0];
  if (getU64(before, size) >= by) putU64(file, size, getU64(before, size) - by);
}

/** A file without a section: its bytes up to the next one are gone, its fields zero. */
function absent(file: Uint8Array, section: Section): Uint8Array {
  const start = Math.min(getU64(file, section.offset), file.length);
  const end = Math.min(start + amount(file, section), file.length);
  const to = end === file.length ? end : Math.min(alignUp(end, SECTION_ALIGNMENT), file.length);
  const shorter = without(file, start, to - start);
  if (start >= HEADER_SIZE) follow(shorter, file, start, to);
  for (const field of section.fields) putU64(shorter, field, 0);
  return shorter;
}
