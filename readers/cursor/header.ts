/** Stages 2 to 12: the size and the 224 bytes of the header (section 2). */
import type { Code, LimitName, Reject, Stage } from "../contract.ts";
import type { Artifact, SectionName, Span } from "./artifact.ts";
import { firstNonZero, MAX, u16, u32, u64 } from "./bytes.ts";
import { reject } from "./fault.ts";
import { fill, SOURCE_IO } from "./input.ts";
import { atMost, overLimit } from "./limits.ts";

export const HEADER_SIZE = 224;

/** A field with one legal content; its bytes, and what they are called in a report. */
interface Fixed {
  readonly stage: Stage;
  readonly code: Code;
  readonly at: number;
  readonly bytes: readonly number[];
  readonly expected: string;
}

const zeros = (count: number) => new Array<number>(count).fill(0);
const text = (s: string) => [...s].map((c) => c.charCodeAt(0));

const LEGACY_MAGIC = text("SLM1");

/** Fields before the artifact class, by stage. */
const BEFORE_CLASS: readonly Fixed[] = [
  {
    stage: 4,
    code: "BadMagic",
    at: 0,
    bytes: [0x53, 0x4c, 0x4d, 0x32, 0x0d, 0x0a, 0x1a, 0x0a],
    expected: "53 4c 4d 32 0d 0a 1a 0a",
  },
  {
    stage: 5,
    code: "BadFormatId",
    at: 8,
    bytes: text("minimodel.slm2\0\0"),
    expected: "minimodel.slm2 and two zero bytes",
  },
  { stage: 6, code: "UnsupportedVersion", at: 28, bytes: [2, 0, 0, 0], expected: "version 2.0" },
  { stage: 7, code: "BadHeaderSize", at: 24, bytes: [224, 0, 0, 0], expected: "224" },
  { stage: 8, code: "BadByteOrderMarker", at: 32, bytes: [4, 3, 2, 1], expected: "0x01020304" },
];

/** Fields after the artifact class. */
const AFTER_CLASS: readonly Fixed[] = [
  { stage: 10, code: "NonZeroFlags", at: 38, bytes: zeros(2), expected: "no header flags" },
  { stage: 10, code: "NonZeroReserved", at: 160, bytes: zeros(64), expected: "zero bytes" },
];

/** Section 3: artifact classes are 1 to 13. */
export const CLASSES = 13;

/** The fields that say where a section stands: two u64, or for a table u64, u32, u32. */
interface Place {
  readonly name: SectionName;
  readonly at: number;
  readonly record: number | null;
  readonly limit: LimitName | null;
}

export const PLACES: readonly Place[] = [
  { name: "manifest", at: 48, record: null, limit: "manifest_length" },
  { name: "strings", at: 64, record: null, limit: "string_table_length" },
  { name: "quant", at: 80, record: 128, limit: "quant_count" },
  { name: "tensors", at: 96, record: 192, limit: "tensor_count" },
  { name: "blobs", at: 112, record: 96, limit: "blob_count" },
  { name: "auxiliary", at: 128, record: 32, limit: "auxiliary_count" },
  { name: "payload", at: 144, record: null, limit: null },
];

/** Window for the header; its bytes are copied into the artifact at stage 16. */
export const header = new Uint8Array(HEADER_SIZE);

/** Stages 2 and 3, then the read of the header. */
export function checkSize(artifact: Artifact): Reject | null {
  const { size, limits, source } = artifact;
  const code = overLimit(limits, "file_size", size);
  if (code !== null) return reject(2, code, "file", 0, atMost(limits, "file_size"));
  if (size < HEADER_SIZE) return reject(3, "TruncatedHeader", "header", size, "224 bytes");
  return fill(source, 0, header) ? null : SOURCE_IO;
}

/** Stages 4 to 11. */
export function checkHeader(artifact: Artifact): Reject | null {
  if (LEGACY_MAGIC.every((byte, i) => header[i] === byte)) {
    return reject(4, "UnsupportedLegacyFormat", "header", 0, "SLM2");
  }
  const before = checkFixed(BEFORE_CLASS);
  if (before !== null) return before;
  artifact.artifact_class = u16(header, 36);
  if (artifact.artifact_class < 1 || artifact.artifact_class > CLASSES) {
    return reject(9, "UnknownArtifactClass", "header", 36, "1 to 13");
  }
  const after = checkFixed(AFTER_CLASS);
  if (after !== null) return after;
  if (u64(header, 40) !== artifact.size) {
    return reject(11, "FileSizeMismatch", "header", 40, `${artifact.size}`);
  }
  return null;
}

function checkFixed(fields: readonly Fixed[]): Reject | null {
  for (const { stage, code, at, bytes, expected } of fields) {
    for (let i = 0; i < bytes.length; i++) {
      if (header[at + i] !== bytes[i]) return reject(stage, code, "header", at, expected);
    }
  }
  return null;
}

function fault(code: Code, at: number, expected: string): Reject {
  return reject(12, code, "header", at, expected);
}

/** Stage 12, and the sections as the header states them. */
export function checkPlaces(artifact: Artifact): Reject | null {
  for (const { at, record } of PLACES) { // (a)
    if (u64(header, at) > MAX) return fault("IntegerRange", at, "at most 2^53 - 1");
    if (record === null && u64(header, at + 8) > MAX) {
      return fault("IntegerRange", at + 8, "at most 2^53 - 1");
    }
  }
  const sections = { ...artifact.sections };
  for (const place of PLACES) { // (b)
    const wrong = checkPlace(artifact, place);
    if (wrong !== null) return wrong;
    sections[place.name] = spanOf(place);
  }
  artifact.sections = sections;
  const objects = sections.tensors.count + sections.blobs.count; // (c)
  if (sections.payload.size > 0 !== objects > 0) {
    return fault("PayloadPresence", 144, objects > 0 ? "a payload" : "no payload");
  }
  return null;
}

function checkPlace(artifact: Artifact, { name, at, record, limit }: Place): Reject | null {
  const amount = record === null ? u64(header, at + 8) : u32(header, at + 8);
  if (name === "manifest") {
    if (amount === 0) return fault("MissingManifest", at + 8, "a manifest");
  } else if (record === null) {
    if ((u64(header, at) === 0) !== (amount === 0)) {
      return fault("AbsentNotZero", at, "offset and length, or neither");
    }
  } else {
    const stated = u32(header, at + 12);
    if (amount === 0 && (stated !== 0 || firstNonZero(header, at, at + 8) >= 0)) {
      return fault("AbsentNotZero", at, "zero fields of an absent table");
    }
    if (amount > 0 && stated !== record) return fault("BadRecordSize", at + 12, `${record}`);
  }
  const code = limit === null ? null : overLimit(artifact.limits, limit, amount);
  return code === null || limit === null
    ? null
    : fault(code, at + 8, atMost(artifact.limits, limit));
}

function spanOf({ at, record }: Place): Span {
  const offset = u64(header, at);
  if (record === null) return { offset, size: u64(header, at + 8), count: 0 };
  const count = u32(header, at + 8);
  return { offset, size: count * record, count };
}
