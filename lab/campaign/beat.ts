/**
 * What a child shows while it works: a small file that is written over at each execution. Whatever
 * ends the child, the input on which it ended stands there.
 */

/** Words at the begin of the file; the input stands behind them, and the guard's note behind it. */
const BEATS = 0;
const SLICE = 1;
const EXECUTION = 2;
const LENGTH = 3;
const WORDS = 4;

const NOTE_BYTES = 256;

/** Where a child was when it was last seen; slice -1: nowhere. */
export interface LastSeen {
  readonly slice: number;
  readonly execution: number;
  readonly input: Uint8Array;
}

/** Where the guard of a child writes its note. */
export const noteAt = (limit: number): number => 4 * WORDS + limit;

/** The child's hand on the file. */
export class Beat {
  readonly #file: Deno.FsFile;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;

  /** @param limit length in bytes that an input may have */
  constructor(path: string, limit: number) {
    this.#file = Deno.openSync(path, { write: true });
    this.#bytes = new Uint8Array(4 * WORDS + limit);
    this.#words = new Int32Array(this.#bytes.buffer, 0, WORDS);
  }

  /** Says what is executed next; some microseconds. */
  show(slice: number, execution: number, input: Uint8Array): void {
    const words = this.#words;
    words[BEATS]++;
    words[SLICE] = slice;
    words[EXECUTION] = execution;
    words[LENGTH] = input.length;
    this.#bytes.set(input, 4 * WORDS);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(this.#bytes.subarray(0, 4 * WORDS + input.length));
  }
}

/** The parent's eye on the file. */
export class BeatFile {
  readonly #file: Deno.FsFile;
  readonly #head = new Int32Array(WORDS);

  /** Makes the file at `path`. */
  constructor(readonly path: string, private readonly limit: number) {
    this.#file = Deno.openSync(path, { read: true, write: true, create: true, truncate: true });
    this.forget();
  }

  close(): void {
    this.#file.close();
    Deno.removeSync(this.path);
  }

  /** Before a child begins: it is nowhere yet. */
  forget(): void {
    this.#file.truncateSync(0);
    this.#head.fill(0);
    this.#head[SLICE] = -1;
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.writeSync(new Uint8Array(this.#head.buffer));
  }

  /** How often it has beaten, modulo 2^32. */
  get beats(): number {
    this.#read(0, new Uint8Array(this.#head.buffer));
    return this.#head[BEATS] >>> 0;
  }

  get lastSeen(): LastSeen {
    this.#read(0, new Uint8Array(this.#head.buffer));
    const [, slice, execution, length] = this.#head;
    const input = new Uint8Array(length);
    this.#read(4 * WORDS, input);
    return { slice, execution, input };
  }

  /** What the guard of the child saw last, as words; empty where it saw nothing. */
  get note(): string {
    const bytes = new Uint8Array(NOTE_BYTES);
    const length = this.#read(noteAt(this.limit), bytes);
    return new TextDecoder().decode(bytes.subarray(0, length)).replaceAll("\0", "").trim();
  }

  #read(at: number, into: Uint8Array): number {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    return this.#file.readSync(into) ?? 0;
  }
}
