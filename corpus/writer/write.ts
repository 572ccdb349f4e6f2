/** Descriptions to bytes: `write`, `writeTo` for large artifacts, `assemble` without judgement. */
import type { Identities } from "../../readers/contract.ts";
import { concat, join } from "./bytes.ts";
import { encode, lookup } from "./cbor.ts";
import { type Description, type Payload, payloadSize, type Target } from "./description.ts";
import { BLOB, QUANT, record, RECORDS, TENSOR } from "./fields.ts";
import type { WriteError } from "./fault.ts";
import * as id from "./identity.ts";
import { judge } from "./judge.ts";
import { layOut, placeObjects, placeSections, type Sections } from "./layout.ts";
import { manifestOf } from "./manifest.ts";
import { PieceHashes } from "./pieces.ts";
import { encodeStrings, type Plan, planOf } from "./plan.ts";
import { quantFields, storedBytes } from "./storage.ts";

/** How many bytes of a payload are held at a time. */
const WINDOW = 1 << 20;

const COMPOSITION = 6;

/** A whole artifact. */
export interface Written {
  readonly bytes: Uint8Array;
  readonly identities: Identities;
}

/**
 * Writes the one file that a description has.
 * @returns the file and its identities (section 9), or the first fault of the description
 * @throws whatever a payload source throws
 */
export function write(description: Description): Written | WriteError {
  return judge(description) ?? inMemory(description);
}

/**
 * As `write`, of a description that nobody judged: every offset, length and hash is derived, and
 * whatever else is wrong stays wrong. For artifacts that are meant to be rejected.
 * @throws RangeError where a payload source is short, or an integer has no encoding
 */
export function assemble(description: Description): Written {
  const written = inMemory(description);
  if ("code" in written) throw new RangeError(`${written.where}: ${written.expected}`);
  return written;
}

/** What `writeTo` has written. */
export interface WrittenTo {
  readonly file_size: number;
  readonly identities: Identities;
}

/**
 * Writes an artifact of any size: payload goes through in windows and is read once; what was
 * written is read back for `whole_file` and the pieces.
 * @param target may hold anything after a `WriteError`
 * @param options `pieces: false` leaves piece_count and piece_root out, and their work undone
 * @throws whatever the target or a payload source throws
 */
export function writeTo(
  target: Target,
  description: Description,
  options: { readonly pieces?: boolean } = {},
): WrittenTo | WriteError {
  return judge(description) ?? new Writing(description).to(target, options.pieces ?? true);
}

function inMemory(description: Description): Written | WriteError {
  const writing = new Writing(description);
  const bytes = new Uint8Array(writing.file_size);
  const written = writing.to({
    write: (offset, part) => bytes.set(part, offset),
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  }, true);
  return "code" in written ? written : { bytes, identities: written.identities };
}

/** One artifact on its way from description to target. */
class Writing {
  readonly #class: number;
  readonly #plan: Plan;
  readonly #manifest;
  readonly #manifest_bytes: Uint8Array;
  readonly #strings: Uint8Array;
  readonly #payload_offset: number;
  readonly #objects;
  readonly file_size: number;

  constructor(description: Description) {
    this.#class = description.artifact_class;
    this.#plan = planOf(description);
    this.#manifest = manifestOf(description);
    this.#manifest_bytes = encode(this.#manifest.item);
    this.#strings = encodeStrings(this.#plan.strings);
    const { profiles, tensors, blobs, auxiliaries } = this.#plan;
    const { end, payload_offset } = placeSections({
      manifest: this.#manifest_bytes.length,
      strings: this.#strings.length,
      quant: profiles.length * RECORDS.quant.size,
      tensor: tensors.length * RECORDS.tensor.size,
      blob: blobs.length * RECORDS.blob.size,
      auxiliary: auxiliaries.length,
    });
    this.#payload_offset = payload_offset;
    this.#objects = placeObjects(
      payload_offset,
      [...tensors.map((one) => one.description), ...blobs].map(({ payload, alignment }) => ({
        length: payloadSize(payload),
        alignment: alignment ?? 64,
      })),
    );
    const last = this.#objects.at(-1);
    this.file_size = last ? last.offset + last.length : end;
  }

  to(target: Target, pieces: boolean): WrittenTo | WriteError {
    const hashes = this.#writePayload(target);
    if ("code" in hashes) return hashes;
    const { tensors, blobs } = hashes;
    target.write(0, this.#head(tensors, blobs));
    const identities = {
      class: this.#class,
      ...this.#readBack(target, pieces),
      ...this.#identities(tensors, blobs),
    };
    return { file_size: this.file_size, identities };
  }

  /** Payload objects and the zeros before each, hashed in the pass that writes them. */
  #writePayload(target: Target) {
    const window = new Uint8Array(Math.min(WINDOW, this.file_size));
    const { tensors, blobs } = this.#plan;
    const objects = [
      ...tensors.map(({ description, key }) => ({
        where: `tensor ${key.name}`,
        payload: description.payload,
        hasher: (length: number) => id.tensorPayload(this.#class, key, length),
      })),
      ...blobs.map((blob) => ({
        where: `blob ${blob.name}`,
        payload: blob.payload,
        hasher: (length: number) => id.blobPayload(this.#class, blob, length),
      })),
    ];
    const hashes: Uint8Array[] = [];
    let end = this.#payload_offset;
    for (const [i, { where, payload, hasher }] of objects.entries()) {
      const { offset, length } = this.#objects[i];
      target.write(end, new Uint8Array(offset - end));
      const hash = hasher(length);
      const full = eachWindow(payload, length, window, (part, at) => {
        hash.update(part);
        target.write(offset + at, part);
      });
      if (!full) return short(where, length);
      hashes.push(hash.finish());
      end = offset + length;
    }
    return { tensors: hashes.slice(0, tensors.length), blobs: hashes.slice(tensors.length) };
  }

  #head(tensors: readonly Uint8Array[], blobs: readonly Uint8Array[]): Uint8Array {
    const last = this.#objects.at(-1);
    const sections: Sections = {
      manifest: this.#manifest_bytes,
      strings: this.#strings,
      quant: join(this.#plan.profiles.map((one) => this.#quantRecord(one))),
      tensor: join(tensors.map((hash, i) => this.#tensorRecord(i, hash))),
      blob: join(blobs.map((hash, i) => this.#blobRecord(i, hash))),
      auxiliary: this.#plan.auxiliaries,
    };
    return layOut(
      this.#class,
      sections,
      last ? last.offset + last.length - this.#payload_offset : 0,
    );
  }

  #quantRecord({ profile, id, body }: Plan["profiles"][number]): Uint8Array {
    const head = record(QUANT, 36, {
      profile_id: id,
      canonical_name_string_id: this.#plan.stringId(profile.name),
    });
    return concat(head, body);
  }

  #tensorRecord(index: number, payload_hash: Uint8Array): Uint8Array {
    const { key, storage, description, ...planned } = this.#plan.tensors[index];
    const { offset, length } = this.#objects[index];
    const shape = key.shape.slice(0, 8).map((n, axis) => [`shape_${axis}`, n]);
    return record(TENSOR, RECORDS.tensor.size, {
      record_version: 1,
      rank: key.shape.length,
      element_type: key.element_type,
      semantic_role_string_id: this.#plan.stringId(key.role),
      canonical_name_string_id: this.#plan.stringId(key.name),
      layer: key.layer,
      subindex_0: key.subindex_0,
      subindex_1: key.subindex_1,
      ...Object.fromEntries(shape),
      logical_element_count: key.elements,
      stored_bytes: storedBytes(key.shape, storage),
      payload_relative_offset: offset - this.#payload_offset,
      payload_length: length,
      payload_alignment: description.alignment ?? 64,
      ...quantFields(storage, planned.profile_index),
      auxiliary_first: planned.auxiliary_first,
      auxiliary_count: planned.auxiliary_count,
      payload_hash,
    });
  }

  #blobRecord(index: number, content_hash: Uint8Array): Uint8Array {
    const { kind, name, media_type, alignment } = this.#plan.blobs[index];
    const { offset, length } = this.#objects[this.#plan.tensors.length + index];
    return record(BLOB, RECORDS.blob.size, {
      record_version: 1,
      blob_kind: kind,
      canonical_name_string_id: this.#plan.stringId(name),
      media_type_string_id: this.#plan.stringId(media_type),
      payload_relative_offset: offset - this.#payload_offset,
      payload_length: length,
      logical_length: length,
      alignment: alignment ?? 64,
      content_hash,
    });
  }

  /** The identities of the bytes as they now stand in the target. */
  #readBack(target: Target, pieces: boolean) {
    const size = this.file_size;
    const file = { size: () => size, read: target.read.bind(target) };
    const whole = id.slmHasher("whole-file", [], size);
    const set = pieces ? new PieceHashes(size) : null;
    const window = new Uint8Array(Math.min(WINDOW, size));
    const full = eachWindow(file, size, window, (part) => {
      whole.update(part);
      set?.update(part);
    });
    if (!full) throw new RangeError("the target gives back less than was written");
    const whole_file = id.toHex(whole.finish());
    if (set === null) return { whole_file };
    return { whole_file, piece_count: set.hashes.length, piece_root: id.toHex(set.root()) };
  }

  #identities(tensors: readonly Uint8Array[], blobs: readonly Uint8Array[]) {
    const { body, requirements, semantic } = this.#manifest;
    const semantic_manifest = id.semanticManifestId(this.#class, semantic);
    const tensor_layout = id.tensorLayout(
      id.architectureId(lookup(body, "architecture")),
      this.#plan.tensors.map(({ key }) => key),
      this.#plan.auxiliaries,
    );
    const artifact_id = this.#class === COMPOSITION
      ? id.compositionId(body, requirements)
      : id.artifactId(this.#class, semantic_manifest, tensor_layout, tensors, blobs);
    return {
      manifest: id.toHex(id.manifestId(this.#class, this.#manifest_bytes)),
      semantic_manifest: id.toHex(semantic_manifest),
      tensor_layout: id.toHex(tensor_layout),
      artifact_id: id.toHex(artifact_id),
      profiles: this.#plan.profiles.map((one) => id.toHex(one.id)),
      tensors: tensors.map(id.toHex),
      blobs: blobs.map(id.toHex),
    };
  }
}

const short = (where: string, length: number): WriteError => ({
  code: "PayloadShort",
  where,
  expected: `${length} bytes, as its source said`,
});

/** Goes through `length` bytes of a payload in windows; false where the source is short. */
export function eachWindow(
  payload: Payload,
  length: number,
  window: Uint8Array,
  visit: (part: Uint8Array, offset: number) => void,
): boolean {
  if (payload instanceof Uint8Array) {
    visit(payload, 0);
    return true;
  }
  for (let at = 0; at < length;) {
    const part = window.subarray(0, Math.min(window.length, length - at));
    if (payload.read(at, part) !== part.length) return false;
    visit(part, at);
    at += part.length;
  }
  return true;
}
