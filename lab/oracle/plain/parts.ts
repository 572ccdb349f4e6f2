/** What a tokenizer's manifest and blobs say, as plain lists and maps (classes.md section 4). */
import type { Candidate, Value } from "../../../readers/contract.ts";

export type Op = readonly [name: string, ...operands: (string | number | bigint)[]];
export type Edge = { readonly auto: boolean; readonly id: number | null };

/** An added token and its flags. */
export interface Added {
  readonly id: number;
  readonly text: string;
  readonly singleWord: boolean;
  readonly leftStrip: boolean;
  readonly rightStrip: boolean;
  readonly normalized: boolean;
}

/** Byte strings hold one code unit a byte, so that they can be keys, be joined and be cut. */
export interface PlainParts {
  readonly kind: string;
  readonly added_prefix_space: boolean;
  readonly byte_fallback: boolean;
  readonly max_expansion: bigint;
  readonly normalizer: readonly Op[];
  readonly pretokenizer: readonly Op[];
  readonly space_marker: string | null;
  readonly unknown: { readonly id: number | null; readonly policy: "reject" | "token" | "bytes" };
  readonly bos: Edge;
  readonly eos: Edge;
  /** bytes of each token */
  readonly entries: readonly string[];
  /** lowest id of each byte string that a lookup may yield */
  readonly ids: ReadonlyMap<string, number>;
  /** bytes of the longest entry */
  readonly longest: number;
  /** of "left right": the merges that take part in encoding */
  readonly merges: ReadonlyMap<string, { readonly rank: number; readonly result: number }>;
  readonly scores: readonly number[];
  /** the kind 4 blob, byte strings */
  readonly replacements: readonly (readonly [source: string, target: string])[];
  readonly fallback: readonly number[];
  readonly added: readonly Added[];
}

const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A text's UTF-8 as a byte string. */
export const bytesOf = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? text : stringOf(utf8.encode(text));

/** The text of a byte string; null where it is no UTF-8. */
export function textOf(bytes: string): string | null {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  try {
    return strict.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

function stringOf(bytes: Uint8Array): string {
  let string = "";
  for (const byte of bytes) string += String.fromCharCode(byte);
  return string;
}

/** Reads fields of a blob one after another, little-endian. */
class Fields {
  #at = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  u8 = (): number => this.bytes[this.#at++];
  u16 = (): number => this.#view.getUint16((this.#at += 2) - 2, true);
  u32 = (): number => this.#view.getUint32((this.#at += 4) - 4, true);
  f32 = (): number => this.#view.getFloat32((this.#at += 4) - 4, true);
  text = (length: number): string => stringOf(this.bytes.subarray(this.#at, this.#at += length));
}

const times = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);

/** The parts of an accepted candidate of class 4, whose blobs hold to their grammar. */
export function plainParts(
  { manifest, blobs: records }: Candidate,
  blobs: (index: number) => Uint8Array,
): PlainParts {
  const body = fieldsOf(manifest.get("body"));
  const blob = (kind: number): Fields | null => {
    const index = records.findIndex((record) => record.kind === kind);
    return index < 0 ? null : new Fields(blobs(index));
  };
  const list = <T>(kind: number, read: (fields: Fields) => T[]): T[] => {
    const fields = blob(kind);
    return fields === null ? [] : read(fields);
  };
  const counted = <T>(kind: number, one: (fields: Fields) => T): T[] =>
    list(kind, (fields) => times(fields.u32(), () => one(fields)));

  const entries = list(1, (fields) => {
    const count = fields.u32();
    const offsets = times(count + 1, fields.u32);
    const all = fields.text(offsets[count]);
    return times(count, () => "").map((_, id) => all.slice(offsets[id], offsets[id + 1]));
  });
  const named = counted(6, (fields) => ({ id: fields.u32(), flags: fields.u8() }));
  const fallback = list(5, (fields) => times(256, fields.u32));
  const addedIds = new Set(named.map(({ id }) => id));

  const kind = body.kind as string;
  const hidden = new Set([...addedIds, ...kind === "byte-level-bpe/1" ? [] : fallback]);
  const ids = new Map<string, number>();
  entries.forEach((bytes, id) => {
    if (!hidden.has(id) && !ids.has(bytes)) ids.set(bytes, id);
  });

  const merges: Map<string, { rank: number; result: number }> = new Map();
  counted(2, (fields) => [fields.u32(), fields.u32(), fields.u32()])
    .forEach(([left, right, result], rank) => {
      if ([left, right, result].some((id) => addedIds.has(id))) return;
      merges.set(`${left} ${right}`, { rank, result });
    });

  return {
    kind,
    added_prefix_space: body.added_prefix_space as boolean,
    byte_fallback: body.byte_fallback as boolean,
    max_expansion: BigInt(body.max_expansion as number | bigint),
    normalizer: body.normalizer as unknown as readonly Op[],
    pretokenizer: body.pretokenizer as unknown as readonly Op[],
    space_marker: body.space_marker as string | null,
    unknown: fieldsOf(body.unknown) as unknown as PlainParts["unknown"],
    bos: fieldsOf(body.bos) as unknown as Edge,
    eos: fieldsOf(body.eos) as unknown as Edge,
    entries,
    ids,
    longest: Math.max(0, ...entries.map((bytes) => bytes.length)),
    merges,
    scores: counted(3, (fields) => fields.f32()),
    replacements: counted(4, (fields) => {
      const source = fields.text(fields.u16());
      return [source, fields.text(fields.u16())] as const;
    }),
    fallback,
    added: named.flatMap(({ id, flags }): Added[] => {
      const text = textOf(entries[id]);
      return text === null || text === "" ? [] : [{
        id,
        text,
        singleWord: (flags & 2) !== 0,
        leftStrip: (flags & 4) !== 0,
        rightStrip: (flags & 8) !== 0,
        normalized: (flags & 16) !== 0,
      }];
    }),
  };
}

const fieldsOf = (item: Value | undefined): { readonly [field: string]: Value } =>
  Object.fromEntries(item as ReadonlyMap<string, Value>);
