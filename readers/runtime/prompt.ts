/** Prompts: what a person gives, as the token ids that a model is fed. */
import type { Context } from "./context.ts";
import type { EncodeError } from "./tokenizer/tokenizer.ts";

/** A whole text, or ids that go in as they are. */
export type Prompt =
  | { readonly text: string | Uint8Array }
  | { readonly tokens: readonly number[] };

/** Why a prompt cannot be fed. */
export interface PromptFault {
  readonly fault: "encode" | "empty" | "token-out-of-range" | "too-long";
  readonly why: string;
}

/** The ids of `prompt`: at least one, each with an embedding, no more than there are positions. */
export function encodePrompt(
  context: Context,
  prompt: Prompt,
): { readonly tokens: readonly number[] } | PromptFault {
  const ids = "tokens" in prompt ? prompt.tokens : context.tokenizer.encode(prompt.text);
  if ("error" in ids) return { fault: "encode", why: describe(ids) };
  const tokens = Array.from(ids);
  const { vocab } = context.model.shape;
  const strange = tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= vocab);
  if (strange !== undefined) {
    return { fault: "token-out-of-range", why: `token ${strange} of a model of ${vocab}` };
  }
  if (tokens.length === 0) return { fault: "empty", why: "no token to begin with" };
  if (tokens.length > context.positions) {
    return { fault: "too-long", why: `${tokens.length} tokens, ${context.positions} positions` };
  }
  return { tokens };
}

const describe = ({ error, segment, offset }: EncodeError): string =>
  `${error} at ${offset} of segment ${segment}`;
