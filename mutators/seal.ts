/**
 * Sealing: every hash that a file carries about itself is computed anew, so that a fault behind
 * a hash is judged for what it is. Profiles go back into the order of their new ids.
 */
import { BLOB, QUANT, TENSOR } from "../corpus/writer/fields.ts";
import { compare } from "../corpus/writer/bytes.ts";
import { type Field, int16, int64, raw, slmHash } from "../corpus/writer/identity.ts";
import { DENSE } from "../corpus/writer/profiles.ts";
import { type Artifact, type Entry, stringsOf } from "./artifact.ts";
import { getU16, getU32, getU64, putU16 } from "./bytes.ts";

const NO_BYTES = new Uint8Array(0);
const NO_PROFILE = new Uint8Array(32);

/** Recomputes profile ids, payload hashes and content hashes in place (sections 7.2 and 9). */
export function seal(artifact: Artifact): void {
  const strings = stringsOf(artifact.strings);
  const text = (
    record: Uint8Array,
    at: number,
  ): Field => [2, strings[getU32(record, at)] ?? NO_BYTES];
  for (const record of artifact.quants) {
    const name = text(record, QUANT.canonical_name_string_id[0]);
    record.set(slmHash("quant-profile", name, raw(record.subarray(36))));
  }
  sortProfiles(artifact);
  const artifact_class = int16(getU16(artifact.header, 36));
  for (const { record, object } of artifact.tensors) {
    const profile = artifact.quants[getU16(record, TENSOR.quant_profile_index[0])];
    record.set(
      slmHash(
        "tensor-payload",
        artifact_class,
        text(record, TENSOR.semantic_role_string_id[0]),
        text(record, TENSOR.canonical_name_string_id[0]),
        raw(shapeOf(record)),
        int16(getU16(record, TENSOR.element_type[0])),
        [4, profile?.subarray(0, 32) ?? NO_PROFILE],
        int64(getU64(record, TENSOR.logical_element_count[0])),
        raw(object),
      ),
      TENSOR.payload_hash[0],
    );
  }
  for (const entry of artifact.blobs) sealBlob(entry, artifact_class, text);
}

function sealBlob(
  { record, object }: Entry,
  artifact_class: Field,
  text: (record: Uint8Array, at: number) => Field,
): void {
  const hash = slmHash(
    "blob-payload",
    artifact_class,
    int16(getU16(record, BLOB.blob_kind[0])),
    text(record, BLOB.canonical_name_string_id[0]),
    text(record, BLOB.media_type_string_id[0]),
    int64(object.length),
    raw(object),
  );
  record.set(hash, BLOB.content_hash[0]);
}

/** `shape_encoding`: the dimensions stand in the record as they are hashed. */
export function shapeOf(record: Uint8Array): Uint8Array {
  const rank = Math.min(record[TENSOR.rank[0]], 8);
  const encoding = new Uint8Array(1 + 8 * rank);
  encoding[0] = rank;
  encoding.set(record.subarray(TENSOR.shape_0[0], TENSOR.shape_0[0] + 8 * rank), 1);
  return encoding;
}

function sortProfiles({ quants, tensors }: Artifact): void {
  const order = quants.map((_, i) => i);
  order.sort((a, b) => compare(quants[a].subarray(0, 32), quants[b].subarray(0, 32)));
  if (order.every((from, to) => from === to)) return;
  const sorted = order.map((from) => quants[from]);
  const moved: number[] = [];
  for (const [to, from] of order.entries()) moved[from] = to;
  for (let i = 0; i < sorted.length; i++) quants[i] = sorted[i];
  for (const { record } of tensors) {
    const at = TENSOR.quant_profile_index[0], index = getU16(record, at);
    if (index !== DENSE && index < moved.length) putU16(record, at, moved[index]);
  }
}
