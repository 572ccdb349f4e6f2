/**
 * All that the two readers share: what is asked of a reader and what it answers.
 *
 * The rules themselves stand twice, once in `cursor/` and once in `table/`; nothing here
 * decides anything about a file. Sections named in comments are those of
 * `corpus/spec/slm2.md` unless they say `classes.md` or `testee.md`.
 */

// ---------------------------------------------------------------------------- verdicts

/** Sections that a rejection can name (section 1). Compared exactly. */
export const SECTIONS = [
  "header",
  "manifest",
  "strings",
  "quant",
  "tensors",
  "blobs",
  "auxiliary",
  "payload",
  "file",
  "none",
] as const;
export type Section = typeof SECTIONS[number];

/** The validation stages of section 8, in order; a stage is its number, 1 to 32. */
export type Stage = number;

/** Every code of section 8 and of `classes.md`, with the stages that can give it. */
export const CODES = {
  SourceIo: [1],
  FormatLimitExceeded: [2, 12, 17],
  PolicyLimitExceeded: [2, 12, 17, 21],
  TruncatedHeader: [3],
  UnsupportedLegacyFormat: [4],
  BadMagic: [4],
  BadFormatId: [5],
  UnsupportedVersion: [6],
  BadHeaderSize: [7],
  BadByteOrderMarker: [8],
  UnknownArtifactClass: [9],
  NonZeroFlags: [10, 20, 21, 22],
  NonZeroReserved: [10, 20, 21, 22],
  FileSizeMismatch: [11],
  IntegerRange: [12],
  MissingManifest: [12],
  AbsentNotZero: [12],
  BadRecordSize: [12],
  PayloadPresence: [12],
  SectionOverflow: [13],
  SectionMisaligned: [14],
  SectionOutOfPlace: [14],
  SectionOutOfBounds: [15],
  TrailingBytes: [15],
  NonZeroPadding: [16, 24],
  CborTruncated: [17],
  CborKeyNotText: [17],
  CborForbiddenType: [17],
  CborReservedInfo: [17],
  CborIndefiniteLength: [17],
  CborNotShortest: [17],
  CborIntegerRange: [17],
  CborInvalidUtf8: [17],
  CborUnassigned: [17],
  CborNotNfc: [17],
  CborDuplicateKey: [17],
  CborKeyOrder: [17],
  CborTrailingBytes: [17],
  WrongType: [18],
  UnknownCoreKey: [18],
  MissingCoreKey: [18],
  BadValue: [18],
  BadIdentifier: [18],
  UnsortedSet: [18],
  ClassMismatch: [18],
  SchemaMismatch: [18],
  UnknownCriticalExtension: [18],
  TableNotPermitted: [18],
  StringTableSize: [19],
  StringOffsets: [19],
  StringInvalid: [19],
  StringDuplicate: [19],
  StringOrder: [19],
  BadStringId: [20, 21, 22],
  BadRecordVersion: [20, 21, 22],
  QuantFieldInvalid: [20],
  ProfileIdMismatch: [20],
  DescriptorOrder: [20, 21, 22, 23],
  DescriptorDuplicate: [20, 21, 22, 23],
  ShapeInvalid: [21],
  TensorFieldInvalid: [21],
  UnknownElementType: [21],
  BadQuantIndex: [21],
  ShapeOverflow: [21],
  ElementCountMismatch: [21],
  QuantFieldMismatch: [21],
  TailRule: [21],
  StoredSizeMismatch: [21],
  PayloadLengthMismatch: [21],
  BadAlignment: [21, 22],
  ZeroHash: [21, 22],
  DuplicateName: [21, 22],
  BlobKindNotPermitted: [22],
  UnsupportedCodec: [22],
  BlobLength: [22],
  LogicalLengthMismatch: [22],
  AuxIndex: [23],
  AuxFieldInvalid: [23],
  AuxSelfReference: [23],
  AuxTarget: [23],
  AuxRun: [23],
  AuxMask: [23],
  PayloadOutOfPlace: [24],
  PayloadOutOfBounds: [24],
  PayloadTrailing: [24],
  UnreferencedString: [24],
  UnreferencedProfile: [24],
  UnsupportedQuantProfile: [25],
  UnsupportedArchitecture: [25],
  UnsupportedOperation: [25],
  DependencyMissing: [25],
  DependencyClass: [25],
  DependencyWholeFile: [25],
  DependencyId: [25],
  TokenizerMismatch: [25],
  BaseMismatch: [25],
  LayoutMismatch: [25],
  TargetMissing: [25],
  TargetShape: [25],
  TargetQuant: [25],
  RuntimeCapability: [25],
  PayloadHashMismatch: [26],
  PaddedLane: [26],
  BlobContent: [26],
  WholeFileHashMismatch: [27],
  IdentityMismatch: [27],
  PieceSubject: [27],
  PieceIndex: [27],
  PieceLength: [27],
  PieceHash: [27],
  PieceRoot: [27],
  SignatureKeyId: [28],
  SignatureSubject: [28],
  SignatureStatement: [28],
  SignatureInvalid: [28],
  KeyUnknown: [28],
  KeyRevoked: [28],
  SignatureExpired: [28],
  TrustEpoch: [28],
  LicenseNotAllowed: [29],
  ProvenanceMissing: [29],
  ReceiptMissing: [30],
  ReceiptFailed: [30],
  ResourceLimit: [31],
  ResourceConstruction: [31],
  SmokeCheckFailed: [31],
  CommitFailed: [32],
} as const satisfies Record<string, readonly Stage[]>;
export type Code = keyof typeof CODES;

/** Lowercase hexadecimal of 32 bytes. */
export type Hex = string;

/** The identities of section 9, under the names that testee.md puts on the wire. */
export interface Identities {
  readonly class: number;
  readonly whole_file: Hex;
  readonly manifest: Hex;
  readonly semantic_manifest: Hex;
  readonly tensor_layout: Hex;
  readonly artifact_id: Hex;
  /** profile_id of each quantization profile, in table order */
  readonly profiles: readonly Hex[];
  /** payload_hash of each tensor, in table order */
  readonly tensors: readonly Hex[];
  /** content_hash of each blob, in table order */
  readonly blobs: readonly Hex[];
  /** absent, with piece_root, where the request said `pieces: false` */
  readonly piece_count?: number;
  readonly piece_root?: Hex;
}

export interface Accept {
  readonly verdict: "accept";
  readonly identities: Identities;
}

/** `stage`, `code` and `section` are normative; `offset` and `expected` are advice. */
export interface Reject {
  readonly verdict: "reject";
  readonly stage: Stage;
  readonly code: Code;
  readonly section: Section;
  /** absolute offset in the file of the first byte of the field or item at fault */
  readonly offset?: number;
  /** what a good file has there, in a few words for a person; of a limit, its `LimitName` too */
  readonly expected?: string;
}

/** The reader does not judge that input (testee.md 3), and says why. */
export interface Skip {
  readonly verdict: "skip";
  readonly why: string;
}

/** The one closed type in which a reader answers. */
export type Verdict = Accept | Reject;

/** The answer to a `piece` or `signature` request: acceptance carries nothing. */
export type Judgement = { readonly verdict: "accept" } | Reject | Skip;

// ------------------------------------------------------------------------------ inputs

/**
 * Where bytes come from. Synchronous: a browser gives it to a worker through
 * `FileReaderSync`, and a small file is judged without a turn of the event loop.
 *
 * Both methods may throw; a reader answers `SourceIo` then, and where a read is short or
 * a later `size()` differs from the first.
 */
export interface Source {
  /** The size in bytes, asked anew at each call. */
  size(): number;
  /**
   * Fills `into` with the bytes from `offset` on, and returns how many it filled. The
   * reader owns the buffer, so one window serves a whole file.
   */
  read(offset: number, into: Uint8Array): number;
}

/**
 * Where a reader takes memory from, so that a watchdog can count it. The default just
 * allocates. A reader that keeps windows between calls announces their size by `hold` at each call.
 */
export interface Allocator {
  /** A zeroed buffer of `length` bytes. */
  bytes(length: number): Uint8Array;
  /** Says that the reader now holds about `length` bytes more, in objects or kept windows. */
  hold(length: number): void;
}

/** Limit names of section 4 in testee.md's spelling. */
export const LIMITS = [
  "file_size",
  "manifest_length",
  "string_table_length",
  "quant_count",
  "tensor_count",
  "blob_count",
  "auxiliary_count",
  "cbor_depth",
  "cbor_items",
  "cbor_text",
  "cbor_bytes",
  "cbor_entries",
  "rank",
] as const;
export type LimitName = typeof LIMITS[number];

/** Lower limits than the format's (section 4). A missing row is the format limit. */
export type Policy = { readonly [name in LimitName]?: number };

/** An artifact that a resolver may find (`classes.md` section 6). */
export interface Dependency {
  readonly source: Source;
  /**
   * The artifact id under which a store keeps it; only such a resolver can lie
   * (`DependencyId`). Absent: it is found under the id that its bytes have.
   */
  readonly claimed_id?: Hex;
}

export interface ReadRequest {
  readonly source: Source;
  readonly policy?: Policy;
  /** stage 27: either key, both or none */
  readonly expect?: { readonly whole_file?: Hex; readonly artifact_id?: Hex };
  /** false leaves piece_count and piece_root out, and their work undone */
  readonly pieces?: boolean;
  /** given, even empty: the dependency checks of stage 25 run */
  readonly resolve?: readonly Dependency[];
  /** bytes that a runtime has, for `RuntimeCapability`; absent: not judged */
  readonly runtime_memory?: number;
  readonly allocator?: Allocator;
}

/** A piece held against its piece set (`classes.md` section 7, stage 27). */
export interface PieceRequest {
  readonly set: Source;
  readonly index: number;
  readonly data: Uint8Array;
  /** audit path, leaf to root, 32 bytes each */
  readonly proof?: readonly Uint8Array[];
  readonly subject?: {
    readonly artifact_id?: Hex;
    readonly whole_file?: Hex;
    readonly bytes?: number;
  };
  readonly allocator?: Allocator;
}

/** Trust metadata (`classes.md` section 8), taken as already verified. */
export interface Trust {
  readonly epoch: number;
  readonly keys: readonly {
    readonly key_id: Hex;
    readonly public_key: Hex;
    readonly roles: readonly string[];
    readonly valid_from: number;
    readonly valid_until: number;
  }[];
  readonly revoked: readonly { readonly key_id: Hex; readonly from: number }[];
}

/** An envelope held against trust metadata (`classes.md` section 8, stage 28). */
export interface SignatureRequest {
  readonly envelope: Source;
  readonly trust: Trust;
  /** trusted time, in the unit of the envelope's own times */
  readonly now: number;
  readonly subject?: {
    readonly class?: number;
    readonly artifact_id?: Hex;
    readonly whole_file?: Hex;
  };
  /** hash of the statement at hand */
  readonly statement?: Hex;
  readonly allocator?: Allocator;
}

// -------------------------------------------------------------------------- candidates

/**
 * A decoded SLM-DCBOR-1 item. An integer is a `number` where that is exact (magnitude up
 * to 2^53 - 1), else a `bigint`. Maps keep their encoded order; file data never becomes a
 * property name.
 */
export type Value =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<string, Value>;

/** One quantization profile (section 7.2), its 128 bytes and what a runtime asks of them. */
export interface QuantProfile {
  readonly profile_id: Hex;
  readonly name: string;
  /** the record as it stands in the file */
  readonly record: Uint8Array;
}

/** One tensor (section 7.3). `offset` is absolute in the file. */
export interface Tensor {
  readonly role: string;
  readonly name: string;
  readonly layer: number;
  readonly subindex_0: number;
  readonly subindex_1: number;
  readonly element_type: number;
  /** index into `Candidate.profiles`, or null for a dense tensor */
  readonly profile: number | null;
  readonly shape: readonly number[];
  readonly elements: number;
  readonly offset: number;
  readonly length: number;
  readonly payload_hash: Hex;
  readonly auxiliary_first: number;
  readonly auxiliary_count: number;
}

/** One blob (section 7.4). `offset` is absolute in the file. */
export interface Blob {
  readonly kind: number;
  readonly name: string;
  readonly media_type: string;
  readonly offset: number;
  readonly length: number;
  readonly content_hash: Hex;
}

/** One auxiliary record (section 7.5). */
export interface Auxiliary {
  readonly owner: number;
  readonly kind: number;
  readonly target: number;
  readonly axis: number;
  readonly group_size: number;
  readonly block_stride: number;
}

/** An accepted artifact, decoded but for its payload, which stays in the source. */
export interface Candidate {
  readonly source: Source;
  readonly artifact_class: number;
  readonly file_size: number;
  readonly manifest: ReadonlyMap<string, Value>;
  readonly profiles: readonly QuantProfile[];
  readonly tensors: readonly Tensor[];
  readonly blobs: readonly Blob[];
  readonly auxiliaries: readonly Auxiliary[];
  readonly identities: Identities;
}

export interface Reading {
  readonly verdict: Verdict;
  /** Decodes the accepted artifact; a caller that wants the verdict alone pays nothing. */
  readonly candidate?: () => Candidate;
}

// ----------------------------------------------------------------------------- readers

/**
 * A reader. Total: whatever the bytes, each method answers in its type; a throw is a bug.
 * One call runs to its end before the next begins, so a reader may keep windows.
 */
export interface Reader {
  readonly name: string;
  /** Stages 1 to 26, and 27 where expectations are given. */
  read(request: ReadRequest): Reading;
  /** `classes.md` section 7: a piece held against its set. */
  piece(request: PieceRequest): Judgement;
  /** `classes.md` section 8: an envelope held against trust metadata. */
  signature(request: SignatureRequest): Judgement;
}
