/** Stages 13 to 16: sections stand where the canonical layout puts them (section 2). */
import type { Code, Reject, Section } from "../contract.ts";
import type { Artifact, Span } from "./artifact.ts";
import { alignUp, firstNonZero, MAX } from "./bytes.ts";
import { reject } from "./fault.ts";
import { header, HEADER_SIZE, PLACES } from "./header.ts";
import { fill, SOURCE_IO } from "./input.ts";

/** Section 2: each present section begins at a multiple of this. */
const ALIGNMENT = 64;

/** A present section, as one of the checks below sees it. */
interface Placed extends Span {
  readonly name: Section;
  /** where the header states its offset */
  readonly at: number;
  /** the end of the present section before it, or of the header */
  readonly previousEnd: number;
  readonly file_size: number;
}
type Check = (section: Placed) => Reject | null;

/** Stage 13. */
const checkEnd: Check = ({ name, at, offset, size }) =>
  offset + size <= MAX
    ? null
    : reject(13, "SectionOverflow", name, at, "an end of at most 2^53 - 1");

/** Stage 14. */
const checkPlace: Check = ({ name, at, offset, previousEnd }) => {
  const place = alignUp(previousEnd, ALIGNMENT);
  if (offset === place) return null;
  const code: Code = offset % ALIGNMENT === 0 ? "SectionOutOfPlace" : "SectionMisaligned";
  return reject(14, code, name, at, `offset ${place}`);
};

/** Stage 15. */
const checkBounds: Check = ({ name, at, offset, size, file_size }) =>
  offset + size <= file_size
    ? null
    : reject(15, "SectionOutOfBounds", name, at, `an end of at most ${file_size}`);

/** The present sections, in file order. */
function presentSections({ sections, size }: Artifact): Placed[] {
  const present: Placed[] = [];
  let previousEnd = HEADER_SIZE;
  for (const { name, at } of PLACES) {
    const span = sections[name];
    if (span.size === 0) continue;
    present.push({ ...span, name, at, previousEnd, file_size: size });
    previousEnd = span.offset + span.size;
  }
  return present;
}

/** Stages 13, 14 and 15, each over all sections. */
export function checkLayout(artifact: Artifact): Reject | null {
  const present = presentSections(artifact);
  for (const check of [checkEnd, checkPlace, checkBounds]) {
    for (const section of present) {
      const fault = check(section);
      if (fault !== null) return fault;
    }
  }
  const end = Math.max(...present.map(({ offset, size }) => offset + size));
  return end === artifact.size
    ? null
    : reject(15, "TrailingBytes", "file", end, "the end of the file");
}

/** Reads all that stands before the payload, then stage 16. */
export function checkPadding(artifact: Artifact): Reject | null {
  const { payload } = artifact.sections;
  const end = payload.size > 0 ? payload.offset : artifact.size;
  const bytes = artifact.memory.bytes(end);
  bytes.set(header);
  if (!fill(artifact.source, HEADER_SIZE, bytes.subarray(HEADER_SIZE))) return SOURCE_IO;
  artifact.bytes = bytes;
  for (const { name, offset, previousEnd } of presentSections(artifact)) {
    const at = firstNonZero(bytes, previousEnd, offset);
    if (at >= 0) return reject(16, "NonZeroPadding", name, at, "zero bytes between sections");
  }
  return null;
}
