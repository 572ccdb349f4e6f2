/** What a mutator is. */
import type { Random } from "./random.ts";

export interface Mutator {
  /** stays the same for ever: campaigns count by it */
  readonly name: string;
  /** why it is there: which kind of fault of a reader it shows */
  readonly reason: string;
  /**
   * A broken (or differently good) copy of `input`, or null where there is nothing for it to do.
   * Total, and a function of its arguments alone; `input` and `other` are left as they are.
   * @param other another artifact, for mutators that take parts from elsewhere
   */
  mutate(input: Uint8Array, random: Random, other?: Uint8Array): Uint8Array | null;
}
