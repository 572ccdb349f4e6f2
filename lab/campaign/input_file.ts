/**
 * The inputs of a corpus in a file, so that each worker holds where they stand and reads the one
 * that it works on: a corpus of hours is larger than all else that a worker has in memory.
 */

/** Where an input stands in the file. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

/** The file as its one writer has it, which makes it anew. */
export class InputFile {
  readonly #file: Deno.FsFile;
  #end = 0;

  constructor(readonly path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  add(input: Uint8Array): Place {
    const place = { at: this.#end, length: input.length };
    for (let done = 0; done < input.length;) done += this.#file.writeSync(input.subarray(done));
    this.#end += input.length;
    return place;
  }

  close(): void {
    this.#file.close();
  }
}

/** The file as a worker has it. */
export class InputsOf {
  readonly #file: Deno.FsFile;

  constructor(path: string) {
    this.#file = Deno.openSync(path);
  }

  /** @throws Error where the file does not hold the place whole: nothing shortens it */
  read({ at, length }: Place): Uint8Array {
    const input = new Uint8Array(length);
    this.#file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < length;) {
      const read = this.#file.readSync(input.subarray(done));
      if (read === null) throw new Error(`no input of ${length} bytes at ${at}`);
      done += read;
    }
    return input;
  }

  close(): void {
    this.#file.close();
  }
}
