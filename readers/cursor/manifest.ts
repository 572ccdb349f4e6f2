/** Stages 17 and 18: the manifest as bytes, by its schema, and by the list after the schema. */
import type { Reject } from "../contract.ts";
import type { Artifact, SectionName } from "./artifact.ts";
import { MANIFESTS } from "./bodies.ts";
import { compareRanges } from "./bytes.ts";
import { decodeManifest, tapeCapacity } from "./cbor.ts";
import { checkDependencies } from "./dependencies.ts";
import { reject } from "./fault.ts";
import { relationFault } from "./relations.ts";
import { check, fault } from "./schema.ts";
import { Tape, TRUE } from "./tape.ts";

type Presence = "required" | "optional" | "no";

/** Tables by artifact class (slm2.md section 3), in file order: quant, tensors, blobs, auxiliary. */
const MATRIX: readonly (readonly [Presence, Presence, Presence, Presence])[] = [
  ["optional", "required", "no", "optional"], // 1 standalone_model
  ["optional", "required", "no", "optional"], // 2 immutable_base
  ["optional", "required", "no", "optional"], // 3 adapter
  ["no", "no", "required", "no"], // 4 tokenizer
  ["no", "no", "optional", "no"], // 5 chat_template
  ["no", "no", "no", "no"], // 6 composition
  ["no", "required", "no", "no"], // 7 kv_cache
  ["optional", "required", "required", "optional"], // 8 retrieval_index
  ["no", "no", "required", "no"], // 9 piece_set
  ["no", "no", "no", "no"], // 10 signature_envelope
  ["no", "no", "optional", "no"], // 11 license_provenance
  ["no", "no", "optional", "no"], // 12 evaluation_receipt
  ["no", "no", "no", "no"], // 13 catalog_announcement
];
const TABLES: readonly SectionName[] = ["quant", "tensors", "blobs", "auxiliary"];

/** Stage 17. */
export function checkCbor(artifact: Artifact): Reject | null {
  const { offset, size } = artifact.sections.manifest;
  const capacity = tapeCapacity(size);
  artifact.memory.hold(Tape.size(capacity));
  const tape = new Tape(artifact.bytes, capacity);
  artifact.tape = tape;
  return decodeManifest(artifact.bytes, offset, offset + size, artifact.limits, tape);
}

/** Stage 18. */
export function checkManifest(artifact: Artifact): Reject | null {
  const { tape, artifact_class } = artifact;
  const wrong = check(MANIFESTS[artifact_class - 1], tape, 0);
  if (wrong !== null) return wrong;
  artifact.body = tape.get(0, "body");
  return checkExtensions(tape) ?? checkTables(artifact) ?? checkDependencies(artifact) ??
    relationFault(artifact);
}

/** Steps 1 and 2 after the schema. */
function checkExtensions(tape: Tape): Reject | null {
  const extensions = tape.get(0, "extensions");
  const end = tape.next(extensions);
  for (let a = extensions + 1, b = tape.next(a); a < end && b < end; a = b, b = tape.next(b)) {
    const [idA, idB] = [tape.get(a, "id"), tape.get(b, "id")];
    const order = compareRanges(
      tape.bytes,
      tape.body(idA),
      tape.end(idA),
      tape.body(idB),
      tape.end(idB),
    );
    const increasing = order < 0 ||
      order === 0 && tape.integer(tape.get(a, "version")) < tape.integer(tape.get(b, "version"));
    if (!increasing) return fault("UnsortedSet", tape, b, "extensions in order, each once");
  }
  for (let i = extensions + 1; i < end; i = tape.next(i)) {
    if (tape.head(tape.get(i, "critical")) === TRUE) {
      return fault("UnknownCriticalExtension", tape, i, "no critical extension: none is known");
    }
  }
  return null;
}

/** Step 3 after the schema. */
function checkTables({ artifact_class, sections }: Artifact): Reject | null {
  for (const [i, name] of TABLES.entries()) {
    const presence = MATRIX[artifact_class - 1][i];
    const { count, offset } = sections[name];
    if (presence === "required" && count === 0 || presence === "no" && count > 0) {
      const expected = presence === "no" ? `no ${name} table` : `a ${name} table`;
      return reject(18, "TableNotPermitted", "manifest", offset, expected);
    }
  }
  return null;
}
