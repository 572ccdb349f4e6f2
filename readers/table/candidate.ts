/** The decoded form of an accepted artifact, made when it is asked for. */
import type { Candidate } from "../contract.ts";
import type { Accepted } from "./artifact.ts";
import { hex } from "./fields.ts";
import { A, B, DENSE, Q, T } from "./layouts.ts";
import { Objects } from "./payload.ts";
import { TensorRow } from "./tensors.ts";

export function candidateOf({ artifact, identities }: Accepted): Candidate {
  const { input, manifest, strings, quants, tensors, blobs, auxiliaries } = artifact;
  const objects = new Objects(artifact);
  const list = <X>(count: number, make: (row: number) => X) =>
    Array.from({ length: count }, (_, row) => make(row));
  return {
    source: input.source,
    artifact_class: artifact.artifactClass,
    file_size: input.size,
    manifest: manifest.map(manifest.root),
    profiles: list(quants.count, (row) => {
      const at = quants.where(row, Q.profile_id);
      return {
        profile_id: hex(quants.raw(row, Q.profile_id)),
        name: strings.text(quants.get(row, Q.canonical_name_string_id)),
        record: quants.bytes.slice(at, at + quants.size),
      };
    }),
    tensors: list(tensors.count, (row) => {
      const t = new TensorRow(artifact).to(row);
      const index = t.get(T.quant_profile_index);
      const { start, end } = objects.extent(row);
      return {
        role: strings.text(t.get(T.semantic_role_string_id)),
        name: strings.text(t.get(T.canonical_name_string_id)),
        layer: t.get(T.layer),
        subindex_0: t.get(T.subindex_0),
        subindex_1: t.get(T.subindex_1),
        element_type: t.get(T.element_type),
        profile: index === DENSE ? null : index,
        shape: t.shape,
        elements: t.get(T.logical_element_count),
        offset: start,
        length: end - start,
        payload_hash: hex(t.raw(T.payload_hash)),
        auxiliary_first: t.get(T.auxiliary_first),
        auxiliary_count: t.get(T.auxiliary_count),
      };
    }),
    blobs: list(blobs.count, (row) => {
      const { start, end } = objects.extent(tensors.count + row);
      return {
        kind: blobs.get(row, B.blob_kind),
        name: strings.text(blobs.get(row, B.canonical_name_string_id)),
        media_type: strings.text(blobs.get(row, B.media_type_string_id)),
        offset: start,
        length: end - start,
        content_hash: hex(blobs.raw(row, B.content_hash)),
      };
    }),
    auxiliaries: list(auxiliaries.count, (row) => ({
      owner: auxiliaries.get(row, A.owner),
      kind: auxiliaries.get(row, A.kind),
      target: auxiliaries.get(row, A.target),
      axis: auxiliaries.get(row, A.axis),
      group_size: auxiliaries.get(row, A.group_size),
      block_stride: auxiliaries.get(row, A.block_stride),
    })),
    identities,
  };
}
