/** A byte stream cut into lines, whatever the chunks it comes in. */

const NEWLINE = 10;

/**
 * Takes chunks, gives lines without their newline. Holds at most `limit` bytes of an
 * unfinished line; bytes are searched once, so a line that comes byte by byte costs no more.
 */
export class LineSplitter {
  #held = new Uint8Array(4096);
  #start = 0;
  #searched = 0;
  #end = 0;
  #dropping = false;

  constructor(private readonly limit: number) {}

  push(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#held.length) this.#makeRoom(chunk.length);
    this.#held.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /**
   * The next whole line; `more` where another chunk is needed; `too-long`, once, for a line
   * that passes the limit and is dropped up to its newline.
   */
  next(): Uint8Array | "more" | "too-long" {
    for (;;) {
      const found = this.#held.subarray(0, this.#end).indexOf(NEWLINE, this.#searched);
      const lineEnd = found === -1 ? this.#end : found;
      const dropped = this.#dropping;
      const tooLong = !dropped && lineEnd - this.#start > this.limit;
      const line = this.#held.subarray(this.#start, lineEnd);
      this.#searched = found === -1 ? lineEnd : found + 1;
      this.#dropping = found === -1 && (dropped || tooLong);
      if (found !== -1 || this.#dropping) this.#start = this.#searched;
      if (tooLong) return "too-long";
      if (found === -1) return "more";
      if (!dropped) return line.slice();
    }
  }

  /** What came after the last newline, once the stream has ended. */
  rest(): Uint8Array {
    return this.#dropping ? new Uint8Array(0) : this.#held.slice(this.#start, this.#end);
  }

  #makeRoom(length: number): void {
    const kept = this.#held.subarray(this.#start, this.#end);
    const needed = kept.length + length;
    const room = needed > this.#held.length / 2 ? new Uint8Array(needed * 2) : this.#held;
    if (room === this.#held) room.copyWithin(0, this.#start, this.#end);
    else room.set(kept);
    this.#held = room;
    this.#searched -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
