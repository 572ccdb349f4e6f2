/** Generation: a prompt to tokens, forward with a KV cache, sample, stop, decode as it comes. */
import type { Reject } from "../contract.ts";
import { sample, type Sampled, type Sampling, seededRandom } from "../../kernels/sample.ts";
import type { Context } from "./context.ts";
import { Conversation } from "./conversation.ts";
import { isReject } from "./outcome.ts";
import { encodePrompt, type Prompt, type PromptFault } from "./prompt.ts";
import { TextOut } from "./text_out.ts";

export interface GenerateRequest {
  readonly prompt: Prompt;
  /** at most the composition's own bound */
  readonly max_new_tokens?: number;
  /** in place of the composition's policy (classes.md section 6) */
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  /** decides every draw, 0 .. 2^53 - 1; absent: 0 */
  readonly seed?: number;
  /** goes on past stop tokens and stop bytes, as reference values do */
  readonly ignore_stops?: boolean;
  /** goes on with this one: what its tokens share with the prompt is not computed again */
  readonly conversation?: Conversation;
  /** is told of each piece of text once it is certain; false ends the generation */
  readonly onText?: (text: string) => boolean | void;
}

export type Stopped =
  | "stop-token"
  | "stop-bytes"
  | "max-new-tokens"
  | "max-positions"
  | "nan-logits"
  | "caller";

export interface Generation {
  /** ids of the prompt */
  readonly prompt: readonly number[];
  /** ids chosen, without the stop token */
  readonly tokens: readonly number[];
  /** the decoded text, up to where it stopped */
  readonly text: string;
  readonly stopped: Stopped;
  /** positions of the prompt that were in the cache and not computed again */
  readonly reused: number;
  /** milliseconds until the first choice, and from there to the end */
  readonly timing: { readonly prefill: number; readonly decode: number };
}

/** Tokens that a GPU chooses between two readbacks (kernels/backend.ts, `greedy`). */
const GPU_BATCH = 16;

/**
 * Generates text. A prompt that cannot be fed is a `PromptFault`; a cache that does not fit is
 * `ResourceLimit`. Without a conversation a new one is opened and closed.
 * @throws Error where the conversation is another context's
 */
export async function generate(
  context: Context,
  request: GenerateRequest,
): Promise<Generation | PromptFault | Reject> {
  const encoded = encodePrompt(context, request.prompt);
  if ("fault" in encoded) return encoded;
  const { tokens: prompt } = encoded;
  const policy = context.body.generation;
  const most = Math.min(request.max_new_tokens ?? Infinity, policy.max_new_tokens);
  if (most === 0) return nothing(prompt);
  if (request.conversation) {
    const { context: own, positions } = request.conversation;
    if (own !== context) throw new Error("a conversation belongs to the context that opened it");
    if (prompt.length > positions) return { fault: "too-long", why: `${positions} positions` };
    return await run(context, request, request.conversation, prompt, most);
  }
  const conversation = Conversation.open(context, prompt.length + most);
  if (isReject(conversation)) return conversation;
  using opened = conversation;
  return await run(context, request, opened, prompt, most);
}

const nothing = (prompt: readonly number[]): Generation => ({
  prompt,
  tokens: [],
  text: "",
  stopped: "max-new-tokens",
  reused: 0,
  timing: { prefill: 0, decode: 0 },
});

async function run(
  context: Context,
  request: GenerateRequest,
  conversation: Conversation,
  prompt: readonly number[],
  most: number,
): Promise<Generation> {
  const start = performance.now();
  const reused = conversation.share(prompt);
  const stop_tokens = request.ignore_stops ? NO_TOKENS : context.stop_tokens;
  const stop_bytes = request.ignore_stops ? [] : context.tokenizer.stopBytes;
  const out = new TextOut(context.tokenizer, prompt, stop_bytes, request.onText);
  const tokens: number[] = [];
  let first = start;
  let stopped: Stopped = "max-positions";
  for await (const choice of choices(context, request, conversation, prompt.slice(reused))) {
    if (tokens.length === 0) first = performance.now();
    if (choice === "NanLogits") stopped = "nan-logits";
    else if (stop_tokens.has(choice)) stopped = "stop-token";
    else {
      tokens.push(choice);
      out.push(choice);
      if (out.ended === null && tokens.length < most) continue;
      stopped = "max-new-tokens";
    }
    break;
  }
  out.end();
  conversation.rewind(prompt.length + tokens.length); // a GPU may have gone on past the stop
  const timing = { prefill: first - start, decode: performance.now() - first };
  return { prompt, tokens, text: out.text, stopped: out.ended ?? stopped, reused, timing };
}

const NO_TOKENS: ReadonlySet<number> = new Set();

/** Feeds `tokens`, then token upon token, until no position is left. */
function choices(
  context: Context,
  request: GenerateRequest,
  conversation: Conversation,
  tokens: readonly number[],
): AsyncGenerator<Sampled> {
  const policy = context.body.generation;
  const sampling: Sampling = {
    temperature: request.temperature ?? policy.temperature,
    topK: request.top_k ?? policy.top_k,
    topP: request.top_p ?? policy.top_p,
  };
  if (sampling.temperature > 0) return drawn(conversation, tokens, sampling, request.seed ?? 0);
  return largest(conversation, tokens, context.backend.name === "webgpu" ? GPU_BATCH : 1);
}

async function* drawn(
  conversation: Conversation,
  tokens: readonly number[],
  sampling: Sampling,
  seed: number,
): AsyncGenerator<Sampled> {
  const random = seededRandom(seed);
  let logits = await conversation.feed(tokens);
  for (;;) {
    const choice = sample(logits, sampling, random);
    yield choice;
    if (choice === "NanLogits" || conversation.room === 0) return;
    logits = await conversation.feed([choice]);
  }
}

/** Temperature 0, chosen on the device, `batch` tokens at a time. */
async function* largest(
  conversation: Conversation,
  tokens: readonly number[],
  batch: number,
): AsyncGenerator<Sampled> {
  if (tokens.length > 1) await conversation.feed(tokens.slice(0, -1));
  let token = tokens[tokens.length - 1];
  while (conversation.room > 0) {
    const chosen = await conversation.greedy(token, Math.min(batch, conversation.room));
    yield* chosen.tokens;
    if (chosen.nan) {
      yield "NanLogits";
      return;
    }
    token = chosen.tokens[chosen.tokens.length - 1];
  }
}
