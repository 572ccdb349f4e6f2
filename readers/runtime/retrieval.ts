/**
 * Retrieval over a `flat/1` index (class 8, classes.md section 9): every row is scored, so the
 * answer is exact. Scores are sums in f64 over the dequantised f32 rows, from left to right.
 */
import type { Candidate, Identities, Reject } from "../contract.ts";
import { encode, type EncodeRefusal } from "../../kernels/quant/codec.ts";
import { profileFormat } from "../../kernels/quant/format.ts";
import { type RetrievalBody, retrievalBody } from "./manifest.ts";
import { isReject, reject } from "./outcome.ts";
import { takeBlob } from "./payload.ts";
import { takeValues } from "./values.ts";

/** What an index is built from. */
export interface RetrievalInput {
  readonly embedding: Identities;
  readonly tokenizer: Identities;
  readonly chunking: string;
  /** 32 bytes */
  readonly corpus_revision: Uint8Array;
  readonly metric: RetrievalBody["metric"];
  readonly dim: number;
  readonly documents: readonly string[];
  /** a row of `dim` numbers a document */
  readonly vectors: Float32Array;
  /** `f32` or a registered profile */
  readonly type: string;
}

/** An index as plain data, in the terms of the canonical writer's `retrievalIndex`. */
export type RetrievalParts = Omit<RetrievalInput, "vectors"> & {
  readonly vectors: Uint8Array;
  /** f32 a row, under kernel contract 5 */
  readonly scales?: Uint8Array;
};

/**
 * The parts of an index, its vectors in the type asked for; a refusal where they do not fit it
 * (not finite, a count that is not documents x dim, a row that is no whole number of blocks).
 * @throws RangeError where `type` is neither f32 nor registered
 */
export function buildRetrieval(input: RetrievalInput): RetrievalParts | EncodeRefusal {
  const { type, dim, documents, vectors } = input;
  const format = type === "f32" ? { format: "f32", tail: "exact" } as const : profileFormat(type);
  if (!format) throw new RangeError(`${type} is neither f32 nor a registered profile`);
  const strange = vectors.findIndex((x) => !Number.isFinite(x));
  if (strange >= 0) return { refused: "NonFiniteSource", element: strange };
  const stored = encode({ ...format, rows: documents.length, columns: dim }, vectors);
  if ("refused" in stored) return stored;
  const { bytes, scales } = stored;
  return {
    ...input,
    vectors: bytes,
    ...(scales && { scales: new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength) }),
  };
}

/** A found row. Under l2 `score` is the distance and the least is best; else the greatest is. */
export interface Hit {
  readonly row: number;
  readonly score: number;
  readonly document: string;
}

export interface RetrievalIndex {
  readonly body: RetrievalBody;
  /**
   * The `count` best rows, best first; of equal scores the lower row. Under cosine a zero
   * vector, in the index or asked for, scores 0.
   * @throws RangeError where `vector` does not have the index's dim, or is not finite
   */
  query(vector: Float32Array, count: number): Hit[];
}

/**
 * Opens an accepted index. Rejections: `ResourceConstruction` (a row that is not finite once
 * dequantised), `SourceIo`, `PayloadHashMismatch`.
 */
export function openRetrieval(candidate: Candidate): RetrievalIndex | Reject {
  const body = retrievalBody(candidate);
  const rows = takeValues(candidate, candidate.tensors.findIndex(({ role }) => role === "vectors"));
  if (isReject(rows)) return rows;
  if (!rows.every(Number.isFinite)) return reject(31, "ResourceConstruction", "finite vectors");
  const table = takeBlob(candidate, 0);
  if (isReject(table)) return table;
  const { count, dim, metric } = body;
  const score = SCORES[metric];
  const worst = metric === "l2" ? -1 : 1;
  return {
    body,
    query(vector, wanted) {
      if (vector.length !== dim || !vector.every(Number.isFinite)) {
        throw new RangeError(`a query is ${dim} finite numbers`);
      }
      const scores = Float64Array.from(
        { length: count },
        (_, row) => score(rows.subarray(row * dim, (row + 1) * dim), vector),
      );
      return Array.from(scores.keys())
        .sort((a, b) => worst * (scores[b] - scores[a]) || a - b)
        .slice(0, wanted)
        .map((row) => ({ row, score: scores[row], document: documentAt(table, count, row) }));
    },
  };
}

type Score = (row: Float32Array, query: Float32Array) => number;

const SCORES: Readonly<Record<RetrievalBody["metric"], Score>> = {
  dot,
  cosine(row, query) {
    const norms = Math.sqrt(dot(row, row)) * Math.sqrt(dot(query, query));
    // Rounding may carry a quotient of equal directions past 1.
    return norms === 0 ? 0 : Math.max(-1, Math.min(1, dot(row, query) / norms));
  },
  l2: (row, query) => Math.sqrt(row.reduce((sum, x, i) => sum + (x - query[i]) ** 2, 0)),
};

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** `retrieval.documents`: u32 count, u32 offsets[count + 1], bytes. */
function documentAt(table: Uint8Array, count: number, row: number): string {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const bytes = 4 + 4 * (count + 1);
  const [from, to] = [row, row + 1].map((n) => bytes + view.getUint32(4 + 4 * n, true));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(table.subarray(from, to));
}
