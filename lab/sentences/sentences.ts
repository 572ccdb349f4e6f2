/**
 * The sentence tests: the specification read from its first sentence to its last, and for each
 * that decides something a file that only it decides. Expectations were written down from the
 * text alone. Here: files with one value replaced, whatever it is, and a row held against both
 * readers.
 */
import { assertEquals } from "@std/assert";
import { concat } from "../../corpus/writer/bytes.ts";
import { encode, entriesOf, isMap, type Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { getField, setField } from "../../corpus/writer/fields.ts";
import { layOut } from "../../corpus/writer/layout.ts";
import { manifestOf } from "../../corpus/writer/manifest.ts";
import { assemble } from "../../corpus/writer/write.ts";
import type {
  Identities,
  Judgement,
  Reader,
  ReadRequest,
  Verdict,
} from "../../readers/contract.ts";
import { memorySource } from "../../readers/source.ts";
import { loadReaders } from "../readers.ts";

export const READERS = await loadReaders("cursor,table");

/** `accept`, `skip`, or `stage code [section]`. */
export type Outcome = string;

/** A sentence in short, the file that it decides, what it decides, and how the file is read. */
export type Row = readonly [
  sentence: string,
  file: () => Uint8Array,
  expected: Outcome,
  request?: Omit<ReadRequest, "source">,
];

export function outcomeOf(verdict: Verdict | Judgement): Outcome {
  if (verdict.verdict !== "reject") return verdict.verdict;
  return `${verdict.stage} ${verdict.code} [${verdict.section}]`;
}

/** Runs each row as a test of its own, on both readers. */
export function sentences(section: string, rows: readonly Row[]): void {
  for (const [sentence, file, expected, request] of rows) {
    Deno.test(`${section}: ${sentence}`, () => {
      const bytes = file();
      const outcomes = READERS.map((reader) => {
        const { verdict } = reader.read({ ...request, source: memorySource(bytes) });
        return `${reader.name}: ${outcomeOf(verdict)}`;
      });
      assertEquals(outcomes, READERS.map(({ name }) => `${name}: ${expected}`));
    });
  }
}

/** The same for requests that are no reading: what `ask` is answered by each reader. */
export function judged(
  section: string,
  rows: readonly (readonly [
    sentence: string,
    ask: (reader: Reader) => Outcome,
    expected: Outcome,
  ])[],
): void {
  for (const [sentence, ask, expected] of rows) {
    Deno.test(`${section}: ${sentence}`, () => {
      assertEquals(
        READERS.map((reader) => `${reader.name}: ${ask(reader)}`),
        READERS.map(({ name }) => `${name}: ${expected}`),
      );
    });
  }
}

/** The identities of a file that the first reader accepts. */
export function identitiesOf(bytes: Uint8Array): Identities {
  const { verdict } = READERS[0].read({ source: memorySource(bytes) });
  if (verdict.verdict === "reject") throw new Error(outcomeOf(verdict));
  return verdict.identities;
}

export const file = (description: Description): Uint8Array => assemble(description).bytes;

/** A file with header or record fields overwritten. */
export function patched(
  good: Uint8Array,
  fields: Record<string, number | bigint | Uint8Array>,
): Uint8Array {
  const bytes = good.slice();
  for (const [path, value] of Object.entries(fields)) setField(bytes, path, value);
  return bytes;
}

/** The same file around another manifest; every section is laid out anew. */
export function withManifest(bytes: Uint8Array, manifest: Uint8Array): Uint8Array {
  const h = (name: string) => Number(getField(bytes, `header.${name}`));
  const at = (offset: string, length: number) => bytes.subarray(h(offset), h(offset) + length);
  const payload = at("payload_offset", h("payload_length"));
  const head = layOut(h("artifact_class"), {
    manifest,
    strings: at("string_table_offset", h("string_table_length")),
    quant: at("quant_table_offset", 128 * h("quant_count")),
    tensor: at("tensor_table_offset", 192 * h("tensor_count")),
    blob: at("blob_table_offset", 96 * h("blob_count")),
    auxiliary: at("auxiliary_table_offset", 32 * h("auxiliary_count")),
  }, payload.length);
  return concat(head, payload);
}

/** Values by path of keys and indexes into a manifest, `body.kv.element_type`; undefined: gone. */
export type Edits = Record<string, Item | undefined>;

/** The file of a description, its manifest edited after sets were sorted. */
export function edited(description: Description, edits: Edits): Uint8Array {
  const item = Object.entries(edits).reduce<Item>(
    (whole, [path, value]) => replaced(whole, path.split("."), value),
    manifestOf(description).item,
  );
  return withManifest(file(description), encode(item));
}

function replaced(item: Item, [key, ...rest]: readonly string[], value: Item | undefined): Item {
  const next = (old: Item | undefined) =>
    rest.length === 0 ? value : replaced(old ?? {}, rest, value);
  if (Array.isArray(item)) return item.with(Number(key), next(item[Number(key)]) ?? null);
  if (!isMap(item)) throw new Error(`no map above ${key}`);
  const entries = new Map(entriesOf(item));
  const changed = next(entries.get(key));
  if (changed === undefined) entries.delete(key);
  else entries.set(key, changed);
  return entries;
}

export const hash = (n: number): Uint8Array => new Uint8Array(32).fill(n);

/** A receipt: the smallest body. */
export const RECEIPT: Description = {
  artifact_class: 12,
  body: {
    cases: 1,
    cases_passed: 1,
    dataset: hash(0),
    evaluator: "e",
    scope: "s",
    status: "pass",
    subject: hash(1),
    subject_whole_file: hash(2),
  },
  dependencies: [{ role: "subject", artifact_class: 1, id: hash(1), whole_file: hash(2) }],
};
export const receipt = (edits: Edits): Uint8Array => edited(RECEIPT, edits);

/** A dense tensor of zeros. */
export const dense = (role: string, name: string, shape: readonly number[], type = "f32") => ({
  role,
  name,
  shape,
  type,
  payload: new Uint8Array(
    shape.reduce((n, dimension) => n * dimension, 1) * ({ u64: 8, f16: 2, u8: 1 }[type] ?? 4),
  ),
});
