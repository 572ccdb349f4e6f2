/**
 * Blind changes of bytes: jsfuzz's mutation engine, driven by our chance and our loop. (Its own
 * loop and its instrumentation do not run under Deno.)
 */
import { Buffer } from "node:buffer";
import { Corpus } from "jsfuzz/corpus";
import type { Mutator } from "./mutator.ts";
import { Random } from "./random.ts";

/** What an input may grow to; jsfuzz cuts what is longer, and would cut large artifacts. */
const GROWTH = 4096;

class Engine extends Corpus {
  random = new Random(0);

  constructor() {
    super([], false);
  }
  /** Both fields are private to jsfuzz's types, and there is no other way to set them. */
  take(input: Uint8Array, other: Uint8Array | undefined): void {
    Object.assign(this, {
      inputs: other ? [Buffer.from(input), Buffer.from(other)] : [],
      maxInputSize: input.length + GROWTH,
    });
  }
  override rand(n: number): number {
    return this.random.below(Math.max(1, Math.floor(n)));
  }
  override randBool(): boolean {
    return this.random.oneIn(2);
  }
}

const engine = new Engine();

export const havoc: readonly Mutator[] = [
  {
    name: "havoc",
    reason: "what no structured mutator thinks of",
    mutate(input, random, other) {
      if (input.length === 0) return null;
      engine.random = random;
      engine.take(input, other);
      return Uint8Array.from(engine.mutate(Buffer.from(input)));
    },
  },
];
