/** Stage 24: the canonical places of payload objects, and what nothing refers to (section 7.6). */
import type { Code, Reject, Section } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { WINDOW, window } from "./blake3.ts";
import { alignUp, firstNonZero } from "./bytes.ts";
import { reject } from "./fault.ts";
import { fill, SOURCE_IO } from "./input.ts";
import { blobRecord, QUANT_RECORD, RETRIEVAL_DOCUMENTS, tensor, TENSOR_RECORD } from "./records.ts";

function fault(
  code: Code,
  at: number,
  expected: string,
  section: Section = "payload",
): Reject {
  return reject(24, code, section, at, expected);
}

/** Stage 24. */
export function checkPayload(artifact: Artifact): Reject | null {
  return checkPlaces(artifact) ?? checkGaps(artifact) ?? checkReferences(artifact);
}

function checkPlaces(artifact: Artifact): Reject | null {
  const { bytes, sections: { blobs, payload, tensors } } = artifact;
  const limit = payload.offset + payload.size;
  let end = payload.offset;

  /** One object in its place behind the one before; `at` and `field` are for the report. */
  function place(relative: number, length: number, alignment: number, at: number, field: number) {
    const want = alignUp(end, alignment) - payload.offset;
    if (relative !== want) return fault("PayloadOutOfPlace", at + field, `${want}`);
    end = payload.offset + relative + length;
    return end <= limit
      ? null
      : fault("PayloadOutOfBounds", at + field, `an end of at most ${payload.size}`);
  }

  for (let i = 0; i < tensors.count; i++) {
    const at = tensors.offset + TENSOR_RECORD * i;
    const wrong = place(
      tensor.relativeOffset(bytes, at),
      tensor.length(bytes, at),
      tensor.alignment(bytes, at),
      at,
      112,
    );
    if (wrong !== null) return wrong;
  }
  for (let i = 0; i < blobs.count; i++) {
    const { at, relativeOffset, length, alignment } = blobRecord(artifact, i);
    const wrong = place(relativeOffset, length, alignment, at, 16);
    if (wrong !== null) return wrong;
  }
  return end === limit ? null : fault("PayloadTrailing", end, "the end of the payload");
}

/** Where object `index` begins, tensors first; proved by stage 24. */
function objectOffset(artifact: Artifact, index: number): number {
  const { bytes, sections: { payload, tensors } } = artifact;
  return payload.offset +
    (index < tensors.count
      ? tensor.relativeOffset(bytes, tensors.offset + TENSOR_RECORD * index)
      : blobRecord(artifact, index - tensors.count).relativeOffset);
}

function objectLength(artifact: Artifact, index: number): number {
  const { bytes, sections: { tensors } } = artifact;
  return index < tensors.count
    ? tensor.length(bytes, tensors.offset + TENSOR_RECORD * index)
    : blobRecord(artifact, index - tensors.count).length;
}

/**
 * The bytes that belong to no object. Gaps are read many at once where the objects between
 * them are small: those bytes are read here and once more at stage 26. Documents (kind 64)
 * are not, since stage 26 itself reads them twice.
 */
function checkGaps(artifact: Artifact): Reject | null {
  const { sections: { blobs, payload, tensors }, source } = artifact;
  const count = tensors.count + blobs.count;
  const gapStart = (i: number) =>
    i === 0 ? payload.offset : objectOffset(artifact, i - 1) + objectLength(artifact, i - 1);
  const isReadTwice = (i: number) =>
    i >= tensors.count && blobRecord(artifact, i - tensors.count).kind === RETRIEVAL_DOCUMENTS;
  for (let first = 0; first < count;) {
    const from = gapStart(first);
    let to = objectOffset(artifact, first);
    let next = first + 1;
    while (to > from && next < count && !isReadTwice(next - 1)) {
      const end = objectOffset(artifact, next);
      if (end - from > WINDOW) break;
      if (end > gapStart(next)) to = end;
      next++;
    }
    if (to > from) {
      const part = window.subarray(0, to - from);
      if (!fill(source, from, part)) return SOURCE_IO;
      for (let i = first; i < next; i++) {
        const at = firstNonZero(
          part,
          gapStart(i) - from,
          Math.min(objectOffset(artifact, i), to) - from,
        );
        if (at >= 0) return fault("NonZeroPadding", from + at, "zero bytes between objects");
      }
    }
    first = next;
  }
  return null;
}

function checkReferences(artifact: Artifact): Reject | null {
  const { profilesUsed, sections: { quant }, strings } = artifact;
  const string = strings.referred.firstMissing(strings.count);
  if (string >= 0) {
    const at = strings.start(string);
    return fault("UnreferencedString", at, "a string that a record refers to", "strings");
  }
  const profile = profilesUsed.firstMissing(quant.count);
  if (profile >= 0) {
    const at = quant.offset + QUANT_RECORD * profile;
    return fault("UnreferencedProfile", at, "a profile that a tensor refers to", "quant");
  }
  return null;
}
