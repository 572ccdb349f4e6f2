/**
 * A conversation: one sequence of tokens with its KV cache, on an active or retired context,
 * which lives for as long as a conversation uses it.
 */
import type { Reject } from "../contract.ts";
import type { KvLayer, Session } from "../../kernels/backend.ts";
import type { Context } from "./context.ts";
import { isReject } from "./outcome.ts";
import { admitted } from "./weights.ts";

export class Conversation {
  /** ids at positions 0, 1, ...: what the cache was made from */
  readonly #tokens: number[] = [];
  #open = true;

  private constructor(
    readonly context: Context,
    readonly session: Session,
    /** how many positions the cache has room for */
    readonly positions: number,
  ) {}

  /** Opens an empty one; `ResourceLimit` where its cache of `positions` does not fit. */
  static open(context: Context, positions = context.positions): Conversation | Reject {
    const room = Math.max(1, Math.min(positions, context.positions));
    const session = admitted(
      context.backend.session(context.model, { element: context.kv_element, positions: room }),
    );
    if (isReject(session)) return session;
    context.retain();
    return new Conversation(context, session, room);
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** How many more tokens can be fed. */
  get room(): number {
    return this.positions - this.#tokens.length;
  }

  /**
   * Goes back to what this one's tokens have in common with the beginning of `tokens`, less the
   * last of `tokens`, which must be fed to give logits. How many stay in the cache.
   */
  share(tokens: readonly number[]): number {
    const limit = Math.min(this.#tokens.length, tokens.length - 1);
    let shared = 0;
    while (shared < limit && this.#tokens[shared] === tokens[shared]) shared++;
    this.#tokens.length = shared;
    return shared;
  }

  /** Keeps the first `count` tokens at most. */
  rewind(count: number): void {
    this.#tokens.length = Math.min(this.#tokens.length, count);
  }

  /** Feeds `tokens` after what is there: the logits [vocab] after the last one. */
  async feed(tokens: readonly number[]): Promise<Float32Array> {
    const logits = await this.session.forward(tokens, this.#tokens.length);
    this.#tokens.push(...tokens);
    return logits;
  }

  /** As `feed` of one token, with the residual stream: [layers + 2, dim]. */
  async trace(token: number): Promise<{ logits: Float32Array; activations: Float32Array }> {
    const trace = await this.session.trace(token, this.#tokens.length);
    this.#tokens.push(token);
    return trace;
  }

  /** Feeds `token`, then the `count - 1` first of the `count` tokens of largest logit. */
  async greedy(token: number, count: number): Promise<{ tokens: readonly number[]; nan: boolean }> {
    const chosen = await this.session.greedy(token, this.#tokens.length, count);
    this.#tokens.push(token, ...chosen.tokens.slice(0, -1));
    return chosen;
  }

  /** Puts a saved cache in the place of what is there. */
  async restore(layers: readonly KvLayer[], tokens: readonly number[]): Promise<void> {
    for (const [layer, cached] of layers.entries()) {
      await this.session.writeKv(layer, tokens.length, cached);
    }
    this.#tokens.splice(0, Infinity, ...tokens);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.session.close();
    this.context.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
