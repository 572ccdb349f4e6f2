/** Tokenizers for tests, from descriptions, through the writer's bytes and a reader. */
import type { Description } from "../../../corpus/writer/description.ts";
import { tokenizer, type TokenizerParts } from "../../../corpus/writer/build/tokenizer.ts";
import type { TokenizerBody } from "../../../corpus/writer/bodies.ts";
import { isWriteError } from "../../../corpus/writer/fault.ts";
import { write } from "../../../corpus/writer/write.ts";
import type { Candidate } from "../../contract.ts";
import { cursor } from "../../cursor/reader.ts";
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

/** The candidate of the description's file, as the writer wrote and a reader read it. */
export function candidateOf(
  description: Description,
): { candidate: Candidate; blobs: Uint8Array[] } {
  const written = write(description);
  if (isWriteError(written)) throw new Error(`${written.where}: ${written.expected}`);
  const reading = cursor.read({ source: memorySource(written.bytes), pieces: false });
  const candidate = reading.candidate?.();
  if (candidate === undefined) throw new Error(JSON.stringify(reading.verdict));
  const blobs = candidate.blobs.map(({ offset, length }) =>
    written.bytes.subarray(offset, offset + length)
  );
  return { candidate, blobs };
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
