/**
 * A neutral target for tests and benches of the engine: a small container that has nothing of SLM2
 * but its kind (header, tables of records, a map in canonical CBOR), with three planted bugs.
 *
 *  1. a file of another kind: four bytes of magic, then its own length;
 *  2. a repeated key in a map inside a map;
 *  3. two tables that both stand exactly at the aligned ends of what is before them.
 */
import type { Subject } from "./subject.ts";

/** Why an input is no container: a code, thrown as itself to stay cheap. */
class Rejection {
  code = 0;
}
const REJECTION = new Rejection();

function fail(code: number): never {
  REJECTION.code = code;
  throw REJECTION;
}

export class PlantedBug extends Error {
  override name = "PlantedBug";
}

/** Which bugs are planted; a bench of speed plants none. */
export const planted = { magic: true, repeated: true, aligned: true };

function u32(b: Uint8Array, at: number): number {
  return (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0;
}

function u64(b: Uint8Array, at: number): number {
  const high = u32(b, at + 4);
  if (high > 0x1fffff) fail(1);
  return high * 2 ** 32 + u32(b, at);
}

const aligned = (value: number, alignment: number) => Math.ceil(value / alignment) * alignment;

const HEADER = 160;
/** bytes of a record of each table */
const RECORD = [64, 96, 160];
const MOST_RECORDS = 64;

interface Table {
  readonly at: number;
  readonly count: number;
  readonly end: number;
}

function headerOf(b: Uint8Array): Table[] {
  if (b.length < HEADER) fail(3);
  if (b[0] !== 0x4e || b[1] !== 0x45 || b[2] !== 0x55 || b[3] !== 0x31) fail(4);
  if (u32(b, 4) !== 1) fail(5);
  if (u32(b, 8) & ~7) fail(6);
  if (u32(b, 12) !== HEADER) fail(7);
  if (u64(b, 16) !== b.length) fail(8);
  for (let i = 120; i < HEADER; i++) if (b[i] !== 0) fail(9);
  let before = HEADER;
  const tables: Table[] = [];
  for (let t = 0; t < 3; t++) {
    const at = u64(b, 40 + 16 * t);
    const count = u64(b, 48 + 16 * t);
    if (count < 1 || count > MOST_RECORDS) fail(10 + t);
    const end = at + count * RECORD[t];
    if (at < before || at % 32 !== 0 || end > b.length) fail(13 + t);
    tables.push({ at, count, end });
    before = end;
  }
  return tables;
}

function checkSections(b: Uint8Array, { at, count }: Table): void {
  let before = 0;
  for (let i = 0; i < count; i++) {
    const record = at + i * RECORD[0];
    const kind = u32(b, record);
    const alignment = u32(b, record + 4);
    const offset = u64(b, record + 8);
    const length = u64(b, record + 16);
    if (kind === 0 || kind > 12) fail(20);
    if (alignment !== 8 && alignment !== 16 && alignment !== 32 && alignment !== 64) fail(21);
    if (offset % alignment !== 0) fail(22);
    if (offset < before) fail(23);
    if (offset > b.length || length > b.length - offset) fail(24);
    if (kind === 4 && length % 4 !== 0) fail(25);
    if (kind === 5 && !(u32(b, 8) & 1)) fail(26);
    before = offset + length;
  }
}

function checkTensors(b: Uint8Array, { at, count }: Table, sections: Table): void {
  for (let i = 0; i < count; i++) {
    const record = at + i * RECORD[1];
    const type = u32(b, record);
    const rank = u32(b, record + 4);
    const section = u32(b, record + 8);
    if (type > 9) fail(30);
    if (rank < 1 || rank > 4) fail(31);
    if (section >= sections.count) fail(32);
    let elements = 1;
    for (let d = 0; d < 4; d++) {
      const n = u32(b, record + 32 + d * 4);
      if (d >= rank ? n !== 0 : n === 0 || n > 1 << 20) fail(33);
      if (d < rank) elements *= n;
      if (elements > 1 << 28) fail(34);
    }
    const size = type === 0
      ? elements * 4
      : type === 1
      ? elements * 2
      : type === 3
      ? Math.ceil(elements / 32) * 34
      : elements;
    if (size !== u64(b, record + 24)) fail(35);
    const place = sections.at + section * RECORD[0];
    const offset = u64(b, record + 16);
    if (offset < u64(b, place + 8)) fail(36);
    if (offset + size > u64(b, place + 8) + u64(b, place + 16)) fail(37);
    if (type === 3 && elements % 32 !== 0) fail(38);
  }
}

function checkBlocks(b: Uint8Array, { at, count }: Table, tensors: Table): void {
  for (let i = 0; i < count; i++) {
    const record = at + i * RECORD[2];
    const tensor = u32(b, record);
    if (tensor >= tensors.count) fail(40);
    if (u32(b, record + 4) !== i) fail(41);
    const first = u64(b, record + 8);
    const blocks = u64(b, record + 16);
    if (blocks === 0) fail(42);
    if (first > 1 << 28 || blocks > 1 << 28) fail(43);
    if (first + blocks > u64(b, tensors.at + tensor * RECORD[1] + 24)) fail(44);
    for (let j = 128; j < RECORD[2]; j++) if (b[record + j] !== 0) fail(45);
  }
}

interface Cursor {
  at: number;
  value: number;
}

const BYTES_OF_INFO = [1, 2, 4];

/** One head; its major type. */
function head(b: Uint8Array, cursor: Cursor, end: number): number {
  if (cursor.at >= end) fail(50);
  const first = b[cursor.at++];
  const info = first & 31;
  if (info < 24) cursor.value = info;
  else if (info > 26) fail(51);
  else {
    const width = BYTES_OF_INFO[info - 24];
    if (cursor.at + width > end) fail(52);
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 256 + b[cursor.at++];
    if (value < (info === 24 ? 24 : info === 25 ? 256 : 65536)) fail(53);
    cursor.value = value;
  }
  return first >> 5;
}

function compareKeys(b: Uint8Array, a: number, aEnd: number, c: number, cEnd: number): number {
  for (let i = 0; a + i < aEnd && c + i < cEnd; i++) {
    if (b[a + i] !== b[c + i]) return b[a + i] - b[c + i];
  }
  return aEnd - a - (cEnd - c);
}

function item(b: Uint8Array, cursor: Cursor, end: number, depth: number): void {
  if (depth > 8) fail(54);
  const major = head(b, cursor, end);
  const { value } = cursor;
  if (major <= 1) return;
  if (major === 7) {
    if (value < 20 || value > 22) fail(55);
    return;
  }
  if (major === 6 || value > end - cursor.at) fail(56);
  if (major === 2) cursor.at += value;
  else if (major === 3) {
    for (let i = 0; i < value; i++) {
      if (b[cursor.at + i] > 126 || b[cursor.at + i] < 32) fail(57);
    }
    cursor.at += value;
  } else if (major === 4) { for (let i = 0; i < value; i++) item(b, cursor, end, depth + 1); }
  else map(b, cursor, end, depth, value);
}

function map(b: Uint8Array, cursor: Cursor, end: number, depth: number, entries: number): void {
  let before = -1;
  let beforeEnd = -1;
  for (let i = 0; i < entries; i++) {
    const start = cursor.at;
    if (head(b, cursor, end) !== 3) fail(58);
    if (cursor.value > end - cursor.at) fail(59);
    cursor.at += cursor.value;
    if (before >= 0) {
      const order = compareKeys(b, before, beforeEnd, start, cursor.at);
      if (order > 0) fail(60);
      if (order === 0) {
        if (depth > 0 && planted.repeated) throw new PlantedBug("repeated");
        fail(61);
      }
    }
    before = start;
    beforeEnd = cursor.at;
    item(b, cursor, end, depth + 1);
  }
}

/** Judges one container. @throws PlantedBug, REJECTION */
function parse(b: Uint8Array): void {
  if (b.length >= 8 && b[0] === 0x45 && b[1] === 0x58 && b[2] === 0x54 && b[3] === 0x44) {
    if (u32(b, 4) === b.length && planted.magic) throw new PlantedBug("magic");
    fail(2);
  }
  const [sections, tensors, blocks] = headerOf(b);
  if (tensors.at === aligned(sections.end, 64)) {
    if (blocks.at === aligned(tensors.end, 64) && planted.aligned) throw new PlantedBug("aligned");
  }
  checkSections(b, sections);
  checkTensors(b, tensors, sections);
  checkBlocks(b, blocks, tensors);
  const at = u64(b, 24);
  const length = u64(b, 32);
  if (at % 8 !== 0 || at < HEADER || at > b.length || length > b.length - at) fail(70);
  if (length === 0 || b[at] >> 5 !== 5) fail(71);
  const cursor = { at, value: 0 };
  item(b, cursor, at + length, 0);
  if (cursor.at !== at + length) fail(72);
}

/** 0: a container; else the code of the rejection. */
export const subject: Subject = {
  run(input, report) {
    try {
      parse(input);
      return 0;
    } catch (error) {
      if (error === REJECTION) return REJECTION.code;
      if (!(error instanceof PlantedBug)) throw error;
      report({ class: "crash", key: error.message, detail: error.message });
      return 255;
    }
  },
};

/** A container of about 1.3 KiB that is valid, with tables not where bug 3 wants them. */
export function seedInput(): Uint8Array {
  const sections = 160, tensors = 416, blocks = 736, meta = 1088, data = 1248;
  const b = new Uint8Array(data + 128);
  const view = new DataView(b.buffer);
  const put64 = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  const put32 = (at: number, ...values: number[]) =>
    values.forEach((value, i) => view.setUint32(at + 4 * i, value, true));
  // {"a": 1, "m": {"k": 1, "l": [1, 2], "x": true}, "z": "text"}
  const cbor = Uint8Array.fromHex(
    "a36161" + "01616d" + "a3616b01616c8201026178f5" + "617a6474657874",
  );
  b.set([0x4e, 0x45, 0x55, 0x31]);
  put32(4, 1, 1, HEADER);
  put64(16, b.length);
  put64(24, meta);
  put64(32, cbor.length);
  [[sections, 3], [tensors, 3], [blocks, 2]].forEach(([at, count], t) => {
    put64(40 + 16 * t, at);
    put64(48 + 16 * t, count);
  });
  for (let i = 0; i < 3; i++) {
    put32(sections + i * RECORD[0], i + 1, 8);
    put64(sections + i * RECORD[0] + 8, data + 32 * i);
    put64(sections + i * RECORD[0] + 16, 32);
    put32(tensors + i * RECORD[1], 0, 2, i);
    put64(tensors + i * RECORD[1] + 16, data + 32 * i);
    put64(tensors + i * RECORD[1] + 24, 32);
    put32(tensors + i * RECORD[1] + 32, 2, 4);
  }
  for (let i = 0; i < 2; i++) {
    put32(blocks + i * RECORD[2], i, i);
    put64(blocks + i * RECORD[2] + 16, 32);
  }
  b.set(cbor, meta);
  return b;
}
