/** retrieval.documents (`classes.md` section 9), judged while its bytes go by. */
import type { Artifact } from "./artifact.ts";
import { u32 } from "./bytes.ts";
import type { Judge } from "./content.ts";
import { fill } from "./input.ts";
import type { BlobRecord } from "./records.ts";
import { Utf8Judge } from "./utf8_judge.ts";

/** Bytes of the second window, through which the offsets are read once more. */
const SECOND_WINDOW = 16 * 1024;

/**
 * u32 count, u32 offsets[count + 1], bytes. Each document is UTF-8 exactly if all bytes
 * together are and no document begins inside a character; for the latter the offsets are
 * read a second time, beside the bytes.
 */
export class DocumentsJudge implements Judge {
  readonly #count: number | bigint;
  readonly #text = new Utf8Judge(true);
  #good: boolean;
  #unreadable = false;
  #position = 0;

  /** where the bytes begin in the blob; known once the count has gone by */
  #bytesAt = 4;
  /** the u32 of the table that is going by, and the one before it */
  #number = 0;
  #previous = 0;

  /** where the next document begins among the bytes, and its index */
  #border = 0;
  #index = 0;
  #second: Uint8Array = new Uint8Array(0);
  #secondAt = 0;

  /** @param good false where something else than the bytes is already wrong */
  constructor(readonly artifact: Artifact, readonly blob: BlobRecord, good: boolean) {
    this.#good = good;
    this.#count = artifact.tape.integer(artifact.tape.get(artifact.body, "count"));
  }

  feed(part: Uint8Array): void {
    let at = 0;
    for (; at < part.length && this.#good && this.#position + at < this.#bytesAt; at++) {
      this.#table(this.#position + at, part[at]);
    }
    if (this.#good && at < part.length) this.#bytes(part.subarray(at), this.#position + at);
    this.#position += part.length;
  }

  end(): boolean | null {
    if (this.#unreadable) return null;
    return this.#good && this.#position >= this.#bytesAt && this.#text.end();
  }

  /** One byte of the count or of the offsets. */
  #table(position: number, byte: number): void {
    this.#number += byte * 256 ** (position % 4);
    if (position % 4 < 3) return;
    const number = this.#number;
    this.#number = 0;
    if (position === 3) {
      this.#bytesAt = 8 + 4 * number;
      this.#good = number === this.#count && this.#bytesAt <= this.blob.length;
      return;
    }
    const isFirst = position === 7;
    const isLast = position === this.#bytesAt - 1;
    this.#good = number >= this.#previous && (!isFirst || number === 0) &&
      (!isLast || number === this.blob.length - this.#bytesAt);
    this.#previous = number;
  }

  /** Bytes of documents, from `position` of the blob on. */
  #bytes(part: Uint8Array, position: number): void {
    this.#text.feed(part);
    const from = position - this.#bytesAt;
    while (this.#good && this.#border < from + part.length) {
      const byte = part[this.#border - from];
      if (byte >= 0x80 && byte < 0xc0) this.#good = false; // inside a character
      this.#index++;
      this.#border = this.#index > Number(this.#count) ? Infinity : this.#offset(this.#index);
    }
  }

  /** Offset `index` of the table, through the second window; indexes only grow. */
  #offset(index: number): number {
    const at = 4 + 4 * index;
    if (at >= this.#secondAt + this.#second.length) {
      if (this.#second.length === 0) this.#second = this.artifact.memory.bytes(SECOND_WINDOW);
      this.#second = this.#second.subarray(0, this.#bytesAt - at);
      this.#secondAt = at;
      const { source, sections: { payload } } = this.artifact;
      const start = payload.offset + this.blob.relativeOffset + at;
      if (!fill(source, start, this.#second)) {
        this.#unreadable = true;
        return Infinity;
      }
    }
    return u32(this.#second, at - this.#secondAt);
  }
}
