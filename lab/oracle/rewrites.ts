/**
 * Oracle: what a reader accepts has one form. The decoded candidate goes back through the
 * canonical writer and must come out as the same bytes.
 */
import type { Description, ItemMap } from "../../corpus/writer/description.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { getField } from "../../corpus/writer/fields.ts";
import { ELEMENT_TYPES } from "../../corpus/writer/profiles.ts";
import { write } from "../../corpus/writer/write.ts";
import type { Candidate, Value } from "../../readers/contract.ts";
import { clause } from "./clauses.ts";
import type { Finding, Observation } from "./oracle.ts";
import { partOf } from "./parting.ts";

const NAME = "rewrites";

export function rewrites({ bytes, seen }: Observation): Finding | null {
  for (const { outcome, candidate, reader } of seen) {
    if (!("identities" in outcome)) continue;
    const fault = candidate
      ? difference(bytes, candidate())
      : { what: "candidate", detail: "none" };
    if (fault === null) continue;
    const what = candidate && partingOf(bytes, candidate(), seen) || fault.what;
    return {
      oracle: NAME,
      class: "disagreement",
      key: `${NAME} ${reader.name} ${what}`,
      detail: `${reader.name} accepts; ${fault.detail}`,
      clause: clause("slm2-0-1"),
    };
  }
  return null;
}

/** In what a candidate differs from another reader's; null where no other decodes it otherwise. */
function partingOf(
  bytes: Uint8Array,
  candidate: Candidate,
  seen: Observation["seen"],
): string | null {
  const own = describe(bytes, candidate);
  for (const other of seen) {
    const part = other.candidate && partOf(own, describe(bytes, other.candidate()));
    if (part) return part;
  }
  return null;
}

function difference(bytes: Uint8Array, candidate: Candidate) {
  const written = write(describe(bytes, candidate));
  if (isWriteError(written)) {
    return { what: written.code, detail: `the writer refuses ${written.where}: ${written.code}` };
  }
  const at = written.bytes.findIndex((byte, i) => byte !== bytes[i]);
  if (at < 0 && written.bytes.length === bytes.length) return null;
  const detail = `the writer gives ${written.bytes.length} bytes, the first other one at ${at}`;
  return { what: "bytes", detail };
}

/** The description that an accepted artifact was written from, as far as a candidate tells. */
export function describe(file: Uint8Array, candidate: Candidate): Description {
  const { manifest, artifact_class } = candidate;
  const map = (value: Value | undefined) => value as ReadonlyMap<string, Value>;
  const list = (value: Value | undefined) => value as readonly ReadonlyMap<string, Value>[];
  const types = new Map<number, string>(
    Object.entries(ELEMENT_TYPES).map(([name, { id }]) => [id, name]),
  );
  const payload = (offset: number, length: number) => file.subarray(offset, offset + length);
  const requirements = map(manifest.get("requirements"));
  return {
    artifact_class,
    body: manifest.get("body") as ItemMap,
    dependencies: list(manifest.get("dependencies")).map((one) => ({
      role: one.get("role") as string,
      artifact_class: one.get("artifact_class") as number,
      id: one.get("id") as Uint8Array,
      whole_file: one.get("whole_file") as Uint8Array | null,
    })),
    extensions: list(manifest.get("extensions")).map((one) => ({
      id: one.get("id") as string,
      version: one.get("version") as number | bigint,
      critical: one.get("critical") as boolean,
      payload: one.get("payload") as Uint8Array | ItemMap,
    })),
    requirements: {
      features: requirements.get("features") as readonly string[],
      memory_bytes: requirements.get("memory_bytes") as number,
    },
    tensors: candidate.tensors.map((tensor, i) => ({
      role: tensor.role,
      name: tensor.name,
      layer: tensor.layer,
      subindex_0: tensor.subindex_0,
      subindex_1: tensor.subindex_1,
      shape: tensor.shape,
      type: tensor.profile === null
        ? types.get(tensor.element_type) ?? ""
        : candidate.profiles[tensor.profile].name,
      payload: payload(tensor.offset, tensor.length),
      alignment: Number(getField(file, `tensor[${i}].payload_alignment`)),
    })),
    blobs: candidate.blobs.map((blob, i) => ({
      kind: blob.kind,
      name: blob.name,
      media_type: blob.media_type,
      payload: payload(blob.offset, blob.length),
      alignment: Number(getField(file, `blob[${i}].alignment`)),
    })),
    auxiliaries: candidate.auxiliaries.map((one) => ({
      owner: candidate.tensors[one.owner].name,
      target: candidate.tensors[one.target].name,
      kind: one.kind,
      axis: one.axis,
      group_size: one.group_size,
      block_stride: one.block_stride,
    })),
  };
}
