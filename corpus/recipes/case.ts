/**
 * What a recipe makes: cases. A case is a file of the corpus, what is asked of a reader about
 * it, and the answer that the specification demands. The answer is the recipe's own knowledge
 * of the specification; no reader is asked while the corpus is built.
 */
import type { Code, Hex, Identities, Policy, Section, Stage } from "../../readers/contract.ts";
import type { Expected, FileRef, PieceExtras, SignatureExtras } from "../index.ts";
import type { Description } from "../writer/description.ts";
import { isWriteError } from "../writer/fault.ts";
import { write } from "../writer/write.ts";

/** A file of the corpus; one that was made from another names it, and only its patch is kept. */
export interface Artifact {
  /** in `golden/` */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** the valid case that it differs from */
  readonly parent?: ValidCase;
}

/** A file that is too big to be committed: the recipe that builds it, and what is known of it. */
export interface BigArtifact extends Pick<FileRef, "sha256" | "size"> {
  readonly path: string;
  readonly recipe: string;
}

/** What a `read` asks beyond its file; dependencies are other cases' files. */
export interface ReadAsk {
  readonly policy?: Policy;
  readonly expect?: { readonly whole_file?: Hex; readonly artifact_id?: Hex };
  readonly pieces?: false;
  readonly resolve?: readonly Case[];
  readonly runtime_memory?: number;
}

/** A `piece` request; its data is a file of its own. */
export interface PieceAsk extends Omit<PieceExtras, "data"> {
  readonly data: Artifact | BigArtifact;
}

/** A rejection as a recipe writes it down. */
export type Rejection = readonly [stage: Stage, code: Code, section: Section];

interface CaseBase {
  readonly id: string;
  readonly reason: string;
  readonly tags: readonly string[];
  readonly expected: Expected;
  /** absent: the path names nothing */
  readonly artifact?: Artifact | BigArtifact;
  /** clauses beyond those of its recipe, as `cite` takes them */
  readonly cites?: readonly string[];
  /** the case whose file this one asks about */
  readonly subject?: Case;
  /** other right answers, where the specification leaves a choice */
  readonly may_differ?: { readonly reason: string; readonly also: readonly Expected[] };
}
export type Case =
  | CaseBase & { readonly op: "read"; readonly ask?: ReadAsk }
  | CaseBase & { readonly op: "piece"; readonly artifact: Artifact; readonly ask: PieceAsk }
  | CaseBase & {
    readonly op: "signature";
    readonly artifact: Artifact;
    readonly ask: SignatureExtras;
  };

/** A case that is accepted as it is, and the description that it was written from. */
export type ValidCase = CaseBase & {
  readonly op: "read";
  readonly artifact: Artifact;
  readonly description: Description;
  readonly identities: Identities;
};

/** A named maker of cases. Every id of its cases begins with its name and a slash. */
export interface Recipe {
  readonly name: string;
  /** one line: why these cases exist */
  readonly reason: string;
  /** where the specification decides them */
  readonly spec: string;
  /** clauses that every one of its cases exercises, as `cite` takes them */
  readonly cites: readonly string[];
  readonly cases: () => readonly Case[];
}

/** Evaluates once, when first asked. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

interface More {
  readonly tags?: readonly string[];
  readonly cites?: readonly string[];
}

/**
 * A case that is accepted.
 * @throws Error where the writer refuses the description: a bug of the recipe
 */
export function valid(id: string, reason: string, description: Description, more: More = {}) {
  const written = write(description);
  if (isWriteError(written)) {
    throw new Error(`${id}: ${written.code} at ${written.where}, expected ${written.expected}`);
  }
  return accepted(id, reason, description, written, more);
}

/** The same for a file that came by another way than `write`. */
export function accepted(
  id: string,
  reason: string,
  description: Description,
  written: { readonly bytes: Uint8Array; readonly identities: Identities },
  more: More = {},
): ValidCase {
  const { bytes, identities } = written;
  return {
    id,
    reason,
    tags: more.tags ?? [],
    cites: more.cites,
    op: "read",
    artifact: { path: `${id}.slm`, bytes },
    expected: { verdict: "accept", identities },
    description,
    identities,
  };
}

/** A case that is rejected: `bytes` differ from `parent` in one fault. */
export function corrupt(
  parent: ValidCase,
  id: string,
  reason: string,
  bytes: Uint8Array,
  rejection: Rejection,
  more: More & { readonly ask?: ReadAsk } = {},
): Case & { readonly artifact: Artifact } {
  return {
    id,
    reason,
    tags: more.tags ?? [],
    cites: more.cites,
    op: "read",
    artifact: { path: `${id}.slm`, bytes, parent },
    ask: more.ask,
    expected: rejected(rejection),
  };
}

/** A question about a file that another case brings. */
export function asked(
  subject: Case & { readonly artifact: Artifact },
  id: string,
  reason: string,
  ask: ReadAsk,
  expected: Expected,
  more: More = {},
): Case {
  const { tags = [], cites } = more;
  const { artifact } = subject;
  return { id, reason, tags, cites, op: "read", artifact, ask, expected, subject };
}

export const rejected = ([stage, code, section]: Rejection): Expected => ({
  verdict: "reject",
  stage,
  code,
  section,
});
