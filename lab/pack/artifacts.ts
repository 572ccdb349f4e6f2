/** Artifacts of a store that others are packed upon, and what is said of what was packed. */
import {
  describeImportError,
  type ImportError,
  isImportError,
} from "../../corpus/importers/import.ts";
import { put, type Staged, TEMPORARY_PREFIX } from "../../corpus/store.ts";
import type { Description } from "../../corpus/writer/description.ts";
import type { WriteError } from "../../corpus/writer/fault.ts";
import type { Candidate, Identities } from "../../readers/contract.ts";
import { foreign } from "../../reports/terminal.ts";
import { bytesText, CLASS_NAMES } from "../../reports/words.ts";
import { printReject } from "../activation.ts";
import { EXIT, setExit, UsageError } from "../exit.ts";
import { artifactPath, openFile, openNamedStore } from "../files.ts";
import { leavingNothing } from "../interrupt.ts";
import { loadReader } from "../readers.ts";

/** An accepted artifact; its file is closed with it. */
export interface Kept extends Disposable {
  readonly identities: Identities;
  readonly candidate: Candidate;
}

/**
 * The artifact that a person named, by id in `store` or by path; null, and said, where a reader
 * rejects it. The caller disposes of it.
 * @throws UsageError where there is none, or it is of another class
 */
export async function keptArtifact(
  name: string,
  store: string | undefined,
  artifact_class: number | readonly number[],
): Promise<Kept | null> {
  const reader = await loadReader("cursor"), source = openFile(artifactPath(name, store));
  const { verdict, candidate } = reader.read({ source, pieces: false });
  if (verdict.verdict === "reject" || !candidate) {
    source.close();
    if (verdict.verdict === "reject") printReject(name, verdict);
    return null;
  }
  const classes = [artifact_class].flat();
  if (!classes.includes(verdict.identities.class)) {
    source.close();
    const wanted = classes.map((one) => CLASS_NAMES[one]).join(" or ");
    throw new UsageError(
      `${name} is of class ${CLASS_NAMES[verdict.identities.class]}: ${wanted} is expected`,
    );
  }
  return {
    identities: verdict.identities,
    candidate: candidate(),
    [Symbol.dispose]: () => source.close(),
  };
}

/**
 * The same for what is packed into `store`: an artifact that was named by its path is copied in, so
 * that the store has all that its artifacts name.
 */
export async function artifactFor(
  name: string,
  store: string,
  artifact_class: number | readonly number[],
): Promise<Kept | null> {
  const kept = await keptArtifact(name, store, artifact_class);
  if (kept === null || name === kept.identities.artifact_id) return kept;
  Deno.mkdirSync(store, { recursive: true });
  const opened = openNamedStore(store), there = opened.open(kept.identities.artifact_id);
  if (there === null) opened.install(kept.candidate.source, await loadReader("cursor"));
  there?.close();
  return kept;
}

/** Writes `description` into the store, whole or not at all, and gives it or its fault. */
export async function putInto(
  store: string,
  description: Description,
): Promise<Staged | WriteError> {
  Deno.mkdirSync(store, { recursive: true });
  return await leavingNothing(
    { folder: store, prefix: TEMPORARY_PREFIX },
    () => put(store, description),
  );
}

/** Says what was packed, or why nothing was. */
export function report(
  packed: Staged | ImportError | WriteError,
  json = false,
): void {
  if (!("identities" in packed)) {
    setExit(EXIT.broken);
    const what = isImportError(packed)
      ? foreign(describeImportError(packed), 1000)
      : `${foreign(packed.where)}: expected ${packed.expected} (${packed.code})`;
    return console.error(`lab: ${what}; nothing was written`);
  }
  const { identities, file_size, path } = packed, { artifact_id, whole_file } = identities;
  const artifact_class = CLASS_NAMES[identities.class];
  if (json) {
    console.log(JSON.stringify({ artifact_class, artifact_id, whole_file, file_size, path }));
  } else {
    console.log(`${artifact_class.padEnd(16)} ${artifact_id}  ${bytesText(file_size)}`);
  }
}
