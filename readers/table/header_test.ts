import { assertEquals } from "@std/assert";
import type { Policy } from "../contract.ts";
import type { Field } from "./fields.ts";
import { H } from "./layouts.ts";
import { table } from "./reader.ts";
import { concat, le, memory, patched, short, utf8 } from "./testing.ts";
import { build, type Draft, stringTable } from "./testing_build.ts";
import { pack } from "./testing_models.ts";
import { template } from "./testing_samples.ts";

const good = build(pack());
const at = (field: Field) => Number(new DataView(good.buffer).getBigUint64(field.offset, true));
const set = (field: Field, value: number | bigint, file = good) =>
  patched(file, [field.offset, le(value, field.size)]);
const verdict = (bytes: Uint8Array, policy?: Policy) =>
  short(table.read({ source: memory(bytes), policy }).verdict);

Deno.test("stages 2 to 11: the header's own fields", () => {
  const cases: [string, Uint8Array, Policy?][] = [
    ["accept", good],
    ["2 PolicyLimitExceeded [file]", good, { file_size: good.length - 1 }],
    ["accept", good, { file_size: good.length }],
    ["2 PolicyLimitExceeded [file]", new Uint8Array(1), { file_size: 0 }],
    ["3 TruncatedHeader [header]", good.subarray(0, 223)],
    ["3 TruncatedHeader [header]", new Uint8Array(0)],
    ["4 UnsupportedLegacyFormat [header]", patched(good, [0, utf8("SLM1")])],
    ["4 BadMagic [header]", patched(good, [0, utf8("SLM3")])],
    ["4 BadMagic [header]", patched(good, [4, utf8("\n\r\x1a\n")])],
    ["4 BadMagic [header]", patched(good, [4, utf8("\r\n\x1a\r")])],
    ["5 BadFormatId [header]", patched(good, [23, le(1, 1)])],
    ["6 UnsupportedVersion [header]", set(H.version_major, 3)],
    ["6 UnsupportedVersion [header]", set(H.version_minor, 1)],
    ["7 BadHeaderSize [header]", set(H.header_size, 256)],
    ["8 BadByteOrderMarker [header]", set(H.byte_order_marker, 0x04030201)],
    ["9 UnknownArtifactClass [header]", set(H.artifact_class, 0)],
    ["9 UnknownArtifactClass [header]", set(H.artifact_class, 14)],
    ["10 NonZeroFlags [header]", set(H.header_flags, 1)],
    ["10 NonZeroReserved [header]", patched(good, [223, le(1, 1)])],
    ["11 FileSizeMismatch [header]", set(H.file_size, good.length + 1)],
    ["11 FileSizeMismatch [header]", set(H.file_size, 2n ** 64n - 1n)],
    ["11 FileSizeMismatch [header]", good.subarray(0, good.length - 1)],
    ["11 FileSizeMismatch [header]", set(H.file_size, BigInt(good.length) + 2n ** 53n)],
  ];
  for (const [expected, bytes, policy] of cases) assertEquals(verdict(bytes, policy), expected);
});

Deno.test("stages 12 to 16: the sections", () => {
  const bare = build({ artifactClass: 5, body: null });
  const cases: [string, Uint8Array, Policy?][] = [
    ["12 IntegerRange [header]", set(H.manifest_offset, 2n ** 53n)],
    ["12 IntegerRange [header]", set(H.manifest_offset, 2n ** 53n + 1n)],
    ["12 IntegerRange [header]", set(H.payload_length, 2n ** 64n - 1n)],
    // (a) before (b): a later range fault before a missing manifest
    ["12 IntegerRange [header]", set(H.payload_length, 2n ** 53n, set(H.manifest_length, 0))],
    ["13 SectionOverflow [manifest]", set(H.manifest_offset, 2n ** 53n - 1n)],
    ["13 SectionOverflow [tensors]", set(H.tensor_table_offset, 2n ** 53n - 192n)],
    ["12 MissingManifest [header]", set(H.manifest_length, 0)],
    ["12 MissingManifest [header]", set(H.manifest_length, 0, set(H.manifest_offset, 0))],
    ["12 FormatLimitExceeded [header]", set(H.manifest_length, 4 * 2 ** 20 + 1)],
    ["12 PolicyLimitExceeded [header]", good, { manifest_length: 10 }],
    ["12 FormatLimitExceeded [header]", set(H.manifest_length, 2 ** 40), { manifest_length: 10 }],
    ["12 AbsentNotZero [header]", set(H.string_table_offset, 0)],
    ["12 AbsentNotZero [header]", set(H.string_table_length, 0)],
    ["12 FormatLimitExceeded [header]", set(H.string_table_length, 16 * 2 ** 20 + 1)],
    ["12 PolicyLimitExceeded [header]", good, { string_table_length: 0 }],
    ["12 AbsentNotZero [header]", set(H.quant_count, 0)],
    ["12 AbsentNotZero [header]", set(H.quant_record_size, 128, bare)],
    ["12 AbsentNotZero [header]", set(H.blob_table_offset, 64, bare)],
    ["12 BadRecordSize [header]", set(H.tensor_record_size, 191)],
    ["12 BadRecordSize [header]", set(H.tensor_count, 2 ** 32 - 1, set(H.tensor_record_size, 0))],
    ["12 FormatLimitExceeded [header]", set(H.tensor_count, 65_537)],
    ["12 PolicyLimitExceeded [header]", good, { tensor_count: 4 }],
    ["accept", good, { tensor_count: 5, quant_count: 2, auxiliary_count: 1, blob_count: 0 }],
    ["12 PolicyLimitExceeded [header]", good, { quant_count: 1 }],
    ["12 PolicyLimitExceeded [header]", good, { auxiliary_count: 0 }],
    ["12 AbsentNotZero [header]", set(H.payload_offset, 0)],
    ["12 AbsentNotZero [header]", set(H.payload_length, 0)],
    ["12 PayloadPresence [header]", set(H.payload_offset, 0, set(H.payload_length, 0))],
    ["12 PayloadPresence [header]", set(H.payload_offset, 64, set(H.payload_length, 64, bare))],
    ["14 SectionMisaligned [manifest]", set(H.manifest_offset, 0x141)],
    ["14 SectionOutOfPlace [manifest]", set(H.manifest_offset, 0)],
    ["14 SectionOutOfPlace [manifest]", set(H.manifest_offset, 320)],
    [
      "14 SectionOutOfPlace [strings]",
      set(H.string_table_offset, at(H.string_table_offset) + 2 ** 32),
    ],
    ["14 SectionOutOfPlace [quant]", set(H.quant_table_offset, 0)],
    ["14 SectionMisaligned [payload]", set(H.payload_offset, at(H.payload_offset) + 1)],
    // stage 13 over all sections before stage 14 of any
    [
      "13 SectionOverflow [payload]",
      set(H.payload_length, 2n ** 53n - 1n, set(H.manifest_offset, 1)),
    ],
    ["15 SectionOutOfBounds [payload]", set(H.payload_length, at(H.payload_length) + 1)],
    ["15 TrailingBytes [file]", set(H.payload_length, at(H.payload_length) - 1)],
    ["16 NonZeroPadding [manifest]", patched(good, [224, le(1, 1)])],
    ["16 NonZeroPadding [manifest]", patched(good, [255, le(1, 1)])],
    ["16 NonZeroPadding [strings]", patched(good, [at(H.string_table_offset) - 1, le(1, 1)])],
  ];
  for (const [expected, bytes, policy] of cases) assertEquals(verdict(bytes, policy), expected);
});

Deno.test("stage 19: the string table", () => {
  const draft = template();
  const strings = ["hello", "text/plain"];
  const withTable = (stringTable: Uint8Array, extra: Partial<Draft> = {}) =>
    verdict(build({ ...draft, ...extra, stringTable }));
  const ok = stringTable(strings);
  const word = (index: number, n: number) => patched(ok, [4 * index, le(n, 4)]);
  assertEquals(withTable(ok), "accept");
  for (
    const table of [
      ok.subarray(0, 7),
      ok.subarray(0, 8),
      word(0, 1),
      word(0, 0),
      word(0, 2 ** 32 - 1),
      word(1, 16),
      concat(ok, le(0, 1)),
      concat(le(0, 4), le(0, 4), le(0, 4)),
    ]
  ) assertEquals(withTable(table), "19 StringTableSize [strings]");
  for (const table of [word(2, 1), word(3, 0), word(3, 15), word(3, 2 ** 31), word(4, 14)]) {
    assertEquals(withTable(table), "19 StringOffsets [strings]");
  }
  // the whole array first
  const both = patched(word(4, 14), [20, utf8("H")]);
  assertEquals(withTable(both), "19 StringOffsets [strings]");
  for (
    const bad of ["a/../b", "a//b", "..", "a/", "A", "/a", "-a", "a b", "a/.", "./a", "\u00e9"]
  ) {
    assertEquals(withTable(stringTable([bad, "text/plain"])), "19 StringInvalid [strings]", bad);
  }
  const passed = "26 PayloadHashMismatch [payload]"; // the blob's name is another one now
  const long = "a".repeat(255);
  assertEquals(withTable(stringTable([long + "a", "b"])), "19 StringInvalid [strings]");
  assertEquals(withTable(stringTable([long, "b"])), passed);
  for (const fine of ["0", "a.b", "a/b/c", "a..b", "a/.b", "a/b.", "a-_"]) {
    assertEquals(withTable(stringTable([fine, "text/plain"])), passed, fine);
  }
  assertEquals(withTable(stringTable(["b", "b"])), "19 StringDuplicate [strings]");
  assertEquals(withTable(stringTable(["b", "a"])), "19 StringOrder [strings]");
  assertEquals(withTable(stringTable(["a", "a0", "b"])), "24 UnreferencedString [strings]");
  assertEquals(withTable(stringTable(["ab", "a"])), "19 StringOrder [strings]");
});
