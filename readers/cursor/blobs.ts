/** Stage 22: blob records (section 7.4), and which class may hold which kind. */
import type { Code, Reject } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { firstNonZero, MAX, u16, u32, u64 } from "./bytes.ts";
import { reject } from "./fault.ts";
import {
  ADDED_TOKENS,
  blobRecord,
  BYTE_FALLBACK,
  CONTENT_HASH,
  EVALUATION_REPORT,
  MERGES,
  NORMALIZER_TABLE,
  NOTICE_TEXT,
  PIECE_HASHES,
  RETRIEVAL_DOCUMENTS,
  TEMPLATE_LITERAL,
  UNIGRAM_TABLE,
  VOCABULARY,
} from "./records.ts";
import { isAlignment } from "./tensors.ts";

/** The kinds that a class may hold. */
const PERMITTED: ReadonlyMap<number, readonly number[]> = new Map([
  [4, [VOCABULARY, MERGES, UNIGRAM_TABLE, NORMALIZER_TABLE, BYTE_FALLBACK, ADDED_TOKENS]],
  [5, [TEMPLATE_LITERAL]],
  [8, [RETRIEVAL_DOCUMENTS]],
  [9, [PIECE_HASHES]],
  [11, [NOTICE_TEXT]],
  [12, [EVALUATION_REPORT]],
]);

/** Section 4, last row: tokenizer, template and piece-set blobs, each. */
const HELD_LIMIT = 64 * 2 ** 20;

/** Kinds whose content a reader may hold whole (section 8), under `HELD_LIMIT`. */
export function isHeld(kind: number): boolean {
  return kind <= ADDED_TOKENS || kind === TEMPLATE_LITERAL || kind === PIECE_HASHES;
}

function fault(code: Code, at: number, expected: string): Reject {
  return reject(22, code, "blobs", at, expected);
}

/** Stage 22. */
export function checkBlobs(artifact: Artifact): Reject | null {
  for (let i = 0; i < artifact.sections.blobs.count; i++) {
    const wrong = checkFields(artifact, i) ?? checkPlace(artifact, i);
    if (wrong !== null) return wrong;
  }
  return null;
}

function checkFields(artifact: Artifact, index: number): Reject | null {
  const { artifact_class, bytes, strings } = artifact;
  const { at, kind, name, media_type, length } = blobRecord(artifact, index);
  if (u16(bytes, at) !== 1) return fault("BadRecordVersion", at, "1");
  if (!(PERMITTED.get(artifact_class)?.includes(kind) ?? false)) {
    return fault("BlobKindNotPermitted", at + 2, "a kind of this class");
  }
  if (u32(bytes, at + 4) !== 0) return fault("NonZeroFlags", at + 4, "0");
  for (const [field, size] of [[46, 2], [88, 8], [80, 4], [84, 4]]) {
    if (firstNonZero(bytes, at + field, at + field + size) >= 0) {
      return fault("NonZeroReserved", at + field, "0");
    }
  }
  if (!strings.refer(name)) return fault("BadStringId", at + 8, `below ${strings.count}`);
  if (!strings.refer(media_type)) return fault("BadStringId", at + 12, `below ${strings.count}`);
  if (u16(bytes, at + 44) !== 0) return fault("UnsupportedCodec", at + 44, "0");
  const most = isHeld(kind) ? HELD_LIMIT : MAX;
  if (length === 0 || length > most) return fault("BlobLength", at + 24, `1 to ${most}`);
  if (u64(bytes, at + 32) !== length) return fault("LogicalLengthMismatch", at + 32, `${length}`);
  return null;
}

function checkPlace(artifact: Artifact, index: number): Reject | null {
  const { bytes, names } = artifact;
  const { at, kind, name, alignment } = blobRecord(artifact, index);
  if (!isAlignment(alignment)) {
    return fault("BadAlignment", at + 40, "a power of two, 64 to 65,536");
  }
  if (firstNonZero(bytes, at + CONTENT_HASH, at + CONTENT_HASH + 32) < 0) {
    return fault("ZeroHash", at + CONTENT_HASH, "a hash");
  }
  if (index > 0) {
    const previous = blobRecord(artifact, index - 1);
    const order = previous.kind - kind || previous.name - name; // string ids compare as bytes
    if (order === 0) return fault("DescriptorDuplicate", at + 2, "another kind and name");
    if (order > 0) return fault("DescriptorOrder", at + 2, "a greater kind and name");
  }
  if (names.has(name)) return fault("DuplicateName", at + 8, "another name");
  names.add(name);
  return null;
}
