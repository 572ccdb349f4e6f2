/**
 * Arrays of this many bytes lie in the engine's own heap until a view is taken of one: then it gets
 * a buffer of its own, which costs more than a copy.
 */
const SMALL = 64;

/** A growing byte string with a bound: what would pass the bound is dropped and remembered. */
export class Sink {
  #bytes: Uint8Array;
  #length = 0;
  #full = false;
  readonly #limit: number;

  constructor(limit: number, expected: number) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(Math.max(16, Math.min(limit, expected)));
  }

  /** Appends `from[start .. end)`. */
  append(from: Uint8Array, start = 0, end = from.length): void {
    if (!this.#room(end - start)) return;
    if (end - start <= SMALL) {
      for (let i = start; i < end; i++) this.#bytes[this.#length++] = from[i];
      return;
    }
    this.#bytes.set(from.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  /** Appends the UTF-8 of a code point. */
  codePoint(code: number): void {
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (!this.#room(size)) return;
    if (size === 1) {
      this.#bytes[this.#length++] = code;
      return;
    }
    for (let shift = 6 * (size - 1); shift >= 0; shift -= 6) {
      const lead = shift === 6 * (size - 1) ? (0xf00 >> size) & 0xff : 0x80;
      this.#bytes[this.#length++] = lead | (code >> shift) & (lead === 0x80 ? 0x3f : 0xff);
    }
  }

  /** All that was appended, or null where it passed the bound. The sink is spent. */
  take(): Uint8Array | null {
    if (this.#full) return null;
    const { length } = this.#bytes;
    return length > SMALL
      ? this.#bytes.subarray(0, this.#length)
      : this.#bytes.slice(0, this.#length);
  }

  #room(more: number): boolean {
    const needed = this.#length + more;
    if (this.#full || needed > this.#limit) {
      this.#full = true;
      return false;
    }
    if (needed > this.#bytes.length) {
      const wider = new Uint8Array(Math.min(this.#limit, 2 * needed));
      wider.set(this.#bytes);
      this.#bytes = wider;
    }
    return true;
  }
}
