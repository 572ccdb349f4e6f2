/**
 * Stop bytes (classes.md section 4, `stop_bytes`): generation ends where the decoded bytes hold
 * one of these sequences, and what is shown ends before it. Bytes that may yet turn out to
 * begin a sequence are held back; of several sequences the one that begins first counts.
 */

/** What may be shown now, and whether a sequence was met right after it. */
export interface Scanned {
  readonly shown: Uint8Array;
  readonly met: boolean;
}

export class StopBytes {
  readonly #sequences: readonly Uint8Array[];
  #held = new Uint8Array(0);

  /** An empty sequence is in every text and says nothing: it is left out. */
  constructor(sequences: readonly Uint8Array[]) {
    this.#sequences = sequences.filter(({ length }) => length > 0);
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): Scanned {
    const text = this.#held.length === 0 ? bytes : Uint8Array.of(...this.#held, ...bytes);
    return this.#sequences.length === 0 ? { shown: text, met: false } : this.#scan(text, false);
  }

  /** Nothing more will come: what was held back begins no longer sequence, but may hold one. */
  end(): Scanned {
    return this.#scan(this.#held, true);
  }

  #scan(text: Uint8Array, last: boolean): Scanned {
    this.#held = new Uint8Array(0);
    for (let at = 0; at < text.length; at++) {
      const rest = text.subarray(at);
      const shown = text.subarray(0, at);
      if (this.#sequences.some((sequence) => begins(rest, sequence))) return { shown, met: true };
      if (!last && this.#sequences.some((sequence) => begins(sequence, rest))) {
        this.#held = text.slice(at);
        return { shown, met: false };
      }
    }
    return { shown: text, met: false };
  }
}

/** Whether `bytes` begins with `start`. */
function begins(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.length <= bytes.length && start.every((byte, i) => byte === bytes[i]);
}
