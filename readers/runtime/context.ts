/**
 * A runtime context: everything that one composition needs in order to run, made apart from any
 * other context and freed as a whole when its last user lets go.
 */
import type { Identities } from "../contract.ts";
import type { AnyBackend, KvShape, LlamaModel } from "../../kernels/backend.ts";
import type { CompositionBody } from "./manifest.ts";
import type { Resources } from "./resources.ts";
import type { Template } from "./template/template.ts";
import type { Tokenizer } from "./tokenizer/tokenizer.ts";

/** What a context is made of. */
export interface ContextParts {
  readonly identities: Identities;
  readonly body: CompositionBody;
  readonly backend: AnyBackend;
  readonly model: LlamaModel;
  readonly tokenizer: Tokenizer;
  readonly template: Template | null;
  /** tokens at which generation ends: the composition's, the tokenizer's and the template's */
  readonly stop_tokens: ReadonlySet<number>;
  readonly kv_element: KvShape["element"];
  /** positions that a conversation can have: the composition's bound and the model's */
  readonly positions: number;
  readonly resources: Resources;
}

export interface Context extends ContextParts {
  /** Counts one user more. */
  retain(): void;
  /** Counts one user less; the last one's leaving frees everything. */
  release(): void;
}

/** A context with one user, its maker; `owned` is disposed of after the last one. */
export function makeContext(parts: ContextParts, owned: DisposableStack): Context {
  let users = 1;
  return {
    ...parts,
    retain() {
      if (users === 0) throw new Error("a freed context was used");
      users++;
    },
    release() {
      if (users === 0) throw new Error("a context was released twice");
      if (--users === 0) owned.dispose();
    },
  };
}

/** The pointer to the active context: what the world sees changes in one step. */
export class ActiveSlot {
  #active: Context | null = null;

  get active(): Context | null {
    return this.#active;
  }

  /**
   * The one commit operation: `next`, with its maker's use, takes the place of `expected`, which
   * is released. False, and nothing happens, where something else is active by now.
   */
  commit(expected: Context | null, next: Context | null): boolean {
    if (this.#active !== expected) return false;
    this.#active = next;
    expected?.release();
    return true;
  }
}
