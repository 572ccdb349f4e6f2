/** Stages 2 to 11: the header's own fields. */
import type { Stage } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { type Fault, reject, SOURCE_IO } from "./fault.ts";
import { type Check, checkRow, Row, Rows, sameBytes } from "./fields.ts";
import { ascii } from "./hash.ts";
import { CLASSES, H, HEADER_SIZE } from "./layouts.ts";
import { overLimit, within } from "./limits.ts";
import { checkSections } from "./sections.ts";

const MAGIC = ascii("SLM2\r\n\x1a\n");
const LEGACY = ascii("SLM1");
const FORMAT_ID = ascii("minimodel.slm2\0\0");
const BYTE_ORDER = 0x01020304;

/** The header under judgement, as the one row of a table. */
export class Header extends Row {
  constructor(bytes: Uint8Array, readonly fileSize: number) {
    super(new Rows(bytes, 0, 1, HEADER_SIZE));
  }
}

/** Stages 4 to 11, in order. */
const HEADER_CHECKS: readonly [Stage, Check<Header>][] = [
  [4, [
    "UnsupportedLegacyFormat",
    H.magic,
    (h) => sameBytes(h.raw(H.magic).subarray(0, LEGACY.length), LEGACY),
    "SLM2",
  ]],
  [4, ["BadMagic", H.magic, (h) => !sameBytes(h.raw(H.magic), MAGIC), "53 4c 4d 32 0d 0a 1a 0a"]],
  [5, [
    "BadFormatId",
    H.format_id,
    (h) => !sameBytes(h.raw(H.format_id), FORMAT_ID),
    "minimodel.slm2 and two zero bytes",
  ]],
  [6, ["UnsupportedVersion", H.version_major, (h) => h.get(H.version_major) !== 2, "2"]],
  [6, ["UnsupportedVersion", H.version_minor, (h) => h.get(H.version_minor) !== 0, "0"]],
  [7, ["BadHeaderSize", H.header_size, (h) => h.get(H.header_size) !== HEADER_SIZE, "224"]],
  [8, [
    "BadByteOrderMarker",
    H.byte_order_marker,
    (h) => h.get(H.byte_order_marker) !== BYTE_ORDER,
    "0x01020304",
  ]],
  [9, [
    "UnknownArtifactClass",
    H.artifact_class,
    (h) => !CLASSES.has(h.get(H.artifact_class)),
    "1 to 13",
  ]],
  [10, ["NonZeroFlags", H.header_flags, (h) => h.get(H.header_flags) !== 0, "0"]],
  [10, ["NonZeroReserved", H.reserved, (h) => !h.isZero(H.reserved), "zero bytes"]],
  [11, [
    "FileSizeMismatch",
    H.file_size,
    (h) => h.get(H.file_size) !== h.fileSize,
    "the size of the file",
  ]],
];

/** Stages 2 to 16. */
export function checkHeader(artifact: Artifact): Fault {
  const { input, limits, memory } = artifact;
  const code = overLimit(limits, "file_size", input.size);
  if (code !== null) {
    return reject(2, code, "file", undefined, within(limits, "file_size"));
  }
  if (input.size < HEADER_SIZE) {
    return reject(3, "TruncatedHeader", "header", input.size, "224 bytes of header");
  }
  const bytes = memory.bytes(HEADER_SIZE);
  if (!input.fill(0, bytes)) return SOURCE_IO;
  const header = new Header(bytes, input.size);
  for (const [stage, check] of HEADER_CHECKS) {
    const fault = checkRow(stage, "header", [check], header);
    if (fault !== null) return fault;
  }
  return checkSections(artifact, header);
}
