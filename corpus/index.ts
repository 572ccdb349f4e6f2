/**
 * The index of the golden corpus, `corpus/golden/index.json`: what stands in it, how it is
 * loaded, and the content id that names a corpus in every report. `index_schema.json`
 * beside this file says the same for other languages.
 */
import { Ajv2020 } from "ajv/2020";
import { createHash } from "node:crypto";
import type {
  Code,
  Hex,
  Identities,
  Policy,
  Section,
  SignatureRequest,
  Stage,
} from "../readers/contract.ts";
import schema from "./index_schema.json" with { type: "json" };

export const INDEX_FORMAT = "slm2-corpus/1";

/** A file of the corpus; `file` is relative to the index and uses forward slashes. */
export interface FileRef {
  readonly file: string;
  readonly sha256: Hex;
  readonly size: number;
}

/** What the spec says about a case; the same form as a testee's answer (testee.md 3). */
export type Expected =
  /** `identities` stand in every accepted `read`; a piece or signature has none */
  | { readonly verdict: "accept"; readonly identities?: Identities }
  | {
    readonly verdict: "reject";
    readonly stage: Stage;
    readonly code: Code;
    readonly section: Section;
    /** advice, never compared */
    readonly offset?: number;
  };

/**
 * One step from a parent to a corrupt file: at `offset` of the parent, `remove` bytes
 * (left out: as many as `hex` has) give way to the bytes of `hex` (left out: none).
 */
export interface Edit {
  readonly offset: number;
  readonly hex?: string;
  readonly remove?: number;
}

/** What a request carries beyond its file, by operation (testee.md 2). */
export interface ReadExtras {
  readonly policy?: Policy;
  readonly expect?: { readonly whole_file?: Hex; readonly artifact_id?: Hex };
  readonly pieces?: false;
  readonly resolve?: readonly FileRef[];
  readonly runtime_memory?: number;
}
export interface PieceExtras {
  readonly index: number;
  readonly data: FileRef;
  readonly proof?: readonly Hex[];
  readonly subject?: {
    readonly artifact_id?: Hex;
    readonly whole_file?: Hex;
    readonly bytes?: number;
  };
}
export type SignatureExtras = Pick<
  SignatureRequest,
  "trust" | "now" | "subject" | "statement"
>;

interface EntryBase extends Partial<FileRef> {
  /** `group/.../name`: unique, stable for ever, never with another meaning */
  readonly id: string;
  readonly expected: Expected;
  /** why this case exists: for a rejection, the one thing that is wrong with it */
  readonly reason: string;
  /** where the spec decides it, such as `slm2.md 8, stage 14` */
  readonly spec: string;
  /** ids of the spec sentences that it exercises: keys of `Index.clauses` */
  readonly clauses?: readonly string[];
  readonly tags: readonly string[];
  /** corpus version that brought it */
  readonly since: string;
  /** absent: strict. Other right answers, and why the spec leaves the choice. */
  readonly may_differ?: { readonly reason: string; readonly also: readonly Expected[] };
  /** for a corrupt file: the id of the valid one that it was made from, and how */
  readonly parent?: string;
  readonly patch?: readonly Edit[];
  /** the file is too big to be committed: the recipe that builds it */
  readonly recipe?: string;
  /** kept for ever, asked no more */
  readonly withdrawn?: { readonly since: string; readonly reason: string };
}

/**
 * One case. `file` is the artifact, the piece set or the envelope by operation; a read
 * without one names a path under which there is nothing (stage 1).
 */
export type Entry =
  | (EntryBase & { readonly op?: "read"; readonly request?: ReadExtras })
  | (EntryBase & FileRef & { readonly op: "piece"; readonly request: PieceExtras })
  | (EntryBase & FileRef & { readonly op: "signature"; readonly request: SignatureExtras });

export interface Index {
  readonly format: typeof INDEX_FORMAT;
  /** semantic version of the corpus; see its CHANGELOG */
  readonly version: string;
  /** version of the SLM2 spec that the verdicts hold under */
  readonly spec: string;
  readonly content_id: Hex;
  /** every sentence of the spec that decides something, by its id */
  readonly clauses?: Readonly<Record<string, string>>;
  readonly entries: readonly Entry[];
}

/**
 * The content id: SHA-256 of the index as JSON without whitespace, keys in the order of
 * the file, `content_id` left out. Each file is bound through its sha256. In Python:
 * `json.dumps(index, separators=(",", ":"), ensure_ascii=False)`.
 */
export function contentId(index: Omit<Index, "content_id">): Hex {
  const { content_id: _, ...rest } = index as Index;
  return createHash("sha256").update(JSON.stringify(rest)).digest("hex");
}

/** Why an index cannot be used, in one line for a person. */
export class IndexError extends Error {
  override name = "IndexError";
}

const validate = new Ajv2020({ strictTypes: false }).compile<Index>(schema);

/**
 * Reads an index from its JSON text.
 * @throws IndexError where it breaks the schema, repeats an id, names an unknown parent or
 *   clause, or carries another content id than it has
 */
export function parseIndex(text: string): Index {
  let index: unknown;
  try {
    index = JSON.parse(text);
  } catch (error) {
    throw new IndexError(`the corpus index is not JSON: ${(error as Error).message}`);
  }
  if (!validate(index)) {
    const [fault] = validate.errors ?? [];
    throw new IndexError(`the corpus index at ${fault?.instancePath || "/"} ${fault?.message}`);
  }
  const ids = new Set<string>();
  for (const { id } of index.entries) {
    if (ids.has(id)) throw new IndexError(`the corpus index has the id ${id} twice`);
    ids.add(id);
  }
  for (const { id, parent, clauses } of index.entries) {
    if (parent !== undefined && !ids.has(parent)) {
      throw new IndexError(`${id} names the parent ${parent}, which is not in the index`);
    }
    const lost = clauses?.find((clause) => !Object.hasOwn(index.clauses ?? {}, clause));
    if (lost !== undefined) throw new IndexError(`${id} names the clause ${lost}, which is none`);
  }
  const actual = contentId(index);
  if (actual !== index.content_id) {
    throw new IndexError(
      `the corpus index has the content id ${actual} and claims ${index.content_id}: ` +
        "it was edited after it was built",
    );
  }
  return index;
}

/** The group of a case: its id up to the last slash. */
export function groupOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf("/")));
}

/**
 * The corrupt file that `edits` make of `parent`. Offsets are the parent's; edits are in
 * rising order and do not overlap.
 * @throws RangeError where they are not, or reach past the parent's end
 */
export function applyPatch(parent: Uint8Array, edits: readonly Edit[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let kept = 0;
  for (const { offset, hex = "", remove = hex.length / 2 } of edits) {
    if (offset < kept || offset + remove > parent.length) {
      throw new RangeError(`edit at ${offset} overlaps another or passes the parent's end`);
    }
    parts.push(parent.subarray(kept, offset), Uint8Array.fromHex(hex));
    kept = offset + remove;
  }
  parts.push(parent.subarray(kept));
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
