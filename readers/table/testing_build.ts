/**
 * For tests only: a small maker of artifacts, so that a good file of each class and files with
 * one fault can be written in a few lines.
 */
import { alignUp, type Field } from "./fields.ts";
import { A, B, H, Q, T } from "./layouts.ts";
import {
  type Cbor,
  compareBytes,
  concat,
  digest,
  encode,
  fill32,
  fromHex,
  ident,
  joined,
  le,
  Raw,
  raw,
  slmHash,
  u16,
  u64,
  utf8,
  wordList,
} from "./testing.ts";

type Values<L> = { readonly [name in keyof L]?: number | bigint | Uint8Array };
/** Overrides of a record's fields, written last. */
interface Overridden<L> {
  readonly set?: Values<L>;
}
export interface QuantDraft extends Overridden<typeof Q> {
  readonly name: string;
  /** the record but for id and name */
  readonly record: Uint8Array;
}
export interface TensorDraft extends Overridden<typeof T> {
  readonly role: string;
  readonly name: string;
  readonly layer?: number;
  readonly type?: number;
  readonly shape: readonly number[];
  /** index of the profile */
  readonly quant?: number;
  readonly data: Uint8Array;
  readonly alignment?: number;
  readonly run?: readonly [first: number, count: number];
}
export interface BlobDraft extends Overridden<typeof B> {
  readonly kind: number;
  readonly name: string;
  readonly media?: string;
  readonly data: Uint8Array;
  readonly alignment?: number;
}
export interface AuxDraft extends Overridden<typeof A> {
  readonly owner: number;
  readonly kind: number;
  readonly target: number;
  readonly axis?: number;
  readonly group?: number;
  readonly stride?: number;
}
export interface Draft {
  readonly artifactClass: number;
  readonly body: Cbor;
  readonly dependencies?: readonly Cbor[];
  readonly extensions?: readonly Cbor[];
  /** overrides of manifest keys; or the whole manifest */
  readonly manifest?: { readonly [key: string]: Cbor } | Raw;
  readonly quants?: readonly QuantDraft[];
  readonly tensors?: readonly TensorDraft[];
  readonly blobs?: readonly BlobDraft[];
  readonly aux?: readonly AuxDraft[];
  /** strings that no record refers to */
  readonly strings?: readonly string[];
  /** the section as it is, in place of the computed one */
  readonly stringTable?: Uint8Array;
  readonly header?: Values<typeof H>;
}

function write<L extends Record<keyof L, Field>>(
  record: Uint8Array,
  fields: L,
  values: Values<L>,
): void {
  for (const [name, value] of Object.entries(values) as [keyof L, number | Uint8Array][]) {
    const { offset, size } = fields[name];
    record.set(value instanceof Uint8Array ? value : le(value, size), offset);
  }
}

/** The manifest of a draft, as a value. */
export function manifestOf(draft: Draft): { readonly [key: string]: Cbor } {
  return {
    artifact_class: draft.artifactClass,
    body: draft.body,
    dependencies: draft.dependencies ?? [],
    extensions: draft.extensions ?? [],
    requirements: { features: [], memory_bytes: 0 },
    schema: "org.minimodel.slm/2.0",
    ...(draft.manifest instanceof Raw ? {} : draft.manifest),
  };
}

/** The file of a draft: offsets, sizes, ids and hashes are computed, then overrides written. */
export function build(draft: Draft): Uint8Array {
  const { artifactClass, quants = [], tensors = [], blobs = [], aux = [] } = draft;
  const manifest = draft.manifest instanceof Raw ? draft.manifest.bytes : encode(manifestOf(draft));
  const strings = Array.from(
    new Set([
      ...quants.map((q) => q.name),
      ...tensors.flatMap((t) => [t.role, t.name]),
      ...blobs.flatMap((b) => [b.name, b.media ?? "text/plain"]),
      ...(draft.strings ?? []),
    ]),
  ).sort((a, b) => compareBytes(utf8(a), utf8(b)));
  const ids = new Map(strings.map((text, i) => [text, i]));
  const id = (text: string) => ids.get(text) ?? 0;

  const quantIds = quants.map((q) =>
    slmHash("quant-profile", ident(q.name), raw(q.record.subarray(36)))
  );
  const quantTable = quants.map((q, i) => {
    const record = q.record.slice();
    write(record, Q, { profile_id: quantIds[i], canonical_name_string_id: id(q.name), ...q.set });
    return record;
  });

  const sections = [
    manifest,
    draft.stringTable ?? stringTable(strings),
    new Uint8Array(128 * quants.length),
    new Uint8Array(192 * tensors.length),
    new Uint8Array(96 * blobs.length),
    new Uint8Array(32 * aux.length),
  ];
  let end = 224;
  const places = sections.map((section) => {
    if (section.length === 0) return 0;
    const offset = alignUp(end, 64);
    end = offset + section.length;
    return offset;
  });
  const objects = [
    ...tensors.map((t) => ({ data: t.data, alignment: t.alignment ?? 64 })),
    ...blobs.map((b) => ({ data: b.data, alignment: b.alignment ?? 64 })),
  ];
  const payload = objects.length > 0 ? alignUp(end, 64) : 0;
  let at = payload;
  const offsets = objects.map(({ data, alignment }) => {
    const offset = alignUp(at, alignment);
    at = offset + data.length;
    return offset - payload;
  });
  const size = objects.length > 0 ? at : end;

  const file = new Uint8Array(size);
  const put = (place: number, records: readonly Uint8Array[]) =>
    records.reduce((at, record) => (file.set(record, at), at + record.length), place);
  put(places[0], [sections[0]]);
  put(places[1], [sections[1]]);
  put(places[2], quantTable);
  put(places[3], tensors.map((t, i) => tensorRecord(t, offsets[i])));
  put(places[4], blobs.map((b, i) => blobRecord(b, offsets[tensors.length + i])));
  put(places[5], aux.map(auxRecord));
  objects.forEach(({ data }, i) => file.set(data, payload + offsets[i]));
  const table = (i: number, count: number, record: number) =>
    [places[2 + i], count, count > 0 ? record : 0] as const;
  const [q, t, b, x] = [
    table(0, quants.length, 128),
    table(1, tensors.length, 192),
    table(2, blobs.length, 96),
    table(3, aux.length, 32),
  ];
  write(file, H, {
    magic: fromHex("534c4d320d0a1a0a"),
    format_id: utf8("minimodel.slm2\0\0"),
    header_size: 224,
    version_major: 2,
    byte_order_marker: 0x01020304,
    artifact_class: artifactClass,
    file_size: size,
    manifest_offset: places[0],
    manifest_length: manifest.length,
    string_table_offset: places[1],
    string_table_length: sections[1].length,
    quant_table_offset: q[0],
    quant_count: q[1],
    quant_record_size: q[2],
    tensor_table_offset: t[0],
    tensor_count: t[1],
    tensor_record_size: t[2],
    blob_table_offset: b[0],
    blob_count: b[1],
    blob_record_size: b[2],
    auxiliary_table_offset: x[0],
    auxiliary_count: x[1],
    auxiliary_record_size: x[2],
    payload_offset: payload,
    payload_length: objects.length > 0 ? size - payload : 0,
    ...draft.header,
  });
  return file;

  function tensorRecord(t: TensorDraft, offset: number): Uint8Array {
    const record = new Uint8Array(192);
    const elements = t.shape.reduce((n, d) => n * d, 1);
    const type = t.quant === undefined ? t.type ?? 1 : 256;
    const shape = concat(...t.shape.map((d) => le(d, 8)));
    const hash = slmHash(
      "tensor-payload",
      u16(artifactClass),
      ident(t.role),
      ident(t.name),
      raw(concat(Uint8Array.of(t.shape.length), shape)),
      u16(type),
      digest(t.quant === undefined ? fill32(0) : quantIds[t.quant]),
      u64(elements),
      raw(t.data),
    );
    write(record, T, {
      record_version: 1,
      rank: t.shape.length,
      element_type: type,
      quant_profile_index: t.quant ?? 0xffff,
      semantic_role_string_id: id(t.role),
      canonical_name_string_id: id(t.name),
      layer: t.layer ?? -1,
      subindex_0: -1,
      subindex_1: -1,
      shape,
      logical_element_count: elements,
      stored_bytes: t.data.length,
      payload_relative_offset: offset,
      payload_length: t.data.length,
      payload_alignment: t.alignment ?? 64,
      auxiliary_first: t.run?.[0] ?? 0,
      auxiliary_count: t.run?.[1] ?? 0,
      payload_hash: hash,
    });
    if (t.quant !== undefined) {
      const profile = quantTable[t.quant];
      const copy = (own: Field, of: Field) =>
        record.set(profile.subarray(of.offset, of.offset + of.size), own.offset);
      copy(T.block_elements, Q.block_elements);
      copy(T.block_bytes, Q.block_bytes);
      copy(T.scale_type, Q.scale_type);
      copy(T.zero_point_type, Q.zero_point_type);
      copy(T.packing_order, Q.packing_order);
      copy(T.accumulator_type, Q.accumulator_type);
      copy(T.tail_rule, Q.tail_rule);
    }
    write(record, T, t.set ?? {});
    return record;
  }

  function blobRecord(b: BlobDraft, offset: number): Uint8Array {
    const record = new Uint8Array(96);
    const media = b.media ?? "text/plain";
    write(record, B, {
      record_version: 1,
      blob_kind: b.kind,
      canonical_name_string_id: id(b.name),
      media_type_string_id: id(media),
      payload_relative_offset: offset,
      payload_length: b.data.length,
      logical_length: b.data.length,
      alignment: b.alignment ?? 64,
      content_hash: slmHash(
        "blob-payload",
        u16(artifactClass),
        u16(b.kind),
        ident(b.name),
        ident(media),
        u64(b.data.length),
        raw(b.data),
      ),
      ...b.set,
    });
    return record;
  }
}

function auxRecord(a: AuxDraft): Uint8Array {
  const record = new Uint8Array(32);
  write(record, A, {
    owner: a.owner,
    kind: a.kind,
    target: a.target,
    axis: a.axis ?? 0,
    group_size: a.group ?? 1,
    block_stride: a.stride ?? 0,
    ...a.set,
  });
  return record;
}

/** A string table of the strings as they are given. */
export function stringTable(strings: readonly string[]): Uint8Array {
  if (strings.length === 0) return new Uint8Array(0);
  const pool = strings.map(utf8);
  let at = 0;
  const offsets = [0, ...pool.map((string) => at += string.length)];
  return joined([wordList([strings.length, at, ...offsets]), ...pool]);
}
