/**
 * A composition and what it depends on, each accepted by a reader, straight from a store
 * (classes.md section 6). The reader judges the closure; the store's part is Decision 1 of
 * slm2.md: a file is held against the asked whole_file before it is read.
 */
import type { Candidate, Dependency, Reader, Reject } from "../contract.ts";
import type { FileSource } from "../source.ts";
import { wholeFile } from "./identity.ts";
import { dependencies, type DependencyRow } from "./manifest.ts";
import { reject } from "./outcome.ts";
import type { Store } from "./store.ts";

/** Accepted candidates whose files are open for as long as `files` says. */
export interface Closure {
  readonly base: Candidate;
  readonly tokenizer: Candidate;
  readonly template: Candidate | null;
  /** in composition order */
  readonly adapters: readonly Candidate[];
  /** all of the above, in manifest order */
  readonly dependencies: readonly Candidate[];
}

export interface ClosureRequest {
  readonly reader: Reader;
  readonly store: Store;
  /** bytes that this runtime has, for `RuntimeCapability` */
  readonly runtime_memory?: number;
}

/**
 * Resolves `composition` (accepted, class 6) in the store. The files that are opened go into
 * `files`, whatever the outcome. Rejections: the codes of stage 25's closure.
 * @throws Deno.errors.* where the store itself fails
 */
export function resolveClosure(
  composition: Candidate,
  { reader, store, runtime_memory }: ClosureRequest,
  files: DisposableStack,
): Closure | Reject {
  const rows = dependencies(composition);
  const { found, damaged } = find(rows, store, files);
  const { verdict } = reader.read({
    source: composition.source,
    pieces: false,
    resolve: found,
    ...(runtime_memory !== undefined && { runtime_memory }),
  });
  const readings = found.map(({ source }, i) =>
    reader.read({ source, pieces: false, expect: { artifact_id: rows[i].id } })
  );
  if (verdict.verdict === "reject") {
    // The reader was not shown what the store lacks or has damaged; where all before it is sound,
    // that one is at fault.
    const unseen = verdict.code === "DependencyMissing" && found.length < rows.length &&
      readings.every((reading) => reading.verdict.verdict === "accept");
    if (!unseen) return verdict;
    const { role, id } = rows[found.length];
    return damaged
      ? reject(25, "DependencyWholeFile", `the ${role} ${id} with the bytes it had`, "manifest")
      : { ...verdict, expected: `the ${role} ${id} in the store` };
  }
  const candidates = readings.flatMap(({ candidate }) => candidate?.() ?? []);
  // A file that changed between the two looks at it: a dependency's own verdict never shows.
  if (candidates.length < rows.length) return reject(25, "DependencyMissing", "", "manifest");
  const of = (role: string) => candidates.filter((_, i) => rows[i].role === role);
  return {
    base: of("base")[0],
    tokenizer: of("tokenizer")[0],
    template: of("chat-template")[0] ?? null,
    adapters: of("adapter"),
    dependencies: candidates,
  };
}

/** Opens what the store has, up to the first file that is not the asked one. */
function find(
  rows: readonly DependencyRow[],
  store: Store,
  files: DisposableStack,
): { readonly found: readonly Dependency[]; readonly damaged: boolean } {
  const found: Dependency[] = [];
  for (const { id, whole_file } of rows) {
    const file = store.open(id);
    if (!file) return { found, damaged: false };
    files.adopt<FileSource>(file, (opened) => opened.close());
    if (whole_file !== null && wholeFile(file) !== whole_file) return { found, damaged: true };
    found.push({ source: file, claimed_id: id });
  }
  return { found, damaged: false };
}
