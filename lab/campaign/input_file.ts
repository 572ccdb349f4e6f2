/**
 * The inputs of a corpus in a file: its processes hold where each stands and read the one that they
 * work on. A corpus of hours is larger than all else that a worker has in memory.
 */

/** Where an input stands in the file. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

export class InputFile {
  #end = 0;

  private constructor(readonly path: string, private readonly file: Deno.FsFile) {}

  /** Makes the file anew, for the one process that adds to it. */
  static create(path: string): InputFile {
    const options = { read: true, write: true, create: true, truncate: true };
    return new InputFile(path, Deno.openSync(path, options));
  }

  /** Opens what another process adds to, to read only. */
  static open(path: string): InputFile {
    return new InputFile(path, Deno.openSync(path));
  }

  add(input: Uint8Array): Place {
    const place = { at: this.#end, length: input.length };
    this.file.seekSync(this.#end, Deno.SeekMode.Start);
    for (let done = 0; done < input.length;) done += this.file.writeSync(input.subarray(done));
    this.#end += input.length;
    return place;
  }

  /** @throws Error where the file does not hold the place whole: nothing shortens it */
  read({ at, length }: Place): Uint8Array {
    const input = new Uint8Array(length);
    this.file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < length;) {
      const read = this.file.readSync(input.subarray(done));
      if (read === null) throw new Error(`no input of ${length} bytes at ${at}`);
      done += read;
    }
    return input;
  }

  close(): void {
    this.file.close();
  }
}
