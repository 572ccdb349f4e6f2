/** `pack gguf-vocab`: the vocabulary of a GGUF file into a store, as a tokenizer artifact. */
import { fileSource } from "../../readers/source.ts";
import { put, type Staged } from "../store.ts";
import type { WriteError } from "../writer/fault.ts";
import { readGguf } from "./gguf.ts";
import { ggufTokenizer } from "./gguf_vocab.ts";
import { type ImportError, isImportError } from "./import.ts";

/**
 * Imports the vocabulary in `path` and writes it into the store `out`, which is made where it is
 * not there.
 * @returns the artifact, or the first fault of the file, with nothing written
 * @throws Deno.errors.* where a file cannot be opened or written
 */
export function packGgufVocab(path: string, out: string): Staged | ImportError | WriteError {
  const source = fileSource(path);
  try {
    const file = readGguf(source, path);
    if (isImportError(file)) return file;
    const described = ggufTokenizer(file);
    if (isImportError(described)) return described;
    Deno.mkdirSync(out, { recursive: true });
    return put(out, described);
  } finally {
    source.close();
  }
}
