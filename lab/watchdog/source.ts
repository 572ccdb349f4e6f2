/** A source that counts what a reader asks of it. */
import type { Source } from "../../readers/contract.ts";

export class WatchedSource implements Source {
  #bytes: Uint8Array = new Uint8Array(0);
  reads = 0;
  /** bytes asked for, over all reads, and the most that one read asked for */
  asked = 0;
  largest = 0;
  /** whether a byte outside the file was asked for */
  outside = false;
  /** each read as its first offset and its end, in order, two numbers a read */
  readonly spans: number[] = [];

  /** Shows another file, and counts from zero. */
  show(bytes: Uint8Array): this {
    this.#bytes = bytes;
    this.reads = this.asked = this.largest = 0;
    this.outside = false;
    this.spans.length = 0;
    return this;
  }

  size(): number {
    return this.#bytes.length;
  }

  read(offset: number, into: Uint8Array): number {
    const end = offset + into.length;
    this.reads++;
    this.asked += into.length;
    if (into.length > this.largest) this.largest = into.length;
    if (!(offset >= 0 && end <= this.#bytes.length)) this.outside = true;
    this.spans.push(offset, end);
    const part = this.#bytes.subarray(offset, end);
    into.set(part);
    return part.length;
  }

  /** How often the byte that was read most often within [from, to) was read. */
  mostReads(from: number, to: number): number {
    const steps: [at: number, step: number][] = [];
    for (let i = 0; i < this.spans.length; i += 2) {
      const start = Math.max(from, this.spans[i]), end = Math.min(to, this.spans[i + 1]);
      if (start < end) steps.push([start, 1], [end, -1]);
    }
    steps.sort(([a, stepA], [b, stepB]) => a - b || stepA - stepB);
    let now = 0, most = 0;
    for (const [, step] of steps) most = Math.max(most, now += step);
    return most;
  }
}
