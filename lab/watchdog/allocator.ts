/** An allocator that counts, and refuses before the machine has to. */
import type { Allocator } from "../../readers/contract.ts";

/** Thrown instead of giving memory: what was asked for in all is over `MOST`. */
export class Refused extends Error {
  override name = "Refused";
}

/** No reader of a file that a campaign makes may come near this. */
const MOST = 256 << 20;

export class WatchedAllocator implements Allocator {
  /** bytes given out and announced by `hold` */
  held = 0;
  /** bytes by which array buffers grew while it was in use, told or not */
  grown = 0;

  reset(): this {
    this.held = this.grown = 0;
    return this;
  }
  bytes(length: number): Uint8Array {
    this.hold(length);
    return new Uint8Array(length);
  }
  hold(length: number): void {
    this.held += length;
    if (!(this.held <= MOST)) throw new Refused(`${this.held} bytes`);
  }
}
