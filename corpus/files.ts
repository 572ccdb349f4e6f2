/** The files of a corpus on disk: as themselves, or as a patch of their parent. */
import { applyPatch, type Entry, type Index } from "./index.ts";

/** Finds the bytes of a file by its path in the index. */
export class CorpusFiles {
  readonly #patched = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();

  /** @param folder a URL that ends in a slash */
  constructor(index: Index, private readonly folder: URL) {
    for (const entry of index.entries) {
      this.#byId.set(entry.id, entry);
      if (entry.patch) this.#patched.set(entry.file!, entry);
    }
  }

  /** The bytes of a file, not yet held against the index; null where there are none. */
  bytes(file: string): Uint8Array<ArrayBuffer> | null {
    try {
      return Deno.readFileSync(new URL(file, this.folder));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    const entry = this.#patched.get(file);
    const parent = entry && this.#byId.get(entry.parent!)?.file;
    const bytes = parent === undefined ? null : this.bytes(parent);
    return bytes && applyPatch(bytes, entry!.patch!);
  }
}
