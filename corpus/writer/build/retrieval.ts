/** Retrieval indexes (class 8, classes.md section 9) from documents and their vectors. */
import type { RetrievalBody } from "../bodies.ts";
import type { Description, Payload, Reference } from "../description.ts";
import { dependency } from "./composition.ts";
import { fromHex } from "../identity.ts";
import { storageOf } from "../storage.ts";
import { vocabularyTable } from "./tokenizer.ts";

const PER_ROW_SCALE = 5;

export interface RetrievalParts {
  readonly embedding: Reference;
  readonly tokenizer: Reference;
  readonly chunking: string;
  readonly corpus_revision: Uint8Array;
  readonly metric: RetrievalBody["metric"];
  readonly documents: readonly string[];
  readonly dim: number;
  /** `f32` or a profile */
  readonly type: string;
  /** a row a document */
  readonly vectors: Payload;
  /** f32 a row, where the profile keeps its scales outside */
  readonly scales?: Payload;
}

/** Describes a retrieval index. */
export function retrievalIndex(
  parts: RetrievalParts,
): Description & { readonly body: RetrievalBody } {
  const { documents, dim, type, vectors, scales } = parts;
  const count = documents.length;
  const outside = storageOf(type).profile?.fields.kernel_contract === PER_ROW_SCALE;
  return {
    artifact_class: 8,
    body: {
      chunking: parts.chunking,
      corpus_revision: parts.corpus_revision,
      count,
      dim,
      embedding_composition: fromHex(parts.embedding.artifact_id),
      index: "flat/1",
      metric: parts.metric,
      tokenizer_id: fromHex(parts.tokenizer.artifact_id),
    },
    dependencies: [dependency("embedding", parts.embedding)],
    tensors: [
      { role: "vectors", name: "vectors", shape: [count, dim], type, payload: vectors },
      ...(outside && scales
        ? [{ role: "scale", name: "vectors.scale", shape: [count], type: "f32", payload: scales }]
        : []),
    ],
    auxiliaries: outside ? [{ owner: "vectors", target: "vectors.scale" }] : [],
    blobs: [{
      kind: 64,
      name: "documents",
      media_type: "application/slm2-table",
      payload: vocabularyTable(documents),
    }],
  };
}
