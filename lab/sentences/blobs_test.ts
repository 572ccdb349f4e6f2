/** Blob records (slm2.md 7.4 and 8, stage 22), absent string tables, and sources: a row a sentence. */
import { tensorPack } from "../../corpus/writer/build/model.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { getField, setField } from "../../corpus/writer/fields.ts";
import type { Reader, Source } from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import {
  dense,
  file,
  hash,
  judged,
  outcomeOf,
  patched,
  RECEIPT,
  type Row,
  sentences,
} from "./sentences.ts";

const report = (name: string) => ({
  kind: 80,
  name,
  media_type: "m",
  payload: new Uint8Array([0x61]),
});
const REPORTS = file({ ...RECEIPT, blobs: [report("a"), report("b")] });
const LITERALS: Description = {
  artifact_class: 5,
  body: {
    fields: [],
    generation_marker: null,
    instruction_set: 1,
    program: [],
    roles: [],
    stop_tokens: [],
    tokenizer_id: hash(1),
  },
  dependencies: [{ role: "tokenizer", artifact_class: 4, id: hash(1), whole_file: null }],
  blobs: [{ ...report("a"), kind: 16, media_type: "text/plain" }],
};

type Fields = Record<string, number | bigint | Uint8Array>;
const fields = (of: Fields): Fields =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [`blob[1].${name}`, value]));
const b = (sentence: string, of: Fields, code: string): Row => [
  sentence,
  () => patched(REPORTS, fields(of)),
  `22 ${code} [blobs]`,
];
const length = (n: number | bigint) => ({
  "blob[0].payload_length": n,
  "blob[0].logical_length": n,
});
sentences("slm2.md 8, stage 22", [
  ["two reports", () => REPORTS, "accept"],
  b("version before kind", { record_version: 0, blob_kind: 0 }, "BadRecordVersion"),
  b("kind before flags", { blob_kind: 81, flags: 1 }, "BlobKindNotPermitted"),
  b("another class's kind", { blob_kind: 48 }, "BlobKindNotPermitted"),
  b("flags before reserved", { flags: 1, reserved_0: 1 }, "NonZeroFlags"),
  b(
    "reserved before ids",
    { reserved_1: new Uint8Array([1]), media_type_string_id: 9 },
    "NonZeroReserved",
  ),
  b("auxiliary_first is reserved", { auxiliary_first: 1 }, "NonZeroReserved"),
  b("auxiliary_count too", { auxiliary_count: 1, codec: 1 }, "NonZeroReserved"),
  b("ids before codec", { media_type_string_id: 3, codec: 1 }, "BadStringId"),
  b("codec before length", { codec: 1, payload_length: 0 }, "UnsupportedCodec"),
  b("no byte", { payload_length: 0, logical_length: 0 }, "BlobLength"),
  b("2^53 bytes", { payload_length: 2n ** 53n, logical_length: 2n ** 53n }, "BlobLength"),
  b("length before logical length", { payload_length: 2n ** 53n, logical_length: 1 }, "BlobLength"),
  b(
    "logical length before alignment",
    { logical_length: 2, alignment: 0 },
    "LogicalLengthMismatch",
  ),
  b("alignment before hash", { alignment: 63, content_hash: hash(0) }, "BadAlignment"),
  b("hash before order", { content_hash: hash(0), canonical_name_string_id: 0 }, "ZeroHash"),
  b("one key twice", { canonical_name_string_id: 0 }, "DescriptorDuplicate"),
  ["order before name", () => {
    const bytes = patched(REPORTS, { "blob[0].canonical_name_string_id": 1 });
    setField(bytes, "blob[1].canonical_name_string_id", 0);
    return bytes;
  }, "22 DescriptorOrder [blobs]"],
  [
    "a report of 2^53 - 1 bytes is only out of bounds",
    () => patched(REPORTS, length(2 ** 53 - 1)),
    "24 PayloadOutOfBounds [payload]",
  ],
  [
    "a literal of 64 MiB too",
    () => patched(file(LITERALS), length(2 ** 26)),
    "24 PayloadOutOfBounds [payload]",
  ],
  [
    "a byte more is its kind's limit",
    () => patched(file(LITERALS), length(2 ** 26 + 1)),
    "22 BlobLength [blobs]",
  ],
]);

/** Without its string table; sections after it stand where they then have to. */
function withoutStrings(bytes: Uint8Array, shifted: readonly string[]): Uint8Array {
  const h = (name: string) => Number(getField(bytes, `header.${name}`));
  const from = h("string_table_offset");
  const by = h(shifted[0]) - from;
  const rest = bytes.slice();
  rest.copyWithin(from, from + by);
  const short = rest.subarray(0, rest.length - by);
  setField(short, "header.file_size", short.length);
  setField(short, "header.string_table_offset", 0);
  setField(short, "header.string_table_length", 0);
  for (const name of shifted) setField(short, `header.${name}`, h(name) - by);
  return short;
}
sentences("slm2.md 8, an absent string table", [
  ["a tensor's role", () =>
    withoutStrings(file(tensorPack([dense("a", "b", [])])), [
      "tensor_table_offset",
      "payload_offset",
    ]), "21 BadStringId [tensors]"],
  ["a profile's name", () =>
    withoutStrings(
      file(
        tensorPack([{
          role: "a",
          name: "b",
          shape: [32],
          type: "q8-0.b32.pad",
          payload: new Uint8Array(34),
        }]),
      ),
      ["quant_table_offset", "tensor_table_offset", "payload_offset"],
    ), "20 BadStringId [quant]"],
  [
    "a blob's name",
    () => withoutStrings(REPORTS, ["blob_table_offset", "payload_offset"]),
    "22 BadStringId [blobs]",
  ],
]);

const source = (over: Partial<Source>) => ({ ...memorySource(REPORTS), ...over });
const read = (over: () => Partial<Source>) => (reader: Reader) =>
  outcomeOf(reader.read({ source: source(over()) }).verdict);
judged("slm2.md 8, stage 1", [
  [
    "a size that cannot be had",
    read(() => ({
      size: () => {
        throw new Error("no");
      },
    })),
    "1 SourceIo [none]",
  ],
  ["a size that is none", read(() => ({ size: () => NaN })), "1 SourceIo [none]"],
  [
    "bytes that cannot be had",
    read(() => ({
      read: () => {
        throw new Error("no");
      },
    })),
    "1 SourceIo [none]",
  ],
  ["a short read", read(() => ({ read: (_, into) => into.length - 1 })), "1 SourceIo [none]"],
  [
    "a size that changes",
    read(() => {
      let calls = 0;
      return { size: () => REPORTS.length + (calls++ > 0 ? 1 : 0) };
    }),
    "1 SourceIo [none]",
  ],
  [
    "a size that changes at the end",
    read(() => {
      let size = REPORTS.length;
      const good = memorySource(REPORTS);
      return {
        size: () => size,
        read(offset, into) {
          if (offset + into.length >= REPORTS.length) size++;
          return good.read(offset, into);
        },
      };
    }),
    "1 SourceIo [none]",
  ],
]);
