/** Oracle over a composition: a KV cache that was saved and restored gives the logits of the whole run. */
import { kvCache } from "../../corpus/writer/build/composition.ts";
import { isWriteError } from "../../corpus/writer/fault.ts";
import { write } from "../../corpus/writer/write.ts";
import type { Reader } from "../../readers/contract.ts";
import type { Context } from "../../readers/runtime/context.ts";
import { Conversation } from "../../readers/runtime/conversation.ts";
import { restoreKv, saveKv } from "../../readers/runtime/kv.ts";
import { isReject } from "../../readers/runtime/outcome.ts";
import { memorySource } from "../../readers/source.ts";
import { clause } from "./clauses.ts";
import type { Finding } from "./oracle.ts";

const NAME = "resumes";

/** The runtime under test. */
export interface Resumption {
  readonly Conversation: Pick<typeof Conversation, "open">;
  readonly saveKv: typeof saveKv;
  readonly restoreKv: typeof restoreKv;
}
export const HOUSE_RESUMPTION: Resumption = { Conversation, saveKv, restoreKv };

/** Tokens that a context is tried with. */
const MOST_TOKENS = 5;

/** A few tokens, split in the middle; null where the context has no room for two. */
export function resumesOn(context: Context, reader: Reader): Promise<Finding | null> {
  const { positions, model } = context;
  const count = Math.min(positions, MOST_TOKENS);
  if (count < 2) return Promise.resolve(null);
  const tokens = Array.from({ length: count }, (_, i) => 3 * i % model.shape.vocab);
  return resumes(context, reader, tokens, count >> 1);
}

/**
 * Feeds `tokens` whole, and again with a save, a trip through a file and a restore after `split`.
 * @param split from 1 to one less than there are tokens
 */
export async function resumes(
  context: Context,
  reader: Reader,
  tokens: readonly number[],
  split: number,
  { Conversation, saveKv, restoreKv }: Resumption = HOUSE_RESUMPTION,
): Promise<Finding | null> {
  const finding = (what: string, detail: string): Finding => ({
    oracle: NAME,
    class: "disagreement",
    key: `${NAME} ${context.backend.name} ${what}`,
    detail: `tokens ${tokens} split at ${split}: ${detail}`,
    clause: clause("classes-9-1"),
  });
  const whole = Conversation.open(context);
  if (isReject(whole)) return null; // what a machine lacks is no finding
  try {
    await whole.feed(tokens.slice(0, split));
    const written = write(kvCache(await saveKv(whole)));
    if (isWriteError(written)) return finding("write", written.code);
    const { verdict, candidate } = reader.read({ source: memorySource(written.bytes) });
    if (!candidate) return finding("read", JSON.stringify(verdict));
    const resumed = await restoreKv(context, candidate(), tokens);
    if ("refused" in resumed) {
      return finding(`refused ${resumed.refused}`, "a cache of this very run");
    }
    if (isReject(resumed)) return finding(`${resumed.stage} ${resumed.code}`, "");
    for (const token of tokens.slice(split)) {
      const [a, b] = [await whole.feed([token]), await resumed.feed([token])];
      const at = a.findIndex((x, i) => !Object.is(x, b[i]));
      if (at >= 0) return finding("logits", `logit ${at} is ${b[at]}, of the whole run ${a[at]}`);
    }
    resumed.close();
    return null;
  } finally {
    whole.close();
  }
}
