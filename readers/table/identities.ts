/** Identities (section 9) of a file that passed stage 26. */
import type { Identities } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { hex } from "./fields.ts";
import { once } from "./hash.ts";
import { B, CLASSES, DENSE, Q, T } from "./layouts.ts";
import type { Item } from "./manifest.ts";
import { TensorRow } from "./tensors.ts";

const NO_PROFILE = new Uint8Array(32);
/** An empty CBOR array: what is left of `extensions` without the noncritical ones. */
const NO_EXTENSIONS = Uint8Array.of(0x80);

/** The profile_id that hashes take: of a dense tensor, zeros. */
export function profileOf(artifact: Artifact, row: number): Uint8Array {
  const index = artifact.tensors.get(row, T.quant_profile_index);
  return index === DENSE ? NO_PROFILE : artifact.quants.raw(index, Q.profile_id);
}

function manifestId({ manifest: m, artifactClass }: Artifact): Uint8Array {
  return once.begin("manifest", 2).u16(artifactClass).raw(m.bytes.subarray(m.root, m.end)).end();
}

/** No critical extension is registered, so an accepted manifest has noncritical ones only. */
function semanticManifest({ manifest: m, artifactClass }: Artifact): Uint8Array {
  const extensions = m.get(m.root, "extensions");
  const before = m.bytes.subarray(m.root, extensions);
  const after = m.bytes.subarray(m.next(extensions), m.end);
  return once.begin("semantic-manifest", 2).u16(artifactClass)
    .openCbor(before.length + NO_EXTENSIONS.length + after.length)
    .add(before).add(NO_EXTENSIONS).add(after).end();
}

function architecture({ manifest: m, body }: Artifact): Uint8Array {
  const at = m.find(body, "architecture");
  return once.begin("architecture", 1).cbor(at < 0 ? new Uint8Array(0) : m.encoding(at)).end();
}

let emptyLayout: Uint8Array | null = null;

/** A file with neither architecture nor tensors always has the same layout. */
function layoutOf(artifact: Artifact): Uint8Array {
  const isEmpty = artifact.tensors.count === 0 &&
    artifact.manifest.find(artifact.body, "architecture") < 0;
  if (!isEmpty) return tensorLayout(artifact);
  return emptyLayout ??= tensorLayout(artifact);
}

function tensorLayout(artifact: Artifact): Uint8Array {
  const { tensors, strings, auxiliaries } = artifact;
  const t = new TensorRow(artifact);
  const architectureId = architecture(artifact);
  let keys = 4;
  let shapes = 0;
  for (t.to(0); t.index < tensors.count; t.index++) {
    keys += 16 + strings.raw(t.get(T.semantic_role_string_id)).length +
      strings.raw(t.get(T.canonical_name_string_id)).length;
    shapes += 1 + 8 * t.rank;
  }
  const hash = once.begin("tensor-layout", 5).digest(architectureId);
  hash.open(keys).put(tensors.count, 4);
  for (t.to(0); t.index < tensors.count; t.index++) {
    const role = strings.raw(t.get(T.semantic_role_string_id));
    const name = strings.raw(t.get(T.canonical_name_string_id));
    hash.put(role.length, 2).add(role)
      .put(t.get(T.layer), 4).put(t.get(T.subindex_0), 4).put(t.get(T.subindex_1), 4)
      .put(name.length, 2).add(name);
  }
  hash.open(shapes);
  for (t.to(0); t.index < tensors.count; t.index++) {
    hash.put(t.rank, 1);
    for (let axis = 0; axis < t.rank; axis++) hash.put(t.dimension(axis), 8);
  }
  hash.open(34 * tensors.count);
  for (t.to(0); t.index < tensors.count; t.index++) {
    hash.put(t.get(T.element_type), 2).add(profileOf(artifact, t.index));
  }
  const records = auxiliaries.bytes.subarray(
    auxiliaries.offset,
    auxiliaries.offset + auxiliaries.count * auxiliaries.size,
  );
  return hash.open(4 + records.length).put(auxiliaries.count, 4).add(records).end();
}

function artifactId(artifact: Artifact, semantic: Uint8Array, layout: Uint8Array): Uint8Array {
  const { artifactClass, tensors, blobs } = artifact;
  const domain = CLASSES.get(artifactClass)?.domain ?? "";
  if (domain === "composition") return compositionId(artifact);
  const hash = once.begin(domain, 5).u16(artifactClass).digest(semantic).digest(layout);
  hash.digests(tensors.count);
  for (let row = 0; row < tensors.count; row++) hash.add(tensors.raw(row, T.payload_hash));
  hash.digests(blobs.count);
  for (let row = 0; row < blobs.count; row++) hash.add(blobs.raw(row, B.content_hash));
  return hash.end();
}

/** `composition_id` (`classes.md` section 6). */
function compositionId(artifact: Artifact): Uint8Array {
  const { manifest: m } = artifact;
  const digest = (at: Item) => m.isNull(at) ? null : m.string(at);
  const base = m.string(artifact.get("base", "model_id"));
  const tokenizer = m.string(artifact.get("tokenizer_id"));
  const policy = (domain: string, at: Item) => once.begin(domain, 1).cbor(m.encoding(at)).end();
  const route = policy("route-policy", artifact.get("route"));
  const requirements = policy("runtime-requirements", m.get(m.root, "requirements"));
  const generation = policy("generation-policy", artifact.get("generation"));
  const kv = once.begin("kv-compatibility", 3).digest(base).digest(tokenizer)
    .cbor(m.encoding(artifact.get("kv"))).end();
  const adapters = artifact.get("adapters");
  const hash = once.begin("composition", 9).digest(base)
    .digest(m.string(artifact.get("base", "whole_file"))).digest(tokenizer)
    .digest(digest(artifact.get("chat_template_id"))).digests(m.count(adapters));
  m.each(adapters, (item) => {
    hash.add(m.string(item));
    return null;
  });
  return hash.digest(route).digest(requirements).digest(generation).digest(kv).end();
}

/** All identities, as an accept verdict carries them. */
export function identitiesOf(artifact: Artifact): Identities {
  const { quants, tensors, blobs, hashes } = artifact;
  if (hashes === null) throw new Error("identities before stage 26");
  const semantic = semanticManifest(artifact);
  const layout = layoutOf(artifact);
  const column = (rows: typeof quants, field: typeof Q.profile_id) =>
    Array.from({ length: rows.count }, (_, row) => hex(rows.raw(row, field)));
  return {
    class: artifact.artifactClass,
    whole_file: hex(hashes.wholeFile),
    manifest: hex(manifestId(artifact)),
    semantic_manifest: hex(semantic),
    tensor_layout: hex(layout),
    artifact_id: hex(artifactId(artifact, semantic, layout)),
    profiles: column(quants, Q.profile_id),
    tensors: column(tensors, T.payload_hash),
    blobs: column(blobs, B.content_hash),
    ...(hashes.pieceRoot === null
      ? {}
      : { piece_count: hashes.pieceCount, piece_root: hex(hashes.pieceRoot) }),
  };
}
