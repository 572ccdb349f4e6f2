/** Text in a blob: valid UTF-8 as a whole (`classes.md` sections 5 and 10). */

/** Judges bytes that go by; keeps no more than an incomplete sequence between parts. */
export class Utf8Judge {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** @param good false where something else than the bytes is already wrong */
  constructor(private good: boolean) {}

  feed(part: Uint8Array): void {
    this.#decode(part, true);
  }

  end(): boolean {
    this.#decode(new Uint8Array(0), false);
    return this.good;
  }

  #decode(part: Uint8Array, stream: boolean): void {
    if (!this.good) return;
    try {
      this.#decoder.decode(part, { stream });
    } catch {
      this.good = false;
    }
  }
}
