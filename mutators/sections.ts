/** The file as a row of sections: gaps, ends, order, and what stands between. */
import { HEADER } from "../corpus/writer/fields.ts";
import { alignUp } from "../corpus/writer/layout.ts";
import { getU32, getU64, putU64, splice } from "./bytes.ts";
import type { Mutator } from "./mutator.ts";
import type { Random } from "./random.ts";

const OFFSETS = [
  "manifest_offset",
  "string_table_offset",
  "quant_table_offset",
  "tensor_table_offset",
  "blob_table_offset",
  "auxiliary_table_offset",
  "payload_offset",
] as const;

/** The present sections as [header field, start, end], as far as the header can be believed. */
function sectionsOf(file: Uint8Array): { field: number; start: number; end: number }[] {
  if (file.length < 224) return [];
  return OFFSETS.map((name) => {
    const field = HEADER[name][0];
    const start = getU64(file, field);
    const table = name.endsWith("table_offset") && name !== "string_table_offset";
    const length = table
      ? getU32(file, field + 8) * getU32(file, field + 12)
      : getU64(file, field + 8);
    return { field, start, end: start + length };
  }).filter(({ start, end }) => start >= 224 && end > start && end <= file.length);
}

const setSize = (file: Uint8Array): Uint8Array => {
  putU64(file, HEADER.file_size[0], file.length);
  return file;
};

/** Moves the file from `at` on by `shift` bytes; sections that begin there follow. */
function insertGap(input: Uint8Array, at: number, shift: number): Uint8Array {
  const file = splice(input, at, 0, new Uint8Array(shift));
  for (const { field, start } of sectionsOf(input)) {
    if (start >= at) putU64(file, field, start + shift);
  }
  return setSize(file);
}

function gapByte(input: Uint8Array, random: Random): Uint8Array | null {
  let end = 224;
  const gaps: [number, number][] = [];
  for (const { start, end: next } of sectionsOf(input)) {
    if (start > end) gaps.push([end, start]);
    end = Math.max(end, next);
  }
  if (gaps.length === 0) return null;
  const [from, to] = random.pick(gaps);
  const file = input.slice();
  const at = random.pick([from, to - 1, random.between(from, to - 1)]);
  file[at] = random.pick([1, 0x80, 0xff, 1 + random.below(255)]);
  return file;
}

/** Bytes of the payload that belong to no object (7.6). */
function payloadGap(input: Uint8Array, random: Random): Uint8Array | null {
  const payload = sectionsOf(input).find(({ field }) => field === HEADER.payload_offset[0]);
  if (!payload) return null;
  const owned = new Uint8Array(payload.end - payload.start);
  const own = (table: number, size: number, offset: number, length: number) => {
    const start = getU64(input, table);
    const count = Math.min(getU32(input, table + 8), Math.floor((input.length - start) / size));
    for (let i = 0; i < count; i++) {
      const at = getU64(input, start + i * size + offset);
      owned.fill(1, Math.min(at, owned.length), at + getU64(input, start + i * size + length));
    }
  };
  own(HEADER.tensor_table_offset[0], 192, 112, 120);
  own(HEADER.blob_table_offset[0], 96, 16, 24);
  const free: number[] = [];
  for (let i = 0; i < owned.length; i++) if (owned[i] === 0) free.push(payload.start + i);
  if (free.length === 0) return null;
  const file = input.slice();
  file[random.pick([free[0], free[free.length - 1], random.pick(free)])] = 1 + random.below(255);
  return file;
}

export const sections: readonly Mutator[] = [
  {
    name: "gap-byte",
    reason: "padding between sections must be read, to its first and its last byte",
    mutate: gapByte,
  },
  {
    name: "payload-gap-byte",
    reason: "padding between objects must be read, or it hides bytes that no hash covers",
    mutate: payloadGap,
  },
  {
    name: "section-gap",
    reason: "a section 64 bytes late, or off alignment, overlaps nothing and is still out of place",
    mutate(input, random) {
      const list = sectionsOf(input);
      if (list.length === 0) return null;
      return insertGap(input, random.pick(list).start, random.pick([64, 128, 1, 8, 32, 63]));
    },
  },
  {
    name: "section-swap",
    reason: "sections in another order leave no gap and no overlap",
    mutate(input, random) {
      const list = sectionsOf(input);
      if (list.length < 2) return null;
      const i = random.below(list.length - 1);
      const [a, b] = [list[i], list[i + 1]];
      const first = input.subarray(b.start, b.end), second = input.subarray(a.start, a.end);
      const at = a.start, then = alignUp(at + first.length, 64);
      const file = input.slice();
      if (a.start > b.start) return null;
      file.fill(0, at, b.end);
      file.set(first, at);
      if (then + second.length <= file.length) file.set(second, then);
      putU64(file, b.field, at);
      putU64(file, a.field, then);
      return file;
    },
  },
  {
    name: "section-alias",
    reason: "two sections over the same bytes",
    mutate(input, random) {
      const list = sectionsOf(input);
      if (list.length < 2) return null;
      const a = random.pick(list), b = random.pick(list);
      if (a === b) return null;
      const file = input.slice();
      putU64(file, a.field, b.start);
      return file;
    },
  },
  {
    name: "truncate",
    reason: "a file that ends early: at a section's end, inside it, inside the header",
    mutate(input, random) {
      const ends = [
        ...sectionsOf(input).flatMap(({ start, end }) => [start, end, end - 1]),
        223,
        224,
      ];
      const to = random.oneIn(3) ? random.below(input.length + 1) : random.pick(ends);
      if (to >= input.length) return null;
      const file = input.slice(0, to);
      return file.length >= 48 && random.oneIn(2) ? setSize(file) : file;
    },
  },
  {
    name: "append",
    reason: "nothing may follow the last section, not even padding",
    mutate(input, random) {
      const more = random.pick([1, 2, 8, 63, 64, 1 + random.below(64)]);
      const file = splice(
        input,
        input.length,
        0,
        random.oneIn(2) ? new Uint8Array(more) : random.bytes(more),
      );
      return file.length >= 48 && random.oneIn(2) ? setSize(file) : file;
    },
  },
];
