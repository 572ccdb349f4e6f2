/** Stages 13 to 16: sections stand where the canonical layout puts them (section 2). */
import type { Code, Reject, Section, Stage } from "../contract.ts";
import { type Artifact, ORDER, type Span } from "./artifact.ts";
import { alignUp, firstNonZero, MAX } from "./bytes.ts";
import { reject } from "./fault.ts";
import { header, HEADER_SIZE } from "./header.ts";
import { fill, SOURCE_IO } from "./input.ts";

/** Section 2: each present section begins at a multiple of this. */
const ALIGNMENT = 64;

/** Calls `check` for each present section in file order, with the end of the one before. */
function eachPresent(
  artifact: Artifact,
  check: (name: Section, span: Span, previousEnd: number) => Reject | null,
): Reject | null {
  let end = HEADER_SIZE;
  for (const name of ORDER) {
    const span = artifact.sections[name];
    if (span.size === 0) continue;
    const fault = check(name, span, end);
    if (fault !== null) return fault;
    end = span.offset + span.size;
  }
  return null;
}

/** Stages 13, 14 and 15. */
export function checkLayout(artifact: Artifact): Reject | null {
  let last = 0;
  return eachPresent(artifact, (name, { offset, size }) => {
    if (offset + size <= MAX) return null;
    return reject(13, "SectionOverflow", name, offset, "an end of at most 2^53 - 1");
  }) ?? eachPresent(artifact, (name, { offset }, previousEnd) => {
    const place = alignUp(previousEnd, ALIGNMENT);
    if (offset === place) return null;
    const code: Code = offset % ALIGNMENT === 0 ? "SectionOutOfPlace" : "SectionMisaligned";
    return reject(14, code, name, offset, `offset ${place}`);
  }) ?? eachPresent(artifact, (name, { offset, size }) => {
    last = offset + size;
    if (last <= artifact.size) return null;
    return reject(15, "SectionOutOfBounds", name, offset, `an end of at most ${artifact.size}`);
  }) ?? (last === artifact.size ? null : trailing(15, last));
}

function trailing(stage: Stage, end: number): Reject {
  return reject(stage, "TrailingBytes", "file", end, "the end of the file");
}

/** Reads all that stands before the payload, then stage 16. */
export function checkPadding(artifact: Artifact): Reject | null {
  const { payload } = artifact.sections;
  const end = payload.size > 0 ? payload.offset : artifact.size;
  const bytes = artifact.memory.bytes(end);
  bytes.set(header);
  if (!fill(artifact.source, HEADER_SIZE, bytes.subarray(HEADER_SIZE))) return SOURCE_IO;
  artifact.bytes = bytes;
  return eachPresent(artifact, (name, { offset }, previousEnd) => {
    const at = firstNonZero(bytes, previousEnd, offset);
    return at < 0 ? null : reject(16, "NonZeroPadding", name, at, "zero bytes between sections");
  });
}
