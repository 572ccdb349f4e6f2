/** Names for people: what the numbers of the format are called in reports. */

/** What each validation stage looks at (slm2.md section 8); index = stage. */
export const STAGE_NAMES: readonly string[] = [
  "",
  "source",
  "file size limit",
  "header present",
  "magic",
  "format identity",
  "version",
  "header size",
  "byte order",
  "artifact class",
  "flags and reserved bytes",
  "declared file size",
  "section fields",
  "section arithmetic",
  "section placement",
  "section bounds",
  "padding between sections",
  "manifest encoding",
  "manifest schema",
  "string table",
  "quantization table",
  "tensor table",
  "blob table",
  "auxiliary table",
  "payload layout",
  "capability and dependencies",
  "payload content",
  "whole-file and piece identities",
  "signature",
  "license and provenance",
  "evaluation receipts",
  "runtime construction",
  "activation",
];

/** Artifact classes (slm2.md section 3) by id. */
export const CLASS_NAMES: Readonly<Record<number, string>> = {
  1: "standalone_model",
  2: "immutable_base",
  3: "adapter",
  4: "tokenizer",
  5: "chat_template",
  6: "composition",
  7: "kv_cache",
  8: "retrieval_index",
  9: "piece_set",
  10: "signature_envelope",
  11: "license_provenance",
  12: "evaluation_receipt",
  13: "catalog_announcement",
};

/** Dense element types (slm2.md section 7.1) by id. */
export const ELEMENT_TYPE_NAMES: Readonly<Record<number, string>> = {
  1: "f32",
  2: "f16",
  3: "bf16",
  4: "f64",
  5: "i8",
  6: "u8",
  7: "i16",
  8: "u16",
  9: "i32",
  10: "u32",
  11: "i64",
  12: "u64",
};

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A byte count for people: `391 KiB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
