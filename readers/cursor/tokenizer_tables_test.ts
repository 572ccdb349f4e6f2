/** Stage 26: the tables of a tokenizer. */
import { assertEquals } from "@std/assert";
import { concat, join, u16, u32, utf8 } from "../../corpus/writer/bytes.ts";
import { tokenizer, vocabularyTable } from "../../corpus/writer/build/tokenizer.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { described } from "./testing.ts";

const CONTENT = "26 BlobContent payload";

const VOCABULARY = ["a", "b", "ab", "", "abb"];
const BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const FALLBACK = BYTES.map((_, byte) => byte);
const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

/** A table tokenizer with one blob replaced by these bytes. */
function withBlob(kind: number, payload: Uint8Array, base = TABLES): string {
  const blobs = base.blobs!.map((blob) => blob.kind === kind ? { ...blob, payload } : blob);
  return described({ ...base, blobs });
}
const TABLES: Description = tokenizer({
  vocabulary: VOCABULARY,
  merges: [[0, 1, 2], [2, 1, 4], [3, 0, 0], [0, 3, 0]],
  scores: [0, -1, -2, -3, -4],
  normalizer: [["a", "b"], ["ab", ""]],
  added_tokens: [{ id: 1, flags: 31 }, { id: 4, flags: 0 }],
}, { kind: "table/1" });

Deno.test("tokenizer: the tables to break are good", () => {
  assertEquals(described(TABLES), "accept");
  assertEquals(described(tokenizer({ vocabulary: [] }, { kind: "table/1" })), "accept");
});

Deno.test("tokenizer: vocabulary", () => {
  const table = vocabularyTable(VOCABULARY);
  const set = (word: number, value: number) => {
    const copy = table.slice();
    copy.set(u32(value), 4 * word);
    return copy;
  };
  for (
    const bad of [
      table.subarray(0, 3),
      table.subarray(0, 4),
      table.subarray(0, 20),
      table.subarray(0, -1),
      concat(table, u16(0)),
      vocabularyTable([...VOCABULARY, "x"]),
      vocabularyTable(VOCABULARY.slice(1)),
      set(0, 2 ** 32 - 1),
      set(1, 1),
      set(2, 2 ** 32 - 1),
      set(3, 0),
      set(6, 6),
    ]
  ) assertEquals(withBlob(1, bad), CONTENT, bad.toHex());
});

Deno.test("tokenizer: merges", () => {
  const merges = (...rows: number[][]) => join([u32(rows.length), ...rows.flat().map(u32)]);
  for (
    const bad of [
      merges([0, 1, 2], [0, 1, 2]),
      merges([0, 1, 2], [2, 1, 4], [0, 1, 2]),
      merges([0, 1, 4]),
      merges([1, 0, 2]),
      merges([0, 5, 2]),
      merges([5, 1, 2]),
      merges([0, 1, 5]),
      merges([0, 1, 2 ** 32 - 1]),
      merges([0, 1, 2]).subarray(0, -1),
      concat(merges([0, 1, 2]), u16(0)),
      u32(2 ** 32 - 1),
      u16(0),
    ]
  ) assertEquals(withBlob(2, bad), CONTENT, bad.toHex());
  assertEquals(withBlob(2, merges()), "accept");
  assertEquals(withBlob(2, merges([3, 3, 3])), "accept", "empty and empty is empty");
});

Deno.test("tokenizer: scores", () => {
  const scores = (...values: number[]) => concat(u32(values.length), floats(...values));
  for (
    const bad of [
      scores(0, 0, 0, 0),
      scores(0, 0, 0, 0, 0, 0),
      scores(0, 0, 0, 0, Infinity),
      scores(-Infinity, 0, 0, 0, 0),
      scores(0, NaN, 0, 0, 0),
      scores(0, 0, 0, 0, 0).subarray(0, -1),
      concat(scores(0, 0, 0, 0, 0), u16(0)),
    ]
  ) assertEquals(withBlob(3, bad), CONTENT, bad.toHex());
  assertEquals(withBlob(3, scores(-0, 3.4e38, -3.4e38, 1e-45, 1)), "accept");
});

Deno.test("tokenizer: normalizer", () => {
  const table = (...pairs: [string, string][]) =>
    join([
      u32(pairs.length),
      ...pairs.flat().map((text) => concat(u16(utf8(text).length), utf8(text))),
    ]);
  for (
    const bad of [
      table(["", "b"]),
      table(["b", ""], ["a", ""]),
      table(["a", ""], ["a", "b"]),
      table(["ab", ""], ["a", ""]),
      table(["a", "b"]).subarray(0, -1),
      concat(table(["a", "b"]), u16(0)),
      concat(u32(2), table(["a", "b"]).subarray(4)),
      u32(1),
      concat(u32(1), u16(1)),
      u16(0),
    ]
  ) assertEquals(withBlob(4, bad), CONTENT, bad.toHex());
  assertEquals(withBlob(4, table()), "accept");
  assertEquals(withBlob(4, table(["a", ""], ["ab", ""], ["b", ""])), "accept");
  assertEquals(withBlob(4, Uint8Array.of(1, 0, 0, 0, 1, 0, 0xff, 0, 0)), "accept", "any bytes");
});

Deno.test("tokenizer: byte fallback", () => {
  const good = tokenizer(
    { vocabulary: [...BYTES, "x", Uint8Array.of(7)], byte_fallback: FALLBACK },
    {
      kind: "table/1",
    },
  );
  const ids = (list: number[]) => withBlob(5, join(list.map(u32)), good);
  assertEquals(ids(FALLBACK), "accept");
  assertEquals(ids(FALLBACK.with(7, 257)), "accept");
  assertEquals(ids(FALLBACK.with(7, 8)), CONTENT);
  assertEquals(ids(FALLBACK.with(120, 256)), "accept", "x is the byte 120");
  assertEquals(ids(FALLBACK.with(7, 258)), CONTENT);
  assertEquals(ids(FALLBACK.slice(1)), CONTENT);
  assertEquals(ids([...FALLBACK, 0]), CONTENT);
});

Deno.test("tokenizer: added tokens", () => {
  const table = (...rows: [number, number][]) =>
    join([u32(rows.length), ...rows.map(([id, flags]) => concat(u32(id), Uint8Array.of(flags)))]);
  for (
    const bad of [
      table([1, 0], [1, 0]),
      table([2, 0], [1, 0]),
      table([5, 0]),
      table([0, 32]),
      table([0, 255]),
      table([0, 0]).subarray(0, -1),
      concat(table([0, 0]), u16(0)),
      u16(0),
    ]
  ) assertEquals(withBlob(6, bad), CONTENT, bad.toHex());
  assertEquals(withBlob(6, table()), "accept");
});

Deno.test("tokenizer: names, media types, seconds, and what its kind needs", () => {
  const [vocabulary, merges, scores] = TABLES.blobs!;
  const of = (kind: string, blobs: Description["blobs"], byte_fallback = false) =>
    described({ ...TABLES, body: { ...TABLES.body, kind, byte_fallback }, blobs });
  assertEquals(of("table/1", [{ ...vocabulary, name: "v" }]), CONTENT);
  assertEquals(of("table/1", [{ ...vocabulary, media_type: "text/plain" }]), CONTENT);
  assertEquals(of("table/1", [vocabulary, { ...vocabulary, name: "vocabulary2" }]), CONTENT);
  assertEquals(of("table/1", [merges]), CONTENT);
  assertEquals(of("table/1", [scores]), CONTENT, "no vocabulary, after the last object");
  assertEquals(of("table/1", [vocabulary]), "accept");
  assertEquals(of("wordpiece/1", [vocabulary]), "accept");
  assertEquals(of("byte-level-bpe/1", [vocabulary]), CONTENT);
  assertEquals(of("byte-level-bpe/1", [vocabulary, merges]), "accept");
  assertEquals(of("score-bpe/1", [vocabulary, merges]), CONTENT);
  assertEquals(of("score-bpe/1", [vocabulary, scores]), "accept");
  assertEquals(of("unigram/1", [vocabulary]), CONTENT);
  assertEquals(of("unigram/1", [vocabulary, scores]), "accept");
  assertEquals(of("table/1", [vocabulary], true), CONTENT);
});
