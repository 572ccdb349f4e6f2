/** Stages 22 and 24: blob records and their places. */
import { assertEquals } from "@std/assert";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import { getField } from "../../corpus/writer/fields.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { cases, described, TEXTS } from "./testing.ts";

const texts = assemble(TEXTS).bytes;

// Blobs of TEXTS: 0 one, 1 two
cases(texts, "blob", [
  [
    "version before kind",
    { "blob[0].record_version": 0, "blob[0].blob_kind": 1 },
    "22 BadRecordVersion blobs",
  ],
  [
    "a kind of another class before flags",
    { "blob[0].blob_kind": 48, "blob[0].flags": 1 },
    "22 BlobKindNotPermitted blobs",
  ],
  ["kind 0", { "blob[0].blob_kind": 0 }, "22 BlobKindNotPermitted blobs"],
  [
    "flags before reserved",
    { "blob[0].flags": 1, "blob[0].reserved_0": 1 },
    "22 NonZeroFlags blobs",
  ],
  ["reserved_1 before ids", {
    "blob[0].reserved_1": Uint8Array.of(1),
    "blob[0].canonical_name_string_id": 99,
  }, "22 NonZeroReserved blobs"],
  ["auxiliary_count", { "blob[0].auxiliary_count": 1 }, "22 NonZeroReserved blobs"],
  ["name id", { "blob[0].canonical_name_string_id": 99 }, "22 BadStringId blobs"],
  [
    "media id before codec",
    { "blob[0].media_type_string_id": 99, "blob[0].codec": 1 },
    "22 BadStringId blobs",
  ],
  [
    "codec before length",
    { "blob[0].codec": 1, "blob[0].payload_length": 0 },
    "22 UnsupportedCodec blobs",
  ],
  ["length 0", { "blob[0].payload_length": 0, "blob[0].logical_length": 0 }, "22 BlobLength blobs"],
  [
    "length 2^53",
    { "blob[0].payload_length": 2n ** 53n, "blob[0].logical_length": 2n ** 53n },
    "22 BlobLength blobs",
  ],
  [
    "logical length before alignment",
    { "blob[0].logical_length": 1, "blob[0].alignment": 1 },
    "22 LogicalLengthMismatch blobs",
  ],
  [
    "alignment before hash",
    { "blob[0].alignment": 63, "blob[0].content_hash": new Uint8Array(32) },
    "22 BadAlignment blobs",
  ],
  ["zero hash", { "blob[0].content_hash": new Uint8Array(32) }, "22 ZeroHash blobs"],
  ["same name", {
    "blob[1].canonical_name_string_id": Number(getField(texts, "blob[0].canonical_name_string_id")),
  }, "22 DescriptorDuplicate blobs"],
  ["order", {
    "blob[0].canonical_name_string_id": Number(getField(texts, "blob[1].canonical_name_string_id")),
    "blob[1].canonical_name_string_id": 0,
  }, "22 DescriptorOrder blobs"],
  ["places", { "blob[1].payload_relative_offset": 128 }, "24 PayloadOutOfPlace payload"],
]);

Deno.test("blob: no name twice across the tensor and blob tables", () => {
  const reference = (byte: number, cls: number) => ({
    class: cls,
    artifact_id: new Uint8Array(32).fill(byte).toHex(),
    whole_file: new Uint8Array(32).fill(byte).toHex(),
  });
  const index = retrievalIndex({
    embedding: reference(1, 6),
    tokenizer: reference(2, 4),
    chunking: "line",
    corpus_revision: new Uint8Array(32),
    metric: "dot",
    documents: ["a"],
    dim: 1,
    type: "f32",
    vectors: new Uint8Array(4),
  });
  const [blob] = index.blobs!;
  const blobs = (name: string) => ({ ...index, blobs: [{ ...blob, name }] });
  assertEquals(described(blobs("vectors")), "22 DuplicateName blobs");
  assertEquals(described(blobs("vector")), "accept");
  // two blobs of a kind of which there is one: the second is at fault, if its hash is right
  const two = { ...index, blobs: [blob, { ...blob, name: "more" }] };
  assertEquals(described(two), "26 BlobContent payload");
});
