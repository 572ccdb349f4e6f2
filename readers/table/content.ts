/** Stage 26: one pass over the payload that hashes everything and judges each object. */
import type { Artifact } from "./artifact.ts";
import { blobJudge, missingBlob } from "./blob_content.ts";
import { type Fault, reject, SOURCE_IO } from "./fault.ts";
import { object, sameDigest, wholeFile } from "./hash.ts";
import { profileOf } from "./identities.ts";
import { B, T } from "./layouts.ts";
import { paddingJudge } from "./padding.ts";
import { Objects } from "./payload.ts";
import { Pieces } from "./pieces.ts";
import { TensorRow } from "./tensors.ts";

/** What judges an object while its bytes stream by, in order and without gaps. */
export interface Judge {
  add(bytes: Uint8Array): void;
  /** After the last byte, and only where the hash holds. */
  end(): Fault;
}

/** Stage 26. Leaves the hashes of file and pieces. */
export function checkContent(artifact: Artifact): Fault {
  const { input, payload, workspace, request } = artifact;
  const pieces = request.pieces === false ? null : new Pieces(input.size);
  const objects = new Objects(artifact);
  const pass = (bytes: Uint8Array) => {
    wholeFile.add(bytes);
    pieces?.add(bytes);
  };
  wholeFile.begin("whole-file", 1).open(input.size);
  pass(artifact.bytes);
  let at = payload.offset;
  for (let i = 0; i < objects.count; i++) {
    const { start, end } = objects.extent(i);
    if (!stream(at, start, pass)) return SOURCE_IO;
    beginHash(artifact, objects, i);
    const judge = objects.isTensor(i)
      ? paddingJudge(artifact, i)
      : blobJudge(artifact, objects.row(i));
    const isRead = stream(start, end, (bytes) => {
      pass(bytes);
      object.add(bytes);
      judge?.add(bytes);
    });
    if (!isRead) return SOURCE_IO;
    const fault = hashFault(artifact, objects, i) ?? judge?.end() ?? null;
    if (fault !== null) return fault;
    at = end;
  }
  const missing = missingBlob(artifact);
  if (missing !== null) return missing;
  artifact.hashes = {
    wholeFile: wholeFile.end(),
    pieceCount: pieces?.tree.count ?? 0,
    pieceRoot: pieces?.tree.root() ?? null,
  };
  return null;

  /** Shows [from, to) in order through the window. */
  function stream(from: number, to: number, sink: (bytes: Uint8Array) => void): boolean {
    for (let at = from; at < to;) {
      const view = workspace.payload.at(at);
      if (view === null) return false;
      const bytes = view.length > to - at ? view.subarray(0, to - at) : view;
      sink(bytes);
      at += bytes.length;
    }
    return true;
  }
}

/** `tensor_payload` and `blob_payload` (section 9), up to the payload. */
function beginHash(artifact: Artifact, objects: Objects, i: number): void {
  const { artifactClass, strings, blobs } = artifact;
  const length = objects.get(i, T.payload_length, B.payload_length);
  if (!objects.isTensor(i)) {
    const row = objects.row(i);
    object.begin("blob-payload", 6).u16(artifactClass).u16(blobs.get(row, B.blob_kind))
      .ident(strings.raw(blobs.get(row, B.canonical_name_string_id)))
      .ident(strings.raw(blobs.get(row, B.media_type_string_id)))
      .u64(length).open(length);
    return;
  }
  const t = new TensorRow(artifact).to(i);
  object.begin("tensor-payload", 8).u16(artifactClass)
    .ident(strings.raw(t.get(T.semantic_role_string_id)))
    .ident(strings.raw(t.get(T.canonical_name_string_id)))
    .open(1 + 8 * t.rank).put(t.rank, 1);
  for (let axis = 0; axis < t.rank; axis++) object.put(t.dimension(axis), 8);
  object.u16(t.get(T.element_type)).digest(profileOf(artifact, i))
    .u64(t.get(T.logical_element_count)).open(length);
}

function hashFault(artifact: Artifact, objects: Objects, i: number): Fault {
  const rows = objects.isTensor(i) ? artifact.tensors : artifact.blobs;
  const field = objects.isTensor(i) ? T.payload_hash : B.content_hash;
  const where = rows.where(objects.row(i), field);
  if (sameDigest(rows.bytes, where, object.end())) return null;
  const { start } = objects.extent(i);
  return reject(26, "PayloadHashMismatch", "payload", start, "bytes that have the record's hash");
}
