/** For tests: artifacts to break, made by the canonical writer, and verdicts as short texts. */
import { assertEquals } from "@std/assert";
import type { Judgement, ReadRequest, Verdict } from "../contract.ts";
import type { Item } from "../../corpus/writer/cbor.ts";
import { encode } from "../../corpus/writer/cbor.ts";
import type { Description, TensorDescription } from "../../corpus/writer/description.ts";
import { type FieldValue, placeOf, setField } from "../../corpus/writer/fields.ts";
import { assemble } from "../../corpus/writer/write.ts";
import { memorySource } from "../source.ts";
import { cursor } from "./reader.ts";

/** `accept`, or `21 ShapeInvalid tensors`. */
export function brief(verdict: Verdict | Judgement): string {
  return verdict.verdict === "reject"
    ? `${verdict.stage} ${verdict.code} ${verdict.section}`
    : verdict.verdict;
}

/** The verdict on a file, as `brief` writes it. */
export function judged(bytes: Uint8Array, request: Omit<ReadRequest, "source"> = {}): string {
  return brief(cursor.read({ source: memorySource(bytes), ...request }).verdict);
}

/** The verdict on what a description says, right or wrong. */
export const described = (description: Description, request?: Omit<ReadRequest, "source">) =>
  judged(assemble(description).bytes, request);

/** A copy of `file` with fields (of corpus/writer/fields.ts) overwritten in the order given. */
export function edited(file: Uint8Array, edits: Readonly<Record<string, FieldValue>>): Uint8Array {
  const copy = file.slice();
  for (const [path, value] of Object.entries(edits)) setField(copy, path, value);
  return copy;
}

/** A test a row: fields of `file` overwritten, and the verdict on it. */
export function cases(
  file: Uint8Array,
  stage: string,
  rows: readonly (readonly [
    name: string,
    edits: Readonly<Record<string, FieldValue>>,
    verdict: string,
  ])[],
): void {
  for (const [name, edits, verdict] of rows) {
    Deno.test(`${stage}: ${name}`, () => assertEquals(judged(edited(file, edits)), verdict));
  }
}

/** A copy of `file` with the byte at `offset` replaced, or one of a field's bytes. */
export function poked(file: Uint8Array, offset: number | string, byte: number, plus = 0) {
  const copy = file.slice();
  copy[(typeof offset === "string" ? placeOf(file, offset).offset : offset) + plus] = byte;
  return copy;
}

/** A file that has a header and this manifest only. */
export function manifestFile(manifest: Uint8Array, artifact_class = 13): Uint8Array {
  const file = assemble({ artifact_class, body: {} }).bytes.subarray(0, 256);
  const whole = new Uint8Array(256 + manifest.length);
  whole.set(file);
  whole.set(manifest, 256);
  return edited(whole, {
    "header.file_size": whole.length,
    "header.manifest_length": manifest.length,
  });
}

/** The verdict on a manifest given as an item, in a file of its own. */
export const manifested = (item: Item, artifact_class: number) =>
  judged(manifestFile(encode(item), artifact_class));

const f32 = (name: string, shape: number[], more: Partial<TensorDescription> = {}) => ({
  role: name,
  name,
  shape,
  type: "f32",
  payload: new Uint8Array(4 * shape.reduce((a, b) => a * b, 1)).fill(1),
  ...more,
});

/**
 * Class 1, `tensor-pack/1`, in record order: `a` dense f32 [2, 3]; `q` q8-0.b32.row [3, 33];
 * `r` q8-row.exact [4, 8], whose scales are `s`; `z` dense f32, of rank 0.
 */
export const PACK: Description = {
  artifact_class: 1,
  body: { architecture: { id: "tensor-pack/1", parameters: {} }, dependents: false },
  tensors: [
    f32("a", [2, 3]),
    f32("q", [3, 33], { type: "q8-0.b32.row", payload: new Uint8Array(3 * 68) }),
    f32("r", [4, 8], { type: "q8-row.exact", payload: new Uint8Array(32) }),
    f32("s", [4]),
    f32("z", []),
  ],
  auxiliaries: [{ owner: "r", target: "s" }],
};

export const TEXTS: Description = {
  artifact_class: 12,
  body: {
    cases: 2,
    cases_passed: 1,
    dataset: new Uint8Array(32),
    evaluator: "lab",
    scope: "all",
    status: "pass",
    subject: new Uint8Array(32).fill(7),
    subject_whole_file: new Uint8Array(32).fill(8),
  },
  dependencies: [{
    role: "subject",
    artifact_class: 1,
    id: new Uint8Array(32).fill(7),
    whole_file: new Uint8Array(32).fill(8),
  }],
  blobs: ["one", "two"].map((name) => ({
    kind: 80,
    name,
    media_type: "text/plain",
    payload: new TextEncoder().encode(`report ${name}`),
  })),
};
