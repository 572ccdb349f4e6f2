/** Gives out ranges of a Wasm memory, which grows as they are asked for. */

const PAGE = 65536;
/** One page below 4 GiB: the end of the last range is an address too. */
const MOST_PAGES = 65535;

/**
 * An address as Wasm gives it, signed, as the number it stands for: from 2 GiB up it would be
 * negative, and a negative start of a view counts from the end.
 */
export function address(value: number): number {
  return value >>> 0;
}

interface Range {
  readonly at: number;
  readonly bytes: number;
}

export class Arena {
  /** Free ranges in rising order, no two of them neighbours. */
  #free: Range[] = [];
  readonly #taken = new Map<number, number>();

  /** All of `memory` from `base` on is the arena's. */
  constructor(readonly memory: WebAssembly.Memory, base: number) {
    const at = Math.ceil(address(base) / 16) * 16;
    if (memory.buffer.byteLength > at) {
      this.#free.push({ at, bytes: memory.buffer.byteLength - at });
    }
  }

  /** A range of any content that begins at a multiple of 16, or null where there is no room. */
  take(wanted: number): number | null {
    const bytes = Math.max(16, Math.ceil(wanted / 16) * 16);
    const index = this.#find(bytes) ?? (this.#grow(bytes) ? this.#find(bytes) : null);
    if (index === null) return null;
    const { at, bytes: size } = this.#free[index];
    const rest = size > bytes ? [{ at: at + bytes, bytes: size - bytes }] : [];
    this.#free.splice(index, 1, ...rest);
    this.#taken.set(at, bytes);
    return at;
  }

  /** Takes a range back. */
  give(at: number): void {
    const bytes = this.#taken.get(at);
    if (bytes === undefined) throw new RangeError(`nothing was taken at ${at}`);
    this.#taken.delete(at);
    this.#release({ at, bytes });
  }

  #find(bytes: number): number | null {
    const index = this.#free.findIndex((range) => range.bytes >= bytes);
    return index < 0 ? null : index;
  }

  /** Grows by what a last free range lacks of `bytes`. */
  #grow(bytes: number): boolean {
    const end = this.memory.buffer.byteLength, last = this.#free.at(-1);
    const have = last !== undefined && last.at + last.bytes === end ? last.bytes : 0;
    const pages = Math.ceil((bytes - have) / PAGE);
    if (end / PAGE + pages > MOST_PAGES) return false;
    try {
      this.memory.grow(pages);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
    this.#release({ at: end, bytes: pages * PAGE });
    return true;
  }

  /** Adds a free range and joins it with its neighbours. */
  #release(range: Range): void {
    const after = this.#free.findIndex((free) => free.at > range.at);
    const index = after < 0 ? this.#free.length : after;
    let { at, bytes } = range, from = index, count = 0;
    const before = this.#free[index - 1], next = this.#free[index];
    if (before !== undefined && before.at + before.bytes === at) {
      at = before.at;
      bytes += before.bytes;
      from--;
      count++;
    }
    if (next !== undefined && range.at + range.bytes === next.at) {
      bytes += next.bytes;
      count++;
    }
    this.#free.splice(from, count, { at, bytes });
  }

  /** Views; good until the memory grows. */
  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  floats(at: number, length: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  words(at: number, length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.memory.buffer as ArrayBuffer, at, length);
  }
}
