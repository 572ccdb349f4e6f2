/** Where everything stands (sections 2 and 7.6): sections to offsets, header and bytes. */
import { utf8 } from "./bytes.ts";
import { HEADER, HEADER_SIZE, record, RECORDS } from "./fields.ts";

/** Section 2: what sections begin at a multiple of. */
export const SECTION_ALIGNMENT = 64;

/** The least multiple of `a` that is >= `x` (section 1). */
export const alignUp = (x: number, a: number): number => Math.ceil(x / a) * a;

/** Present and absent sections by length, 0 for an absent one, in file order. */
export interface SectionLengths {
  readonly manifest: number;
  readonly strings: number;
  readonly quant: number;
  readonly tensor: number;
  readonly blob: number;
  readonly auxiliary: number;
}

/** Where one section or object stands. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
}

/** The place of every section but the payload, absent ones at 0, and where a payload begins. */
export interface Places {
  readonly sections: { readonly [name in keyof SectionLengths]: Extent };
  readonly end: number;
  readonly payload_offset: number;
}

const ORDER = ["manifest", "strings", "quant", "tensor", "blob", "auxiliary"] as const;

/** Derives the offset of each section from the lengths of all (section 2). */
export function placeSections(lengths: SectionLengths): Places {
  let end = HEADER_SIZE;
  const places = ORDER.map((name): [string, Extent] => {
    const length = lengths[name];
    if (length === 0) return [name, { offset: 0, length }];
    const offset = alignUp(end, SECTION_ALIGNMENT);
    end = offset + length;
    return [name, { offset, length }];
  });
  return {
    sections: Object.fromEntries(places) as unknown as Places["sections"],
    end,
    payload_offset: alignUp(end, SECTION_ALIGNMENT),
  };
}

/** Derives the absolute offset of each payload object, in descriptor order (section 7.6). */
export function placeObjects(
  payload_offset: number,
  objects: readonly { readonly length: number; readonly alignment: number }[],
): Extent[] {
  let end = payload_offset;
  return objects.map(({ length, alignment }) => {
    const offset = alignUp(end, alignment);
    end = offset + length;
    return { offset, length };
  });
}

/** The bytes of each section, empty where it is absent. */
export type Sections = { readonly [name in keyof SectionLengths]: Uint8Array };

/**
 * The file up to where its payload begins (or to its end, without one): the header with every
 * offset, count and size derived, and the sections in their places.
 * @param payload_length of the payload section; 0 where it is absent
 */
export function layOut(
  artifact_class: number,
  sections: Sections,
  payload_length: number,
): Uint8Array {
  const lengths = Object.fromEntries(
    ORDER.map((name) => [name, sections[name].length]),
  ) as unknown as SectionLengths;
  const { sections: places, end, payload_offset } = placeSections(lengths);
  const head = new Uint8Array(payload_length > 0 ? payload_offset : end);
  const table = (kind: keyof typeof RECORDS) => {
    const { size } = RECORDS[kind];
    const count = lengths[kind] / size;
    return { offset: places[kind].offset, count, size: count > 0 ? size : 0 };
  };
  const quant = table("quant"), tensor = table("tensor");
  const blob = table("blob"), auxiliary = table("auxiliary");
  head.set(record(HEADER, HEADER_SIZE, {
    magic: MAGIC,
    format_id: utf8("minimodel.slm2"),
    header_size: HEADER_SIZE,
    version_major: 2,
    version_minor: 0,
    byte_order_marker: 0x01020304,
    artifact_class,
    file_size: payload_length > 0 ? payload_offset + payload_length : end,
    manifest_offset: places.manifest.offset,
    manifest_length: lengths.manifest,
    string_table_offset: places.strings.offset,
    string_table_length: lengths.strings,
    quant_table_offset: quant.offset,
    quant_count: quant.count,
    quant_record_size: quant.size,
    tensor_table_offset: tensor.offset,
    tensor_count: tensor.count,
    tensor_record_size: tensor.size,
    blob_table_offset: blob.offset,
    blob_count: blob.count,
    blob_record_size: blob.size,
    auxiliary_table_offset: auxiliary.offset,
    auxiliary_count: auxiliary.count,
    auxiliary_record_size: auxiliary.size,
    payload_offset: payload_length > 0 ? payload_offset : 0,
    payload_length,
  }));
  for (const name of ORDER) head.set(sections[name], places[name].offset);
  return head;
}

/** Section 2: magic. */
const MAGIC = new Uint8Array([0x53, 0x4c, 0x4d, 0x32, 0x0d, 0x0a, 0x1a, 0x0a]);
