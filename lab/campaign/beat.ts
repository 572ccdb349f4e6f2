/**
 * What a worker shows while it works, in shared memory: that it lives, and on which input. Deno
 * tells nothing of a worker whose heap fills inside a message handler or a promise; a heart
 * that stops tells of all of them.
 */

/** Words of the control block that all workers share. */
const NEXT_SLICE = 0;
const STOP = 1;

/** Slices are claimed, and the end is called, through this block. */
export class Control {
  readonly #words: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(8)) {
    this.#words = new Int32Array(memory);
  }

  /** Claims the next slice of the round. */
  claim(): number {
    return Atomics.add(this.#words, NEXT_SLICE, 1);
  }

  /** Before each round. */
  rewind(): void {
    Atomics.store(this.#words, NEXT_SLICE, 0);
  }

  stop(): void {
    Atomics.store(this.#words, STOP, 1);
  }

  get stopped(): boolean {
    return Atomics.load(this.#words, STOP) === 1;
  }
}

/** Words of a worker's own block; its input stands behind them. */
const BEATS = 0;
const SLICE = 1;
const EXECUTION = 2;
const LENGTH = 3;
const WORDS = 4;

/** Where a worker was when it was last seen; slice -1: nowhere. */
export interface LastSeen {
  readonly slice: number;
  readonly execution: number;
  readonly input: Uint8Array;
}

export class Beat {
  readonly #words: Int32Array;
  readonly #input: Uint8Array;

  /** @param limit length in bytes that an input may have */
  static of(limit: number): Beat {
    const beat = new Beat(new SharedArrayBuffer(4 * WORDS + limit));
    beat.forget();
    return beat;
  }

  constructor(readonly memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#input = new Uint8Array(memory, 4 * WORDS);
  }

  /** Says what is executed next. */
  show(slice: number, execution: number, input: Uint8Array): void {
    const words = this.#words;
    words[SLICE] = slice;
    words[EXECUTION] = execution;
    words[LENGTH] = input.length;
    this.#input.set(input);
    Atomics.add(words, BEATS, 1);
  }

  /** Before a round: it is nowhere yet. */
  forget(): void {
    this.#words[SLICE] = -1;
  }

  /** How often it has beaten, modulo 2^32. */
  get beats(): number {
    return Atomics.load(this.#words, BEATS) >>> 0;
  }

  get lastSeen(): LastSeen {
    const [, slice, execution, length] = this.#words;
    return { slice, execution, input: this.#input.slice(0, length) };
  }
}
