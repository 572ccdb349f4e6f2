/**
 * What is known of one file while its stages run: each stage reads what earlier ones have
 * proved and adds its own. Never holds payload bytes.
 */
import type { Allocator, ReadRequest, Section, Source } from "../contract.ts";
import { BitSet } from "./bytes.ts";
import type { Resolver } from "./closure.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { Strings } from "./strings.ts";
import { Tape } from "./tape.ts";

/** The sections that the header places (section 2). */
export type SectionName = Exclude<Section, "header" | "file" | "none">;

/** Where a section stands. An absent one has size and count 0. */
export interface Span {
  readonly offset: number;
  /** in bytes */
  readonly size: number;
  /** records of a table; 0 otherwise */
  readonly count: number;
}

/** The default: memory is just allocated. */
const PLAIN: Allocator = { bytes: (length) => new Uint8Array(length), hold() {} };

const ABSENT: Span = { offset: 0, size: 0, count: 0 };
const NO_BYTES = new Uint8Array(0);
const NO_SET = new BitSet(NO_BYTES);
const NO_STRINGS = new Strings(NO_BYTES, 0, 0, NO_SET);
const NO_TAPE = new Tape(NO_BYTES, 0);

export class Artifact {
  readonly source: Source;
  readonly limits: Limits;
  readonly memory: Allocator;
  readonly wantsPieces: boolean;
  /** null: the dependency checks of stage 25 do not run */
  readonly resolver: Resolver | null;
  readonly runtimeMemory: number | null;

  /** stage 9 */
  artifact_class = 0;
  /** stage 12 */
  sections: Readonly<Record<SectionName, Span>> = {
    manifest: ABSENT,
    strings: ABSENT,
    quant: ABSENT,
    tensors: ABSENT,
    blobs: ABSENT,
    auxiliary: ABSENT,
    payload: ABSENT,
  };
  /** stage 16: the file from its first byte up to its payload; index = offset in the file */
  bytes: Uint8Array = NO_BYTES;
  /** stage 17: the manifest, which is item 0 */
  tape: Tape = NO_TAPE;
  /** stage 18: the manifest's body, an item */
  body = 0;
  /** stage 19, with the strings that stages 20 to 22 refer to */
  strings: Strings = NO_STRINGS;
  /** stages 21 and 22: string ids that are names of tensors and blobs */
  names: BitSet = NO_SET;
  /** stage 21: profiles that a tensor refers to */
  profilesUsed: BitSet = NO_SET;
  /** stage 23: tensors that are auxiliary targets */
  targets: BitSet = NO_SET;
  /** stage 26 */
  wholeFile: Uint8Array = NO_BYTES;
  /** stage 26, where it was wanted */
  pieceRoot: Uint8Array | null = null;
  /** stage 26: the blob of a piece set */
  pieceHashes: Uint8Array = NO_BYTES;
  /** after stage 26 */
  tensorLayout: Uint8Array = NO_BYTES;
  semanticManifest: Uint8Array = NO_BYTES;
  artifactId: Uint8Array = NO_BYTES;

  /** @param size what the source says its size is (stage 1) */
  constructor(
    request: Pick<ReadRequest, "source" | "policy" | "allocator" | "pieces" | "runtime_memory">,
    readonly size: number,
    resolver: Resolver | null,
  ) {
    this.source = request.source;
    this.limits = limitsOf(request.policy);
    this.memory = request.allocator ?? PLAIN;
    this.wantsPieces = request.pieces ?? true;
    this.runtimeMemory = request.runtime_memory ?? null;
    this.resolver = resolver;
  }
}
