/** Blob records (section 7.4) and stage 22. */
import { type Artifact, IS_NAME, REFERENCED } from "./artifact.ts";
import type { Fault } from "./fault.ts";
import { type Check, checkRows, type Field, Row, sorted } from "./fields.ts";
import { B } from "./layouts.ts";
import { HELD_BLOB_LENGTH, MAX } from "./limits.ts";
import { isAlignment } from "./tensors.ts";

/** Kinds (`classes.md` sections 4 and 10). */
export const VOCABULARY = 1;
export const MERGES = 2;
export const SCORES = 3;
export const NORMALIZER = 4;
export const BYTE_FALLBACK = 5;
export const ADDED_TOKENS = 6;
export const LITERAL = 16;
export const PIECE_HASHES = 32;
export const NOTICE = 48;
export const DOCUMENTS = 64;
export const REPORT = 80;

/** The class that may hold a kind. */
const CLASS_OF: ReadonlyMap<number, number> = new Map([
  [VOCABULARY, 4],
  [MERGES, 4],
  [SCORES, 4],
  [NORMALIZER, 4],
  [BYTE_FALLBACK, 4],
  [ADDED_TOKENS, 4],
  [LITERAL, 5],
  [PIECE_HASHES, 9],
  [NOTICE, 11],
  [DOCUMENTS, 8],
  [REPORT, 12],
]);
/** Section 4, last row. */
const LIMITED: ReadonlySet<number> = new Set([
  VOCABULARY,
  MERGES,
  SCORES,
  NORMALIZER,
  BYTE_FALLBACK,
  ADDED_TOKENS,
  LITERAL,
  PIECE_HASHES,
]);

class BlobRow extends Row {
  constructor(readonly artifact: Artifact) {
    super(artifact.blobs);
  }
  get longest(): number {
    return LIMITED.has(this.get(B.blob_kind)) ? HELD_BLOB_LENGTH : MAX;
  }
}

const zero = (field: Field): Check<BlobRow> => [
  "NonZeroReserved",
  field,
  (b) => b.get(field) !== 0,
  "0",
];
const stringId = (field: Field): Check<BlobRow> => [
  "BadStringId",
  field,
  (b) => b.get(field) >= b.artifact.strings.count,
  "the id of a string",
];

const CHECKS: readonly Check<BlobRow>[] = [
  ["BadRecordVersion", B.record_version, (b) => b.get(B.record_version) !== 1, "1"],
  [
    "BlobKindNotPermitted",
    B.blob_kind,
    (b) => CLASS_OF.get(b.get(B.blob_kind)) !== b.artifact.artifactClass,
    "a kind that the class may hold",
  ],
  ["NonZeroFlags", B.flags, (b) => b.get(B.flags) !== 0, "0"],
  ...[B.reserved_0, B.reserved_1, B.auxiliary_first, B.auxiliary_count].map(zero),
  ...[B.canonical_name_string_id, B.media_type_string_id].map(stringId),
  ["UnsupportedCodec", B.codec, (b) => b.get(B.codec) !== 0, "0"],
  [
    "BlobLength",
    B.payload_length,
    (b) => b.get(B.payload_length) === 0 || b.get(B.payload_length) > b.longest,
    "at least 1 and at most what the kind may have",
  ],
  [
    "LogicalLengthMismatch",
    B.logical_length,
    (b) => b.get(B.logical_length) !== b.get(B.payload_length),
    "payload_length",
  ],
  [
    "BadAlignment",
    B.alignment,
    (b) => !isAlignment(b.get(B.alignment)),
    "a power of two, 64 to 65,536",
  ],
  ["ZeroHash", B.content_hash, (b) => b.isZero(B.content_hash), "a hash"],
  ...sorted<BlobRow>([B.blob_kind, B.canonical_name_string_id]),
  [
    "DuplicateName",
    B.canonical_name_string_id,
    (b) => (b.artifact.stringMarks[b.get(B.canonical_name_string_id)] & IS_NAME) !== 0,
    "a name of its own",
  ],
];

/** Stage 22. */
export function checkBlobs(artifact: Artifact): Fault {
  const { stringMarks } = artifact;
  return checkRows(22, "blobs", CHECKS, new BlobRow(artifact), (b) => {
    stringMarks[b.get(B.canonical_name_string_id)] |= REFERENCED | IS_NAME;
    stringMarks[b.get(B.media_type_string_id)] |= REFERENCED;
  });
}
