/** Stages 1 to 16: the size, the header, and where sections stand. */
import { assertEquals } from "@std/assert";
import { assemble } from "../../corpus/writer/write.ts";
import { getField } from "../../corpus/writer/fields.ts";
import type { Source } from "../contract.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";
import { brief, edited, judged, PACK, poked, TEXTS } from "./testing.ts";

const file = assemble(PACK).bytes;
const texts = assemble(TEXTS).bytes;
const at = (path: string) => Number(getField(file, path));

Deno.test("header: the files to break are good", () => {
  assertEquals([judged(file), judged(texts)], ["accept", "accept"]);
});

for (
  const [name, bytes, verdict] of [
    ["empty", new Uint8Array(0), "3 TruncatedHeader header"],
    ["223 bytes", file.subarray(0, 223), "3 TruncatedHeader header"],
    [
      "SLM1, and all else wrong",
      poked(file, 3, 0x31).fill(1, 8),
      "4 UnsupportedLegacyFormat header",
    ],
    ["lone LF turned into CR LF", poked(file, 7, 0x0d), "4 BadMagic header"],
    ["format id without its zeros", poked(file, 23, 1), "5 BadFormatId header"],
    [
      "version before header size",
      edited(file, { "header.version_minor": 1, "header.header_size": 0 }),
      "6 UnsupportedVersion header",
    ],
    ["major 3", edited(file, { "header.version_major": 3 }), "6 UnsupportedVersion header"],
    ["header size", edited(file, { "header.header_size": 256 }), "7 BadHeaderSize header"],
    [
      "byte order",
      edited(file, { "header.byte_order_marker": 0x04030201 }),
      "8 BadByteOrderMarker header",
    ],
    ["class 0", edited(file, { "header.artifact_class": 0 }), "9 UnknownArtifactClass header"],
    ["class 14", edited(file, { "header.artifact_class": 14 }), "9 UnknownArtifactClass header"],
    [
      "flags before reserved",
      edited(poked(file, 223, 1), { "header.header_flags": 1 }),
      "10 NonZeroFlags header",
    ],
    ["last reserved byte", poked(file, 223, 1), "10 NonZeroReserved header"],
    ["last byte cut", file.subarray(0, -1), "11 FileSizeMismatch header"],
    [
      "file_size 2^64 - 1",
      edited(file, { "header.file_size": 2n ** 64n - 1n }),
      "11 FileSizeMismatch header",
    ],
    [
      "file_size and 2^53",
      edited(file, { "header.file_size": BigInt(file.length) + 2n ** 53n }),
      "11 FileSizeMismatch header",
    ],
    [
      "manifest_offset 2^53",
      edited(file, { "header.manifest_offset": 2n ** 53n }),
      "12 IntegerRange header",
    ],
    [
      "manifest_offset 2^53 + 1",
      edited(file, { "header.manifest_offset": 2n ** 53n + 1n }),
      "12 IntegerRange header",
    ],
    [
      "payload_length 2^53 before an empty manifest",
      edited(file, { "header.payload_length": 2n ** 53n, "header.manifest_length": 0 }),
      "12 IntegerRange header",
    ],
    ["no manifest", edited(file, { "header.manifest_length": 0 }), "12 MissingManifest header"],
    [
      "manifest over 4 MiB",
      edited(file, { "header.manifest_length": 4 * 2 ** 20 + 1 }),
      "12 FormatLimitExceeded header",
    ],
    [
      "string offset without length",
      edited(file, { "header.string_table_length": 0 }),
      "12 AbsentNotZero header",
    ],
    [
      "strings over 16 MiB",
      edited(file, { "header.string_table_length": 2 ** 24 + 1 }),
      "12 FormatLimitExceeded header",
    ],
    [
      "no quant records, but an offset",
      edited(file, { "header.quant_count": 0 }),
      "12 AbsentNotZero header",
    ],
    [
      "no blobs, but a record size",
      edited(file, { "header.blob_record_size": 96 }),
      "12 AbsentNotZero header",
    ],
    ["record size", edited(file, { "header.tensor_record_size": 200 }), "12 BadRecordSize header"],
    [
      "record size before count limit",
      edited(file, { "header.tensor_record_size": 200, "header.tensor_count": 65537 }),
      "12 BadRecordSize header",
    ],
    [
      "65,537 tensors",
      edited(file, { "header.tensor_count": 65537 }),
      "12 FormatLimitExceeded header",
    ],
    [
      "1,025 profiles",
      edited(file, { "header.quant_count": 1025 }),
      "12 FormatLimitExceeded header",
    ],
    [
      "262,145 auxiliaries",
      edited(file, { "header.auxiliary_count": 262145 }),
      "12 FormatLimitExceeded header",
    ],
    [
      "payload offset alone",
      edited(file, { "header.payload_length": 0 }),
      "12 AbsentNotZero header",
    ],
    [
      "tensors without payload",
      edited(file, { "header.payload_length": 0, "header.payload_offset": 0 }),
      "12 PayloadPresence header",
    ],
    [
      "manifest_offset 2^53 - 1",
      edited(file, { "header.manifest_offset": 2 ** 53 - 1 }),
      "13 SectionOverflow manifest",
    ],
    [
      "overflow of a later section before misplacement of an earlier",
      edited(file, { "header.manifest_offset": 1, "header.payload_offset": 2 ** 53 - 64 }),
      "13 SectionOverflow payload",
    ],
    [
      "string table 2^32 further",
      edited(file, { "header.string_table_offset": at("header.string_table_offset") + 2 ** 32 }),
      "14 SectionOutOfPlace strings",
    ],
    [
      "manifest at 257",
      edited(file, { "header.manifest_offset": 257 }),
      "14 SectionMisaligned manifest",
    ],
    [
      "a table at 0",
      edited(file, { "header.tensor_table_offset": 0 }),
      "14 SectionOutOfPlace tensors",
    ],
    [
      "sections swapped",
      edited(file, { "header.quant_table_offset": at("header.tensor_table_offset") }),
      "14 SectionOutOfPlace quant",
    ],
    [
      "payload past the end",
      edited(file, { "header.payload_length": at("header.payload_length") + 1 }),
      "15 SectionOutOfBounds payload",
    ],
    [
      "a byte after the end",
      edited(Uint8Array.of(...file, 0), { "header.file_size": file.length + 1 }),
      "15 TrailingBytes file",
    ],
    ["between header and manifest", poked(file, 224, 1), "16 NonZeroPadding manifest"],
    [
      "before the payload",
      poked(file, at("header.payload_offset") - 1, 1),
      "16 NonZeroPadding payload",
    ],
  ] as [string, Uint8Array, string][]
) {
  Deno.test(`header: ${name}`, () => assertEquals(judged(bytes), verdict));
}

Deno.test("header: gaps are searched in file order, and named by what follows", () => {
  const gap = at("header.manifest_offset") + at("header.manifest_length");
  if (gap % 64 !== 0) {
    assertEquals(judged(poked(poked(file, gap, 1), 256, 0xff)), "16 NonZeroPadding strings");
  }
});

Deno.test("policy: a lower limit, a limit of 0, and one above the format's", () => {
  const size = file.length;
  for (
    const [policy, verdict] of [
      [{ file_size: size }, "accept"],
      [{ file_size: size - 1 }, "2 PolicyLimitExceeded file"],
      [{ file_size: 0 }, "2 PolicyLimitExceeded file"],
      [{ manifest_length: at("header.manifest_length") - 1 }, "12 PolicyLimitExceeded header"],
      [{ string_table_length: 0 }, "12 PolicyLimitExceeded header"],
      [{ quant_count: 1 }, "12 PolicyLimitExceeded header"],
      [{ quant_count: 2, tensor_count: 5, blob_count: 0, auxiliary_count: 1 }, "accept"],
      [{ tensor_count: 4 }, "12 PolicyLimitExceeded header"],
      [{ auxiliary_count: 0 }, "12 PolicyLimitExceeded header"],
      [{ tensor_count: 10 ** 9 }, "accept"],
      [{ rank: 2 }, "accept"],
      [{ rank: 1 }, "21 PolicyLimitExceeded tensors"],
      [{ cbor_depth: 4 }, "accept"],
      [{ cbor_depth: 3 }, "17 PolicyLimitExceeded manifest"],
      [{ cbor_items: 0 }, "17 PolicyLimitExceeded manifest"],
      [{ cbor_text: 3 }, "17 PolicyLimitExceeded manifest"],
      [{ cbor_entries: 5 }, "17 PolicyLimitExceeded manifest"],
    ] as const
  ) assertEquals(judged(file, { policy }), verdict, JSON.stringify(policy));
  assertEquals(judged(texts, { policy: { blob_count: 1 } }), "12 PolicyLimitExceeded header");
  assertEquals(judged(texts, { policy: { cbor_bytes: 31 } }), "17 PolicyLimitExceeded manifest");
  const over = edited(file, { "header.tensor_count": 65537 });
  assertEquals(judged(over, { policy: { tensor_count: 10 } }), "12 FormatLimitExceeded header");
});

/** The verdict on a source that lies. */
const of = (source: Source) => brief(cursor.read({ source }).verdict);
const good = memorySource(file);
const IO = "1 SourceIo none";

Deno.test("source: throws, stops short, has no size, or changes it", () => {
  const fails = () => {
    throw new Error("no");
  };
  assertEquals(of({ ...good, size: fails }), IO);
  assertEquals(of({ ...good, read: fails }), IO);
  assertEquals(of({ ...good, size: () => NaN }), IO);
  assertEquals(of({ ...good, size: () => -1 }), IO);
  assertEquals(of({ size: () => 2 ** 53, read: fails }), "2 FormatLimitExceeded file");
  for (let failing = 0; failing < 8; failing++) {
    let reads = 0;
    const read: Source["read"] = (offset, into) => {
      const n = good.read(offset, into);
      return reads++ === failing ? n - 1 : n;
    };
    const verdict = of({ ...good, read });
    assertEquals(verdict, reads <= failing ? "accept" : IO);
  }
  for (const change of [-1, 1]) {
    let calls = 0;
    assertEquals(of({ ...good, size: () => file.length + (calls++ > 0 ? change : 0) }), IO);
  }
});

Deno.test("source: a lie about 200 GiB costs a few reads", () => {
  const size = 200 * 2 ** 30;
  const head = edited(file, {
    "header.file_size": size,
    "header.payload_length": size - at("header.payload_offset"),
  });
  let reads = 0;
  let bytes = 0;
  const source: Source = {
    size: () => size,
    read(offset, into) {
      reads++;
      bytes += into.length;
      into.fill(0);
      into.set(head.subarray(offset, offset + into.length).subarray(0, into.length));
      return into.length;
    },
  };
  assertEquals(of(source), "24 PayloadTrailing payload");
  assertEquals(reads <= 3 && bytes < 10_000, true);
});

Deno.test("source: a view counts alone, whatever lies beside it", () => {
  for (
    const [bytes, verdict] of [[file, "accept"], [
      poked(file, 223, 1),
      "10 NonZeroReserved header",
    ]] as const
  ) {
    for (const beside of [0xaa, 0x55]) {
      const buffer = new Uint8Array(bytes.length + 26).fill(beside);
      buffer.set(bytes, 13);
      assertEquals(judged(buffer.subarray(13, 13 + bytes.length)), verdict);
    }
  }
});
