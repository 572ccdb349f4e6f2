/** A file under judgement: what each stage leaves to the ones after it. */
import type { Identities, ReadRequest, Source } from "../contract.ts";
import type { Rows } from "./fields.ts";
import type { Input, Memory, Workspace } from "./input.ts";
import type { Limits } from "./limits.ts";
import type { Item, Manifest } from "./manifest.ts";
import type { Strings } from "./strings.ts";

/** Where a section stands; all zero where it is absent. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Marks of a string id. */
export const REFERENCED = 1;
export const IS_NAME = 2;
/** Marks of a tensor. */
export const OWNER = 1;
export const TARGET = 2;
export const IN_OPERATION = 4;

/** Tokenizer blobs that a later blob is judged by. */
export interface Vocabulary {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Hashes of stage 26; the rest of section 9 is computed from the tables. */
export interface PayloadIdentities {
  readonly wholeFile: Uint8Array;
  readonly pieceCount: number;
  readonly pieceRoot: Uint8Array | null;
}

/** An accepted artifact. */
export interface Accepted {
  readonly artifact: Artifact;
  readonly identities: Identities;
}

/**
 * Fields are set by the stage that their comment names and read by later ones only. `bytes` is
 * the file up to its payload, so that an index into it is an absolute offset.
 */
export class Artifact {
  /** stages 3-15 */
  header!: Rows;
  artifactClass = 0;
  payload: Place = { offset: 0, length: 0 };
  bytes!: Uint8Array;
  quants!: Rows;
  tensors!: Rows;
  blobs!: Rows;
  auxiliaries!: Rows;
  /** stage 18 */
  manifest!: Manifest;
  body: Item = 0;
  /** stage 19 */
  strings!: Strings;
  stringMarks!: Uint8Array;
  /** stage 21 */
  profileUsed!: Uint8Array;
  /** stage 23 */
  tensorMarks!: Uint8Array;
  /** stage 26 */
  vocabulary: Vocabulary | null = null;
  literalBytes = 0;
  pieceHashes: Uint8Array | null = null;
  hashes: PayloadIdentities | null = null;

  constructor(
    readonly input: Input,
    readonly request: ReadRequest,
    readonly limits: Limits,
    readonly memory: Memory,
    readonly workspace: Workspace,
    /** Reads a dependency by stages 1-26 under the default policy; null if it is rejected. */
    readonly readOther: (source: Source) => Accepted | null,
  ) {}

  /** Value in the body by its path of keys. */
  get(...path: string[]): Item {
    return this.manifest.get(this.body, ...path);
  }
}
