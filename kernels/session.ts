/** What the sessions of synchronous backends share. */
import type { Chosen, Session } from "./backend.ts";
import { largest } from "./sample.ts";

/** No token, one outside the vocabulary or a position outside the cache: a caller's bug. */
export function checkTokens(session: Session, tokens: readonly number[], position: number): void {
  const { vocab } = session.model.shape, { positions } = session.kv;
  if (tokens.length === 0) throw new RangeError("no token");
  for (const token of tokens) {
    if (!(Number.isInteger(token) && token >= 0 && token < vocab)) {
      throw new RangeError(`token ${token} of ${vocab}`);
    }
  }
  const last = position + tokens.length - 1;
  if (!(Number.isInteger(position) && position >= 0 && last < positions)) {
    throw new RangeError(`position ${last} of ${positions}`);
  }
}

/** `Session.greedy` over a synchronous `forward` of one token. */
export function greedyLoop(
  forward: (token: number, position: number) => Float32Array,
  token: number,
  position: number,
  count: number,
): Chosen {
  const tokens: number[] = [];
  for (let i = 0; i < count; i++) {
    const next = largest(forward(tokens.at(-1) ?? token, position + i));
    if (next === "NanLogits") return { tokens, nan: true };
    tokens.push(next);
  }
  return { tokens, nan: false };
}
