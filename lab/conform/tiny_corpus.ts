/** A tiny made-up corpus for tests: headers of a few hundred bytes, broken in stages 1 to 16. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import {
  applyPatch,
  contentId,
  type Edit,
  type Entry,
  type Expected,
  type FileRef,
  type Index,
  INDEX_FORMAT,
} from "../../corpus/index.ts";
import type { Code, Section } from "../../readers/contract.ts";
import { stubIdentities } from "../testee/stub_reader.ts";

/** A file whose stages 1 to 16 are good: a manifest of `manifest` bytes and one payload byte. */
export function goodHeader(manifest = 100): Uint8Array<ArrayBuffer> {
  const tensors = Math.ceil((256 + manifest) / 64) * 64;
  const payload = tensors + 192;
  const file = new Uint8Array(payload + 1);
  const view = new DataView(file.buffer);
  file.set([0x53, 0x4c, 0x4d, 0x32, 0x0d, 0x0a, 0x1a, 0x0a]);
  file.set(new TextEncoder().encode("minimodel.slm2"), 8);
  view.setUint32(24, 224, true);
  view.setUint16(28, 2, true);
  view.setUint32(32, 0x01020304, true);
  view.setUint16(36, 1, true);
  const u64 = (offset: number, value: number) => view.setBigUint64(offset, BigInt(value), true);
  u64(40, file.length);
  u64(48, 256);
  u64(56, manifest);
  u64(96, tensors);
  view.setUint32(104, 1, true);
  view.setUint32(108, 192, true);
  u64(144, payload);
  u64(152, 1);
  return file;
}

/** `value` as eight little-endian bytes in hexadecimal. */
export function u64Hex(value: bigint): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes.toHex();
}

const MAX = 2n ** 53n - 1n;

/** One fault in `goodHeader()`: what is changed, and what stage 1 to 16 must say. */
export const HEADER_FAULTS: readonly [
  name: string,
  edit: Edit,
  stage: number,
  code: Code,
  section: Section,
][] = [
  ["truncated", { offset: 223, remove: 354 }, 3, "TruncatedHeader", "header"],
  ["legacy", { offset: 3, hex: "31" }, 4, "UnsupportedLegacyFormat", "header"],
  ["line-ends", { offset: 5, hex: "0d0a1a0d", remove: 3 }, 4, "BadMagic", "header"],
  ["format-id", { offset: 23, hex: "01" }, 5, "BadFormatId", "header"],
  ["major", { offset: 28, hex: "03" }, 6, "UnsupportedVersion", "header"],
  ["minor", { offset: 30, hex: "01" }, 6, "UnsupportedVersion", "header"],
  ["header-size", { offset: 24, hex: "e1" }, 7, "BadHeaderSize", "header"],
  ["byte-order", { offset: 32, hex: "01020304" }, 8, "BadByteOrderMarker", "header"],
  ["class-0", { offset: 36, hex: "00" }, 9, "UnknownArtifactClass", "header"],
  ["class-14", { offset: 36, hex: "0e" }, 9, "UnknownArtifactClass", "header"],
  ["flags", { offset: 38, hex: "01" }, 10, "NonZeroFlags", "header"],
  ["reserved", { offset: 223, hex: "01" }, 10, "NonZeroReserved", "header"],
  ["file-size", { offset: 40, hex: "00" }, 11, "FileSizeMismatch", "header"],
  ["cut", { offset: 576, remove: 1 }, 11, "FileSizeMismatch", "header"],
  ["huge-file-size", { offset: 40, hex: "ff".repeat(8) }, 11, "FileSizeMismatch", "header"],
  ["range", { offset: 48, hex: u64Hex(MAX + 1n) }, 12, "IntegerRange", "header"],
  ["no-manifest", { offset: 56, hex: "00" }, 12, "MissingManifest", "header"],
  ["manifest-limit", { offset: 58, hex: "40" }, 12, "FormatLimitExceeded", "header"],
  ["strings-half", { offset: 64, hex: "01" }, 12, "AbsentNotZero", "header"],
  ["quant-half", { offset: 92, hex: "80" }, 12, "AbsentNotZero", "header"],
  ["record-size", { offset: 108, hex: "c1" }, 12, "BadRecordSize", "header"],
  ["tensor-limit", { offset: 104, hex: "01000100" }, 12, "FormatLimitExceeded", "header"],
  ["payload-half", { offset: 152, hex: "00" }, 12, "AbsentNotZero", "header"],
  ["no-payload", { offset: 144, hex: "00".repeat(16) }, 12, "PayloadPresence", "header"],
  ["overflow", { offset: 48, hex: u64Hex(MAX) }, 13, "SectionOverflow", "manifest"],
  ["misaligned", { offset: 48, hex: "01" }, 14, "SectionMisaligned", "manifest"],
  ["out-of-place", { offset: 96, hex: "c0" }, 14, "SectionOutOfPlace", "tensors"],
  ["high-half", { offset: 100, hex: "01" }, 14, "SectionOutOfPlace", "tensors"],
  ["out-of-bounds", { offset: 152, hex: "02" }, 15, "SectionOutOfBounds", "payload"],
  ["padding", { offset: 230, hex: "01" }, 16, "NonZeroPadding", "manifest"],
  ["later-padding", { offset: 383, hex: "01" }, 16, "NonZeroPadding", "tensors"],
];

/** Writes the corpus into `folder`. Its one good file is claimed to be accepted. */
export function writeTinyCorpus(folder: string): Index {
  const good = goodHeader();
  const write = (file: string, bytes: Uint8Array): FileRef => {
    Deno.mkdirSync(dirname(join(folder, file)), { recursive: true });
    Deno.writeFileSync(join(folder, file), bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { file, sha256, size: bytes.length };
  };
  const faults = HEADER_FAULTS.map(([name, edit, stage, code, section]): Entry => ({
    id: `header/${name}`,
    ...write(`header/${name}.slm`, applyPatch(good, [edit])),
    expected: { verdict: "reject", stage, code, section },
    reason: `Of a good file one thing is changed: ${name}.`,
    spec: `slm2.md 8, stage ${stage}`,
    clauses: ["stage-order"],
    tags: ["header", `stage-${stage}`],
    since: "1.0.0",
    parent: "valid/good",
    patch: [edit],
  }));
  const accepted: Expected = { verdict: "accept", identities: stubIdentities() };
  const later: Expected = {
    verdict: "reject",
    stage: 17,
    code: "CborTruncated",
    section: "manifest",
  };
  const policy: Expected = {
    verdict: "reject",
    stage: 12,
    code: "PolicyLimitExceeded",
    section: "header",
  };
  const common = { spec: "slm2.md 8", tags: ["other"], since: "1.0.0" };
  const entries: Entry[] = [
    {
      id: "valid/good",
      ...write("valid/good.slm", good),
      expected: accepted,
      reason: "Good.",
      ...common,
    },
    ...faults,
    {
      id: "later/manifest",
      ...write("later/manifest.slm", goodHeader(99)),
      expected: later,
      reason: "Fails past stage 16.",
      ...common,
    },
    {
      id: "source/absent",
      expected: { verdict: "reject", stage: 1, code: "SourceIo", section: "none" },
      reason: "There is no such file.",
      ...common,
    },
    {
      id: "policy/manifest-length",
      ...write("valid/good.slm", good),
      request: { policy: { manifest_length: 99 } },
      expected: policy,
      reason: "A policy under the length of the manifest.",
      ...common,
    },
    {
      id: "piece/index",
      op: "piece",
      ...write("valid/good.slm", good),
      request: { index: 8, data: write("piece/data.bin", new Uint8Array(3)) },
      expected: { verdict: "reject", stage: 27, code: "PieceIndex", section: "none" },
      reason: "An index past the end.",
      ...common,
    },
    {
      id: "valid/withdrawn",
      expected: accepted,
      reason: "Was wrong.",
      ...common,
      withdrawn: { since: "1.0.0", reason: "It was two cases in one." },
    },
  ];
  const index = {
    format: INDEX_FORMAT,
    version: "1.0.0",
    spec: "2.0",
    clauses: { "stage-order": "Checks run in the order in which this text lists them." },
    entries,
  } as const;
  const whole: Index = { ...index, content_id: contentId(index) };
  Deno.writeTextFileSync(join(folder, "index.json"), JSON.stringify(whole));
  return whole;
}
