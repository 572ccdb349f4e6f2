/** Logits, and the activations on the way to them, at given positions of given tokens. */
import type { Reject } from "../contract.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { isReject } from "./outcome.ts";

export interface LogitsAt {
  readonly position: number;
  /** [vocab], after feeding the token at `position` */
  readonly logits: Float32Array;
  /** [layers + 2, dim] where asked: embedding, residual stream after each layer, final norm */
  readonly activations?: Float32Array;
}

/**
 * Feeds `tokens` from position 0 and gives the logits at `positions`, ascending, each once.
 * `ResourceLimit` where the cache does not fit.
 * @throws RangeError where a position or a token is outside, or there are more tokens than positions
 */
export async function logits(
  context: Context,
  tokens: readonly number[],
  positions: readonly number[],
  options: { readonly activations?: boolean } = {},
): Promise<LogitsAt[] | Reject> {
  const wanted = [...new Set(positions)].sort((a, b) => a - b);
  const end = (wanted.at(-1) ?? -1) + 1;
  checkRange(wanted, tokens.length, "position");
  checkRange(tokens, context.model.shape.vocab, "token");
  if (end > context.positions) throw new RangeError(`there are ${context.positions} positions`);
  const conversation = Conversation.open(context, end);
  if (isReject(conversation)) return conversation;
  using fed = conversation;
  const results: LogitsAt[] = [];
  for (const position of wanted) {
    const before = tokens.slice(fed.tokens.length, position);
    if (!options.activations) {
      results.push({ position, logits: await fed.feed([...before, tokens[position]]) });
      continue;
    }
    if (before.length > 0) await fed.feed(before);
    results.push({ position, ...await fed.trace(tokens[position]) });
  }
  return results;
}

function checkRange(values: readonly number[], end: number, what: string): void {
  const outside = values.find((value) => !Number.isInteger(value) || value < 0 || value >= end);
  if (outside !== undefined) throw new RangeError(`${what} ${outside} is not in 0 .. ${end - 1}`);
}
