/** An accepted artifact, decoded for a runtime (contract.ts, `Candidate`). */
import type { Auxiliary, Blob, Candidate, Identities, QuantProfile, Tensor } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { hex, u32 } from "./bytes.ts";
import {
  auxiliary,
  AUXILIARY_RECORD,
  blobRecord,
  CONTENT_HASH,
  DENSE,
  PAYLOAD_HASH,
  PROFILE,
  QUANT_RECORD,
  tensor,
  TENSOR_RECORD,
} from "./records.ts";

/** Decodes an accepted artifact. */
export function candidateOf(artifact: Artifact, identities: Identities): Candidate {
  const { sections } = artifact;
  const list = <T>(count: number, one: (artifact: Artifact, index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => one(artifact, index));
  return {
    source: artifact.source,
    artifact_class: artifact.artifact_class,
    file_size: artifact.size,
    manifest: artifact.tape.map(0),
    profiles: list(sections.quant.count, profileOf),
    tensors: list(sections.tensors.count, tensorOf),
    blobs: list(sections.blobs.count, blobOf),
    auxiliaries: list(sections.auxiliary.count, auxiliaryOf),
    identities,
  };
}

function profileOf({ bytes, sections, strings }: Artifact, index: number): QuantProfile {
  const at = sections.quant.offset + QUANT_RECORD * index;
  return {
    profile_id: hex(bytes, at, 32),
    name: strings.text(u32(bytes, at + PROFILE.canonical_name)),
    record: bytes.slice(at, at + QUANT_RECORD),
  };
}

function tensorOf({ bytes, sections, strings }: Artifact, index: number): Tensor {
  const at = sections.tensors.offset + TENSOR_RECORD * index;
  const profile = tensor.profile(bytes, at);
  return {
    role: strings.text(tensor.role(bytes, at)),
    name: strings.text(tensor.name(bytes, at)),
    layer: tensor.layer(bytes, at),
    subindex_0: tensor.subindex_0(bytes, at),
    subindex_1: tensor.subindex_1(bytes, at),
    element_type: tensor.element_type(bytes, at),
    profile: profile === DENSE ? null : profile,
    shape: Array.from(
      { length: tensor.rank(bytes, at) },
      (_, axis) => tensor.dimension(bytes, at, axis),
    ),
    elements: tensor.elements(bytes, at),
    offset: sections.payload.offset + tensor.relativeOffset(bytes, at),
    length: tensor.length(bytes, at),
    payload_hash: hex(bytes, at + PAYLOAD_HASH, 32),
    auxiliary_first: tensor.auxiliary_first(bytes, at),
    auxiliary_count: tensor.auxiliary_count(bytes, at),
  };
}

function blobOf(artifact: Artifact, index: number): Blob {
  const { bytes, sections, strings } = artifact;
  const blob = blobRecord(artifact, index);
  return {
    kind: blob.kind,
    name: strings.text(blob.name),
    media_type: strings.text(blob.media_type),
    offset: sections.payload.offset + blob.relativeOffset,
    length: blob.length,
    content_hash: hex(bytes, blob.at + CONTENT_HASH, 32),
  };
}

function auxiliaryOf({ bytes, sections }: Artifact, index: number): Auxiliary {
  const at = sections.auxiliary.offset + AUXILIARY_RECORD * index;
  return {
    owner: auxiliary.owner(bytes, at),
    kind: auxiliary.kind(bytes, at),
    target: auxiliary.target(bytes, at),
    axis: auxiliary.axis(bytes, at),
    group_size: auxiliary.group_size(bytes, at),
    block_stride: auxiliary.block_stride(bytes, at),
  };
}
