/** KV caches that a person names: saved as artifacts, and gone on from. */
import { kvCache } from "../corpus/writer/build/composition.ts";
import { isWriteError } from "../corpus/writer/fault.ts";
import { write } from "../corpus/writer/write.ts";
import type { Reject } from "../readers/contract.ts";
import {
  type Context,
  type Conversation,
  type KvRefusal,
  restoreKv,
  saveKv,
} from "../readers/runtime/mod.ts";
import { foreign } from "../reports/terminal.ts";
import { printReject } from "./activation.ts";
import { EXIT, setExit } from "./exit.ts";
import { openFile, replaceFile } from "./files.ts";
import { loadReader } from "./readers.ts";

/** Why a cache is refused, for a person. */
const REFUSALS: Readonly<Record<KvRefusal["refused"], string>> = {
  "composition": "it was made with another composition",
  "abi": "its numbers have another meaning than this runtime's",
  "element-type": "its element type is not the composition's",
  "rope-base": "its positions begin elsewhere",
  "shape": "it has other layers, heads or head sizes than the model",
  "positions": "it has more positions than the prompt has tokens, or than the composition allows",
  "prefix-tokens": "the prompt does not begin with the tokens that it was made from",
};

const KV_CACHE = 7;

/**
 * Writes the cache of `conversation`, whose prompt is fed first where it has not been yet.
 * @returns where, and of how many positions
 */
export async function writeKv(
  conversation: Conversation,
  prompt: readonly number[],
  path: string,
): Promise<{ readonly path: string; readonly positions: number }> {
  const rest = prompt.slice(conversation.tokens.length);
  if (rest.length > 0) await conversation.feed(rest);
  const written = write(kvCache(await saveKv(conversation)));
  if (isWriteError(written)) throw new Error(`${written.where}: ${written.expected}`);
  replaceFile(path, (append) => {
    append(written.bytes);
    return null;
  });
  return { path, positions: conversation.tokens.length };
}

/** A conversation that goes on from the cache in `path`; null, and said, where it is refused. */
export async function resumeKv(
  context: Context,
  path: string,
  tokens: readonly number[],
  readerName: string,
): Promise<Conversation | Reject | null> {
  const refuse = (why: string) => {
    setExit(EXIT.broken);
    console.error(`lab: ${foreign(path)} cannot be gone on from: ${why}`);
    return null;
  };
  const reader = await loadReader(readerName), source = openFile(path);
  try {
    const { verdict, candidate } = reader.read({ source, pieces: false });
    if (verdict.verdict === "reject") {
      printReject(path, verdict);
      return null;
    }
    if (!candidate) throw new Error(`${reader.name} accepts without a candidate`);
    const cache = candidate();
    if (cache.artifact_class !== KV_CACHE) return refuse("a KV cache (class 7) is expected");
    const restored = await restoreKv(context, cache, tokens);
    if (!("refused" in restored)) return restored;
    const { refused, found, expected } = restored;
    return refuse(`${REFUSALS[refused]}: ${foreign(found)}, not ${foreign(expected)}`);
  } finally {
    source.close();
  }
}
