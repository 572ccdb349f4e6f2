/** What the sessions of synchronous backends share. */
import type { Chosen, Session } from "./backend.ts";
import { largest } from "./sample.ts";

/** A token outside the vocabulary or a position outside the cache is a caller's bug. */
export function checkToken(session: Session, token: number, position: number): void {
  const { vocab } = session.model.shape, { positions } = session.kv;
  if (!(Number.isInteger(token) && token >= 0 && token < vocab)) {
    throw new RangeError(`token ${token} of ${vocab}`);
  }
  if (!(Number.isInteger(position) && position >= 0 && position < positions)) {
    throw new RangeError(`position ${position} of ${positions}`);
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
