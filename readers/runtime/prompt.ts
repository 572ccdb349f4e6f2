/** Prompts: what a person gives, as the token ids that a model is fed. */
import type { Context } from "./context.ts";
import { type Message, render, type RenderError } from "./template/render.ts";
import type { Template } from "./template/template.ts";
import type { EncodeError } from "./tokenizer/tokenizer.ts";

/** A whole text, messages for the chat template, or ids that go in as they are. */
export type Prompt =
  | { readonly text: string | Uint8Array }
  | { readonly messages: readonly Message[] }
  | { readonly tokens: readonly number[] };

/** Why a prompt cannot be fed. */
export interface PromptFault {
  readonly fault: "encode" | "no-template" | "render" | "empty" | "token-out-of-range" | "too-long";
  readonly why: string;
}

/** The ids of `prompt`: at least one, each with an embedding, no more than there are positions. */
export function encodePrompt(
  context: Context,
  prompt: Prompt,
): { readonly tokens: readonly number[] } | PromptFault {
  const ids = idsOf(context, prompt);
  if ("fault" in ids) return ids;
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

function idsOf(context: Context, prompt: Prompt): ArrayLike<number> | PromptFault {
  if ("tokens" in prompt) return prompt.tokens;
  if ("text" in prompt) return encoded(context.tokenizer.encode(prompt.text));
  if (context.template === null) {
    return { fault: "no-template", why: "the composition has no chat template" };
  }
  const segments = render(context.template, prompt.messages, { generate: true });
  if ("error" in segments) return { fault: "render", why: unrendered(segments, context.template) };
  return encoded(context.tokenizer.encodeSegments(segments));
}

/** What is wrong with which message, and what the template takes. */
function unrendered({ error, message }: RenderError, { roles, fields }: Template): string {
  const at = `${error} in message ${message}`,
    named = (names: ReadonlySet<string>) => names.size === 0 ? "none" : [...names].join(", ");
  if (error === "UndeclaredRole") return `${at}: the template has the roles ${named(roles)}`;
  if (error === "UndeclaredField") return `${at}: the template has the fields ${named(fields)}`;
  return at;
}

function encoded(ids: Uint32Array | EncodeError): Uint32Array | PromptFault {
  if (!("error" in ids)) return ids;
  const { error, segment, offset } = ids;
  return { fault: "encode", why: `${error} at ${offset} of segment ${segment}` };
}
