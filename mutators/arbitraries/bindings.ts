/** Compositions (class 6), KV caches (7) and retrieval indexes (8). */
import fc from "fast-check";
import { composition, kvCache } from "../../corpus/writer/build/composition.ts";
import { retrievalIndex } from "../../corpus/writer/build/retrieval.ts";
import type { Description } from "../../corpus/writer/description.ts";
import {
  bytes,
  digest,
  dressed,
  identifier,
  matrixType,
  payload,
  rational,
  reference,
  text,
} from "./parts.ts";

const uint32 = fc.nat(2 ** 31 - 1);

/** Compositions with up to three adapters, and with or without a template. */
export const anyComposition: fc.Arbitrary<Description> = dressed(
  fc.uniqueArray(reference(3), { maxLength: 3, selector: ({ artifact_id }) => artifact_id })
    .chain((adapters) =>
      fc.record({
        base: reference(adapters.length > 0 ? 2 : fc.constantFrom(1, 2)),
        tokenizer: reference(4),
        chat_template: fc.option(reference(5), { nil: undefined }),
        adapters: fc.constant(adapters),
        generation: fc.record({
          max_new_tokens: uint32,
          stop_tokens: fc.uniqueArray(uint32, { maxLength: 4 }),
          temperature: rational,
          top_k: uint32,
          top_p: rational.map(([n, d]) => n > 0 && n <= d ? [n, d] as const : [1, 1] as const),
        }),
        kv: fc.record({ max_positions: uint32, element_type: fc.constantFrom(1, 2, 3) }),
      })
    ).map(composition),
);

/** KV caches of one to three layers. */
export const anyKvCache: fc.Arbitrary<Description> = dressed(
  fc.record({
    composition: reference(6),
    abi: identifier,
    element: fc.constantFrom("f32" as const, "f16" as const, "bf16" as const),
    kv_heads: fc.integer({ min: 1, max: 2 }),
    head_dim: fc.integer({ min: 1, max: 4 }),
    rope_base: uint32,
    prefix: fc.array(uint32, { minLength: 1, maxLength: 4 }),
    count: fc.integer({ min: 1, max: 3 }),
  }).chain(({ count, ...parts }) => {
    const shape = [parts.kv_heads, parts.prefix.length, parts.head_dim];
    const one = payload(parts.element, shape);
    return fc.array(fc.record({ key: one, value: one }), { minLength: count, maxLength: count })
      .map((layers) => kvCache({ ...parts, layers }));
  }),
);

/** Retrieval indexes of one to four documents, with vectors of any type that they may have. */
export const anyRetrievalIndex: fc.Arbitrary<Description> = dressed(
  fc.record({
    documents: fc.array(text, { minLength: 1, maxLength: 4 }),
    dim: fc.integer({ min: 1, max: 40 }),
  }).chain(({ documents, dim }) =>
    matrixType([documents.length, dim]).filter((type) => type !== "f16" && type !== "bf16")
      .chain((type) =>
        fc.record({
          embedding: reference(6),
          tokenizer: reference(4),
          chunking: identifier,
          corpus_revision: digest,
          metric: fc.constantFrom("cosine" as const, "dot" as const, "l2" as const),
          documents: fc.constant(documents),
          dim: fc.constant(dim),
          type: fc.constant(type),
          vectors: payload(type, [documents.length, dim]),
          scales: bytes(4 * documents.length),
        })
      )
  ).map(retrievalIndex),
);
