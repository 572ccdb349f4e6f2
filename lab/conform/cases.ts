/** The cases of a corpus: its index, the chosen ones, their files and their requests. */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CorpusFiles } from "../../corpus/files.ts";
import {
  type Entry,
  type FileRef,
  type Index,
  IndexError,
  parseIndex,
} from "../../corpus/index.ts";
import { UsageError } from "../exit.ts";
import type { Artifact, Ask } from "../testee/testee.ts";

/** A corpus on disk. */
export interface Corpus {
  /** absolute */
  readonly folder: string;
  readonly index: Index;
}

/** @throws UsageError where there is no corpus, or it is broken */
export function loadCorpus(folder: string): Corpus {
  const path = join(folder, "index.json");
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    throw new UsageError(`no corpus here: ${path} cannot be read (lab corpus build makes one)`);
  }
  try {
    return { folder: resolve(folder), index: parseIndex(text) };
  } catch (error) {
    if (error instanceof IndexError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

/** Which cases are asked. */
export interface Selection {
  /** a case needs one of them; with a leading `!` it must not have it */
  readonly tags: readonly string[];
  /** globs over ids: `*` within a part, `**` across; with a leading `!` it must not match */
  readonly ids: readonly string[];
}

/** How the selection was made, for reports; empty for all. */
export function selectionText({ tags, ids }: Selection): string {
  return [...tags.map((tag) => `tag ${tag}`), ...ids.map((glob) => `case ${glob}`)].join(", ");
}

/** The cases to ask, in the order of the index; withdrawn ones are never asked. */
export function select(index: Index, { tags, ids }: Selection): Entry[] {
  const globs = ids.map((glob) => ({ out: glob.startsWith("!"), pattern: globPattern(glob) }));
  const byTag = tags.map((tag) => ({ out: tag.startsWith("!"), tag: tag.replace(/^!/, "") }));
  return index.entries.filter((entry) =>
    !entry.withdrawn &&
    chosen(byTag, ({ tag }) => entry.tags.includes(tag)) &&
    chosen(globs, ({ pattern }) => pattern.test(entry.id))
  );
}

/** Some filter that lets in matches, or there is none; and no filter that keeps out does. */
function chosen<Filter extends { out: boolean }>(
  filters: readonly Filter[],
  matches: (filter: Filter) => boolean,
): boolean {
  const into = filters.filter(({ out }) => !out);
  return (into.length === 0 || into.some(matches)) &&
    !filters.some((filter) => filter.out && matches(filter));
}

function globPattern(glob: string): RegExp {
  const source = glob.replace(/^!/, "").replace(/\*\*|[*?]|[^*?]+/g, (part) => {
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return new RegExp(`^${source}$`);
}

/** Whether the files of a case have been built; only those with a recipe may be missing. */
export function isBuilt(corpus: Corpus, entry: Entry): boolean {
  if (entry.recipe === undefined) return true;
  const files = [entry as FileRef, ...(entry.op === "piece" ? [entry.request.data] : [])];
  return files.every(({ file, size }) => statOf(join(corpus.folder, file))?.size === size);
}

/**
 * Files over this are not hashed before a run, only measured: they are built, not checked
 * out, and hashing them would take longer than the run.
 */
const HASHED_UP_TO = 64 * 2 ** 20;

/** Reads the files of a corpus, each held against the index once. */
export class Files {
  readonly #seen = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #files: CorpusFiles;

  constructor(private readonly corpus: Corpus) {
    this.#files = new CorpusFiles(corpus.index, pathToFileURL(join(corpus.folder, "/")));
  }

  path(file: string): string {
    return join(this.corpus.folder, file);
  }

  /**
   * The bytes of a file; a corrupt one may be there as a patch of its parent only.
   * @throws UsageError where they are not those that the index names
   */
  bytes(ref: FileRef): Uint8Array<ArrayBuffer> {
    const seen = this.#seen.get(ref.file);
    if (seen) return seen;
    const bytes = this.#files.bytes(ref.file);
    if (bytes === null) throw new UsageError(`${this.path(ref.file)} is not there`);
    if (createHash("sha256").update(bytes).digest("hex") !== ref.sha256) {
      throw new UsageError(
        `${this.path(ref.file)} is not the file that the index names. A checkout that converts ` +
          "line ends does that: check it out anew as binary",
      );
    }
    this.#seen.set(ref.file, bytes);
    return bytes;
  }

  /** Whether a file stands on disk as itself, held against the index without keeping it. */
  onDisk(ref: FileRef): boolean {
    const { size } = statOf(this.path(ref.file)) ?? { size: null };
    if (size === null) return false;
    if (size !== ref.size) throw new UsageError(`${this.path(ref.file)} has another size`);
    if (ref.size <= HASHED_UP_TO) {
      this.bytes(ref);
      this.#seen.delete(ref.file);
    }
    return true;
  }
}

function statOf(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}

/** How artifacts go to a testee. */
export type Send = "path" | "bytes";

/** The request of a case. */
export function askOf(entry: Entry, files: Files, send: Send): Ask {
  const artifact = (ref: FileRef): Artifact => {
    const byValue = send === "bytes" && ref.size <= HASHED_UP_TO;
    return byValue || !files.onDisk(ref)
      ? { bytes: files.bytes(ref) }
      : { path: files.path(ref.file) };
  };
  switch (entry.op) {
    case "piece": {
      const { data, ...request } = entry.request;
      return { op: "piece", set: artifact(entry), data: files.bytes(data), ...request };
    }
    case "signature":
      return { op: "signature", envelope: artifact(entry), ...entry.request };
    default: {
      const { resolve: found, ...request } = entry.request ?? {};
      return {
        op: "read",
        artifact: entry.file === undefined
          ? { path: files.path(`absent/${entry.id}`) }
          : artifact(entry as FileRef),
        ...request,
        ...(found && { resolve: found.map(artifact) }),
      };
    }
  }
}
