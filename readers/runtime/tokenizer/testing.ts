/** Tokenizers for tests, straight from descriptions: no reader in between. */
import { entriesOf, type Item, type ItemMap } from "../../../corpus/writer/cbor.ts";
import type { Description } from "../../../corpus/writer/description.ts";
import { tokenizer, type TokenizerParts } from "../../../corpus/writer/build/tokenizer.ts";
import type { TokenizerBody } from "../../../corpus/writer/bodies.ts";
import type { Blob, Candidate, Value } from "../../contract.ts";
import { memorySource } from "../../source.ts";
import { loadTokenizer, type Tokenizer, type TokenizerError } from "./tokenizer.ts";

/** The tokenizer of parts and a body; fields that `body` leaves out are the writer's neutral ones. */
export function make(
  parts: TokenizerParts,
  body: Pick<TokenizerBody, "kind"> & Partial<TokenizerBody>,
): Tokenizer {
  return loaded(tokenizer(parts, body));
}

/** The tokenizer of a description. */
export function loaded(description: Description): Tokenizer {
  const result = tryLoad(description);
  if ("error" in result) throw new Error(`${result.error}: ${result.detail}`);
  return result;
}

export function tryLoad(description: Description): Tokenizer | TokenizerError {
  const { candidate, blobs } = candidateOf(description);
  return loadTokenizer(candidate, (index) => blobs[index]);
}

/** A candidate as a reader would decode it from the description's file, and its blobs. */
export function candidateOf(
  description: Description,
): { candidate: Candidate; blobs: Uint8Array[] } {
  const sorted = [...description.blobs ?? []].sort((a, b) =>
    a.kind - b.kind || (a.name < b.name ? -1 : 1)
  );
  const zero = "00".repeat(32);
  const candidate: Candidate = {
    source: memorySource(new Uint8Array(0)),
    artifact_class: description.artifact_class,
    file_size: 0,
    manifest: new Map([["body", value(description.body)]]),
    profiles: [],
    tensors: [],
    blobs: sorted.map(({ kind, name, media_type, payload }): Blob => ({
      kind,
      name,
      media_type,
      offset: 0,
      length: (payload as Uint8Array).length,
      content_hash: zero,
    })),
    auxiliaries: [],
    identities: {
      class: description.artifact_class,
      whole_file: zero,
      manifest: zero,
      semantic_manifest: zero,
      tensor_layout: zero,
      artifact_id: zero,
      profiles: [],
      tensors: [],
      blobs: [],
    },
  };
  return { candidate, blobs: sorted.map(({ payload }) => payload as Uint8Array) };
}

function value(item: Item): Value {
  if (Array.isArray(item)) return item.map(value);
  if (item === null || typeof item !== "object" || item instanceof Uint8Array) return item as Value;
  return new Map(entriesOf(item as ItemMap).map(([key, inner]) => [key, value(inner)]));
}

/** The ids of a text; an encode error fails the test. */
export function ids(
  tokenizer: Tokenizer,
  text: string | Uint8Array,
  options: { special?: boolean; content?: boolean } = {},
): number[] {
  const result = tokenizer.encode(text, options);
  if ("error" in result) throw new Error(`${result.error} at ${result.offset}`);
  return [...result];
}

/** The name of the encode error of a text; ids fail the test. */
export function fault(tokenizer: Tokenizer, text: string | Uint8Array): string {
  const result = tokenizer.encode(text);
  if (!("error" in result)) throw new Error(`no error, but ids ${result}`);
  return result.error;
}
