import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import {
  buildRetrieval,
  openRetrieval,
  type RetrievalIndex,
  type RetrievalInput,
} from "./retrieval.ts";
import { isReject } from "./outcome.ts";
import { candidateOf, world, written } from "./testing.ts";

const { composition, tokenizer } = world();

function build(rows: number[][], more: Partial<RetrievalInput> = {}) {
  return buildRetrieval({
    embedding: composition.identities,
    tokenizer: tokenizer.identities,
    chunking: "whole/1",
    corpus_revision: new Uint8Array(32).fill(7),
    metric: "dot",
    dim: rows[0].length,
    documents: rows.map((_, i) => `document ${i}`),
    vectors: Float32Array.from(rows.flat()),
    type: "f32",
    ...more,
  });
}

/** Built, written, read and opened. */
function index(rows: number[][], more: Partial<RetrievalInput> = {}): RetrievalIndex {
  const parts = build(rows, more);
  if ("refused" in parts) throw new Error(parts.refused);
  const opened = openRetrieval(candidateOf(written(retrievalIndex(parts))));
  if (isReject(opened)) throw new Error(opened.code);
  return opened;
}

const query = (it: RetrievalIndex, vector: number[], count = 9) =>
  it.query(Float32Array.from(vector), count);
const rowsOf = (it: RetrievalIndex, vector: number[], count = 9) =>
  query(it, vector, count).map(({ row }) => row);

const ROWS = [[1, 0], [10, 10], [0, 1], [-1, 0], [0, 0]];

Deno.test("retrieval: dot, cosine and l2 rank as they should, with documents", () => {
  assertEquals(rowsOf(index(ROWS), [1, 0]), [1, 0, 2, 4, 3]);
  assertEquals(rowsOf(index(ROWS, { metric: "cosine" }), [1, 0]), [0, 1, 2, 4, 3]);
  assertEquals(rowsOf(index(ROWS, { metric: "l2" }), [1, 0]), [0, 4, 2, 3, 1]);
  assertEquals(query(index(ROWS, { metric: "l2" }), [1, 0], 2), [
    { row: 0, score: 0, document: "document 0" },
    { row: 4, score: 1, document: "document 4" },
  ]);
});

Deno.test("retrieval: a zero vector scores 0 under cosine, as row and as query", () => {
  const it = index(ROWS, { metric: "cosine" });
  assertEquals(query(it, [0, 0]).map(({ row, score }) => [row, score]), [
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 0],
  ]);
  assertEquals(query(it, [1, 0]).find(({ row }) => row === 4)?.score, 0);
});

Deno.test("retrieval: equal scores come in row order, whatever the count", () => {
  const rows = Array.from({ length: 200 }, (_, i) => i % 4 === 0 ? [i, 1] : [5, 5]);
  for (const metric of ["dot", "cosine", "l2"] as const) {
    const it = index(rows, { metric });
    const all = rowsOf(it, [3, 1], 200);
    assertEquals(rowsOf(it, [3, 1], 100), all.slice(0, 100));
    const equal = all.filter((row) => row % 4 !== 0);
    assertEquals(equal, [...equal].sort((a, b) => a - b));
  }
});

Deno.test("retrieval: cosine stays in its range, and is that of the reference formula", () => {
  const number = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 });
  const vector = fc.array(number, { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 5 }), vector, (rows, asked) => {
      for (const { row, score } of query(index(rows, { metric: "cosine" }), asked)) {
        const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
        const norms = Math.sqrt(dot(rows[row], rows[row])) * Math.sqrt(dot(asked, asked));
        assert(score >= -1 && score <= 1);
        assert(Math.abs(score - (norms === 0 ? 0 : dot(rows[row], asked) / norms)) < 1e-12);
      }
    }),
    { numRuns: 30 },
  );
});

Deno.test("retrieval: quantised rows, with scales in the block and outside", () => {
  const rows = [0, 1, 2].map((r) => Array.from({ length: 32 }, (_, i) => i === r ? 127 : 0));
  for (const type of ["q8-0.b32.row", "q8-row.exact", "q4-0.b32.row"]) {
    const it = index(rows, { type });
    assertEquals(rowsOf(it, rows[2]), [2, 0, 1], type);
  }
  assertEquals(query(index(rows, { type: "q8-row.exact" }), rows[1], 1)[0].score, 127 * 127);
});

Deno.test("retrieval: numbers that are not finite are refused, at either end", () => {
  const parts = build([[1, NaN]]);
  assert("refused" in parts && parts.refused === "NonFiniteSource");
  const good = build([[1, 2]]);
  if ("refused" in good) throw new Error(good.refused);
  const vectors = new Uint8Array(Float32Array.of(1, Infinity).buffer);
  const opened = openRetrieval(candidateOf(written(retrievalIndex({ ...good, vectors }))));
  assert(isReject(opened) && opened.code === "ResourceConstruction");
  assertThrows(() => query(index([[1, 2]]), [1, NaN]), RangeError);
  assertThrows(() => query(index([[1, 2]]), [1]), RangeError);
});
