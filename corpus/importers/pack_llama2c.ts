/** `pack llama2c`: a checkpoint and its tokenizer into a store, with a composition of the two. */
import type { Source } from "../../readers/contract.ts";
import { type FileSource, fileSource } from "../../readers/source.ts";
import { stage, type Staged } from "../store.ts";
import { composition } from "../writer/build/composition.ts";
import type { Description } from "../writer/description.ts";
import { isWriteError, type WriteError } from "../writer/fault.ts";
import { type ImportError, isImportError } from "./import.ts";
import { importLlama2c, readLlama2c, type StoreMatrix } from "./llama2c.ts";
import { importLlama2cTokenizer } from "./llama2c_tokenizer.ts";

/** Where `run.c` ends a generation: at the begin piece of the next text. */
const STOP_TOKENS = [1];

export interface PackRequest {
  /** path of the checkpoint */
  readonly model: string;
  /** path of its tokenizer */
  readonly tokenizer: string;
  /** the store's folder; made where it is not there */
  readonly out: string;
  /** how matrices are stored; absent: f32 as they are */
  readonly store?: StoreMatrix;
  /** is told of each read of the checkpoint, how many bytes it gave */
  readonly observe?: (bytes: number) => void;
}

/** How often packing reads the whole checkpoint: to judge it, to measure its blocks, to write it. */
export const PASSES = { dense: 2, quantised: 3 } as const;

/** The three artifacts, each under its identity in the store. */
export interface Packed {
  readonly base: Staged;
  readonly tokenizer: Staged;
  readonly composition: Staged;
}

/**
 * Imports both files, writes base, tokenizer and composition. The composition decodes greedily,
 * stops at the begin piece as `run.c` does, and has an f32 cache of the checkpoint's positions.
 * @returns the artifacts, or the first fault of a source, with nothing written
 * @throws Deno.errors.* where a file cannot be opened or written
 */
export function packLlama2c(request: PackRequest): Packed | ImportError | WriteError {
  const model = observed(fileSource(request.model), request.observe);
  try {
    const tokenizer = fileSource(request.tokenizer);
    try {
      return pack(request, model, tokenizer);
    } finally {
      tokenizer.close();
    }
  } finally {
    model.close();
  }
}

function observed(file: FileSource, observe?: (bytes: number) => void): FileSource {
  if (!observe) return file;
  return {
    ...file,
    read(offset, into) {
      const n = file.read(offset, into);
      observe(n);
      return n;
    },
  };
}

function pack(
  request: PackRequest,
  model: Source,
  tokenizer: Source,
): Packed | ImportError | WriteError {
  const checkpoint = readLlama2c(model, request.model);
  if (isImportError(checkpoint)) return checkpoint;
  const { max_seq, vocab } = checkpoint.parameters;
  const described = importLlama2cTokenizer(tokenizer, request.tokenizer, vocab);
  if (isImportError(described)) return described;
  const base = importLlama2c(model, request.model, request.store);
  if (isImportError(base)) return base;
  Deno.mkdirSync(request.out, { recursive: true });
  const staged: Staged[] = [];
  const add = (description: Description): Staged | WriteError => {
    const one = stage(request.out, description);
    if (!isWriteError(one)) staged.push(one);
    return one;
  };
  try {
    const tokenizerFile = add(described);
    if (isWriteError(tokenizerFile)) return tokenizerFile;
    const baseFile = add(base);
    if (isWriteError(baseFile)) return baseFile;
    const compositionFile = add(composition({
      base: baseFile.identities,
      tokenizer: tokenizerFile.identities,
      generation: { max_new_tokens: max_seq, stop_tokens: STOP_TOKENS },
      kv: { max_positions: max_seq },
    }));
    if (isWriteError(compositionFile)) return compositionFile;
    // The composition last: whoever finds it finds what it binds.
    for (const one of staged) one.commit();
    return { base: baseFile, tokenizer: tokenizerFile, composition: compositionFile };
  } finally {
    for (const one of staged) one.discard();
  }
}
