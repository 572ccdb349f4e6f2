/** A description of any class, and the same one written down in another order. */
import fc from "fast-check";
import { entriesOf, isMap, type Item } from "../../corpus/writer/cbor.ts";
import type { Description } from "../../corpus/writer/description.ts";
import { SETS } from "../../corpus/writer/manifest.ts";
import { anyComposition, anyKvCache, anyRetrievalIndex } from "./bindings.ts";
import {
  anyAnnouncement,
  anyPieceSet,
  anyProvenance,
  anyReceipt,
  anySignatureEnvelope,
} from "./evidence.ts";
import { anyAdapter, anyLlama, anyTensorPack } from "./models.ts";
import { anyTemplate, anyTokenizer } from "./tokenizers.ts";

/** Every arbitrary by what it makes. */
export const FAMILIES = {
  "tensor-pack": anyTensorPack,
  llama: anyLlama,
  adapter: anyAdapter,
  tokenizer: anyTokenizer,
  "chat-template": anyTemplate,
  composition: anyComposition,
  "kv-cache": anyKvCache,
  "retrieval-index": anyRetrievalIndex,
  "piece-set": anyPieceSet,
  "signature-envelope": anySignatureEnvelope,
  "license-provenance": anyProvenance,
  "evaluation-receipt": anyReceipt,
  "catalog-announcement": anyAnnouncement,
} as const;

/** A valid description of any class. */
export const anyDescription: fc.Arbitrary<Description> = fc.oneof(...Object.values(FAMILIES));

const shuffled = <T>(list: readonly T[] | undefined): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...list ?? []], { minLength: list?.length ?? 0 });

/** The same artifact: tables, extensions, map keys and sets in any other order. */
export function reordered(description: Description): fc.Arbitrary<Description> {
  const sets = SETS[description.artifact_class] ?? [];
  return fc.record({
    body: reorderedItem(description.body, sets.map((path) => path.split("."))),
    extensions: shuffled(description.extensions),
    profiles: shuffled(description.profiles),
    tensors: shuffled(description.tensors),
    blobs: shuffled(description.blobs),
    auxiliaries: shuffled(description.auxiliaries),
    features: shuffled(description.requirements?.features),
  }).map(({ features, body, ...tables }) => ({
    ...description,
    ...tables,
    body: body as Description["body"],
    requirements: { ...description.requirements, features },
  }));
}

/** @param sets paths below this item at which an array is a set */
function reorderedItem(item: Item, sets: readonly (readonly string[])[]): fc.Arbitrary<Item> {
  const below = (key: string) => sets.filter(([first]) => first === key).map(([, ...rest]) => rest);
  if (Array.isArray(item)) {
    const elements = fc.tuple(...item.map((one: Item) => reorderedItem(one, below("*"))));
    return sets.some((path) => path.length === 0) ? elements.chain(shuffled) : elements;
  }
  if (!isMap(item)) return fc.constant(item);
  const entries = entriesOf(item).map(([key, value]) =>
    reorderedItem(value, below(key)).map((one): [string, Item] => [key, one])
  );
  return fc.tuple(...entries).chain(shuffled).map((list) => new Map(list));
}
