/**
 * Bytes from a source (stage 1) and the windows that show them. Nothing outside this file
 * calls a `Source`: a throw, a short read or a changed size is seen here.
 */
import type { Allocator, Source } from "../contract.ts";

/** A source whose size was asked once and must stay. */
export class Input {
  private constructor(readonly source: Source, readonly size: number) {}

  /** Null: `SourceIo`. */
  static open(source: Source): Input | null {
    const size = sizeOf(source);
    return size === null ? null : new Input(source, size);
  }

  /** Fills `into` from `offset` on. False: `SourceIo`. The caller stays inside the file. */
  fill(offset: number, into: Uint8Array): boolean {
    let got: number;
    try {
      got = this.source.read(offset, into);
    } catch {
      return false;
    }
    return got === into.length && this.steady();
  }

  /** Whether the size is still the first one. */
  steady(): boolean {
    return sizeOf(this.source) === this.size;
  }
}

function sizeOf(source: Source): number | null {
  try {
    const size = source.size();
    return Number.isInteger(size) && size >= 0 ? size : null;
  } catch {
    return null;
  }
}

/** Payload is seen through this much at a time. */
const WINDOW = 256 * 1024;
/** A second, smaller look at what the window has passed. */
const GLIMPSE = 16 * 1024;

/** A reused buffer over one range of an input. */
export class Window {
  readonly #buffer: Uint8Array;
  #input: Input | null = null;
  #first = 0;
  #end = 0;
  #from = 0;
  #to = 0;

  constructor(length: number) {
    this.#buffer = new Uint8Array(length);
  }

  /** Shows [first, end) of `input` from now on. */
  bind(input: Input, first: number, end: number): void {
    this.#input = input;
    this.#first = first;
    this.#end = end;
    this.#from = this.#to = first;
  }

  /** Whether the byte at `offset` is in the buffer. */
  has(offset: number): boolean {
    return offset >= this.#from && offset < this.#to;
  }

  /**
   * A view of the bytes from `offset` on, at least one; valid until the next call. Where they
   * are not in the buffer, it reads up to `end`, or the whole range where that fits.
   * Null: `SourceIo`.
   */
  at(offset: number, end = this.#end): Uint8Array | null {
    if (!this.has(offset)) {
      const whole = this.#end - this.#first <= this.#buffer.length;
      const from = whole ? this.#first : offset;
      const to = whole ? this.#end : Math.min(end, offset + this.#buffer.length);
      this.#from = this.#to = from;
      if (!this.#input?.fill(from, this.#buffer.subarray(0, to - from))) return null;
      this.#to = to;
    }
    return this.#buffer.subarray(offset - this.#from, this.#to - this.#from);
  }
}

/** What a reader keeps from file to file; the reading of a dependency has its own. */
export class Workspace {
  readonly payload = new Window(WINDOW);
  readonly glimpse = new Window(GLIMPSE);
  static readonly LENGTH = WINDOW + GLIMPSE;
}

/** Where a reading takes memory from, and what it says about it. */
export class Memory {
  #transient = 0;

  constructor(readonly allocator: Allocator | undefined) {}

  /** A zeroed buffer. */
  bytes(length: number): Uint8Array {
    return this.allocator?.bytes(length) ?? new Uint8Array(length);
  }
  /** About `length` bytes more are held to the end. */
  hold(length: number): void {
    this.allocator?.hold(length);
  }
  /** About `length` bytes are held for a moment: the largest moment counts. */
  transient(length: number): void {
    if (length <= this.#transient) return;
    this.hold(length - this.#transient);
    this.#transient = length;
  }
}
