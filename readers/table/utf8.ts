/** UTF-8 (RFC 3629, Unicode table 3-7), one byte at a time, so that a chunk may end anywhere. */

/** `take` says: the byte began or went on with a code point that is not complete yet. */
export const MORE = -1;
/** `take` says: the byte cannot stand here. */
export const MALFORMED = -2;

/** A decoder; new, it stands between two code points. */
export class Utf8 {
  #need = 0;
  #low = 0x80;
  #high = 0xbf;
  #point = 0;

  /** Whether it stands between two code points. */
  get whole(): boolean {
    return this.#need === 0;
  }

  /** Takes a byte: the code point that it completes, `MORE` or `MALFORMED`. */
  take(byte: number): number {
    if (this.#need > 0) {
      if (byte < this.#low || byte > this.#high) return MALFORMED;
      this.#low = 0x80;
      this.#high = 0xbf;
      this.#point = (this.#point << 6) | (byte & 0x3f);
      this.#need--;
      return this.#need === 0 ? this.#point : MORE;
    }
    if (byte < 0x80) return byte;
    if (byte < 0xc2 || byte > 0xf4) return MALFORMED;
    if (byte < 0xe0) {
      this.#need = 1;
      this.#point = byte & 0x1f;
    } else if (byte < 0xf0) {
      this.#need = 2;
      this.#point = byte & 0x0f;
      if (byte === 0xe0) this.#low = 0xa0; // no overlong form
      if (byte === 0xed) this.#high = 0x9f; // no surrogate
    } else {
      this.#need = 3;
      this.#point = byte & 0x07;
      if (byte === 0xf0) this.#low = 0x90; // no overlong form
      if (byte === 0xf4) this.#high = 0x8f; // at most U+10FFFF
    }
    return MORE;
  }

  /** Takes bytes [from, to): whether all can stand; the last code point may be open. */
  takeAll(bytes: Uint8Array, from: number, to: number): boolean {
    for (let i = from; i < to; i++) {
      if (this.#need === 0 && bytes[i] < 0x80) continue;
      if (this.take(bytes[i]) === MALFORMED) return false;
    }
    return true;
  }
}

/** Where the first byte in [from, to) stands that is no ASCII; `to` if none. */
export function asciiEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && bytes[i] < 0x80) i++;
  return i;
}
