/**
 * Kind 64 `retrieval.documents` (`classes.md` section 9), of any length: judged while it streams
 * by. The offsets are checked as they pass, and seen a second time beside the texts that they
 * divide.
 */
import type { Artifact } from "./artifact.ts";
import { blobFault } from "./blob_content.ts";
import type { Judge } from "./content.ts";
import { type Fault, SOURCE_IO } from "./fault.ts";
import { Utf8 } from "./utf8.ts";

export class Documents implements Judge {
  readonly #utf8 = new Utf8();
  readonly #wanted: number | bigint;
  /** relative to the blob */
  #at = 0;
  #word = 0;
  /** bytes before the texts; unknown until the count has passed */
  #head = 4;
  #count = 0;
  #previous = 0;
  /** the document that the next text byte belongs to, and where it ends */
  #document = 0;
  #documentEnd = 0;
  #fault: Fault = null;

  constructor(readonly artifact: Artifact, readonly start: number, readonly length: number) {
    this.#wanted = artifact.manifest.integer(artifact.get("count"));
  }

  add(bytes: Uint8Array): void {
    let i = 0;
    while (i < bytes.length && this.#fault === null) {
      if (this.#at < this.#head) this.#takeHead(bytes[i++]);
      else i = this.#takeText(bytes, i);
    }
  }

  end(): Fault {
    if (this.#fault === null && this.#at < this.#head) this.#fail("a count and its offsets");
    if (this.#fault === null && !this.#utf8.whole) this.#fail("UTF-8");
    return this.#fault;
  }

  #fail(expected: string): void {
    this.#fault = blobFault(this.start + this.#at, expected);
  }

  /** A byte of the count or of an offset. */
  #takeHead(byte: number): void {
    this.#word += byte * 256 ** (this.#at % 4);
    if (++this.#at % 4 !== 0) return;
    const word = this.#word;
    this.#word = 0;
    if (this.#at === 4) {
      this.#count = word;
      this.#head = 4 + 4 * (word + 1);
      if (word !== this.#wanted) this.#fail("as many documents as the body's count");
      else if (this.#head > this.length) this.#fail("an offset for each document");
      return;
    }
    const isFirst = this.#at === 8;
    const isLast = this.#at === this.#head;
    const isRight = (isFirst ? word === 0 : word >= this.#previous) &&
      (!isLast || word === this.length - this.#head);
    this.#previous = word;
    if (!isRight) this.#fail("offsets from 0 to the byte count");
    else if (isLast) this.#beginTexts();
  }

  #beginTexts(): void {
    const { workspace, input } = this.artifact;
    workspace.glimpse.bind(input, this.start + 4, this.start + this.#head);
    this.#document = -1;
    this.#nextDocument();
  }

  /** Goes on to the document that holds the byte at hand. */
  #nextDocument(): void {
    const at = this.#at - this.#head;
    do {
      this.#document++;
      if (this.#document >= this.#count) { // with text left, the offsets are not what they were
        if (this.#at < this.length) this.#fault = SOURCE_IO;
        return;
      }
      const end = this.#offset(this.#document + 1);
      if (end === null) {
        this.#fault = SOURCE_IO;
        return;
      }
      this.#documentEnd = end;
    } while (this.#documentEnd <= at);
  }

  /** An offset seen a second time; null: `SourceIo`. */
  #offset(index: number): number | null {
    const { payload, glimpse } = this.artifact.workspace;
    const at = this.start + 4 + 4 * index;
    const window = payload.has(at) && payload.has(at + 3) ? payload : glimpse;
    const view = window.at(at);
    if (view === null || view.length < 4) return null;
    return view[0] + view[1] * 2 ** 8 + view[2] * 2 ** 16 + view[3] * 2 ** 24;
  }

  /** Text bytes from `from` on, up to the end of their document; where the rest begins. */
  #takeText(bytes: Uint8Array, from: number): number {
    const left = this.#head + this.#documentEnd - this.#at;
    const to = Math.min(bytes.length, from + left);
    const isValid = this.#utf8.takeAll(bytes, from, to);
    this.#at += to - from;
    const isEnd = to === from + left;
    if (!isValid || (isEnd && !this.#utf8.whole)) this.#fail("documents in UTF-8");
    else if (isEnd) this.#nextDocument();
    return to;
  }
}
