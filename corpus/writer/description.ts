/** Descriptions: what a person, an importer or a generator writes down of an artifact. */
import type { Identities, Source } from "../../readers/contract.ts";
import type { Item, ItemMap } from "./cbor.ts";
import type { Profile } from "./profiles.ts";

/**
 * Everything that decides an artifact's bytes. The order of `extensions`, `profiles`,
 * `tensors`, `blobs` and `auxiliaries`, of map keys and of the members of a `set` means nothing; the
 * order of `dependencies` and of other arrays does (classes.md section 1).
 */
export interface Description {
  /** section 3 */
  readonly artifact_class: number;
  /** classes.md; the type of each class's body is in `bodies.ts` */
  readonly body: ItemMap;
  readonly dependencies?: readonly DependencyDescription[];
  readonly extensions?: readonly ExtensionDescription[];
  readonly requirements?: RequirementsDescription;
  /** profiles that are not registered, for tensors that name them */
  readonly profiles?: readonly Profile[];
  readonly tensors?: readonly TensorDescription[];
  readonly blobs?: readonly BlobDescription[];
  readonly auxiliaries?: readonly AuxiliaryDescription[];
}

/** Absent `whole_file` is null: any file of that identity. */
export interface DependencyDescription {
  readonly role: string;
  readonly artifact_class: number;
  readonly id: Uint8Array;
  readonly whole_file?: Uint8Array | null;
}

export interface ExtensionDescription {
  readonly id: string;
  readonly version: number | bigint;
  readonly critical: boolean;
  readonly payload: Uint8Array | ItemMap;
}

/** Absent: no feature, 0 bytes. */
export interface RequirementsDescription {
  readonly features?: readonly string[];
  readonly memory_bytes?: number | bigint;
}

/** Bytes at hand, or a source that is read in windows as they are written. */
export type Payload = Uint8Array | Source;

export interface TensorDescription {
  readonly role: string;
  readonly name: string;
  /** absent: -1, as the two subindexes */
  readonly layer?: number;
  readonly subindex_0?: number;
  readonly subindex_1?: number;
  readonly shape: readonly number[];
  /** an element type (`f32`), a registered profile (`q8-0.b32.row`) or one of `profiles` */
  readonly type: string;
  /** little-endian elements, row-major, or the profile's blocks */
  readonly payload: Payload;
  /** absent: 64 */
  readonly alignment?: number;
}

export interface BlobDescription {
  /** classes.md sections 4 and 10 */
  readonly kind: number;
  readonly name: string;
  readonly media_type: string;
  readonly payload: Payload;
  /** absent: 64 */
  readonly alignment?: number;
}

/** Section 7.5, its tensors by name. */
export interface AuxiliaryDescription {
  readonly owner: string;
  readonly target: string;
  /** 1 scale, 2 zero_point, 3 codebook, 4 importance, 5 sparse_index; absent: 1 */
  readonly kind?: number;
  /** absent: 0 */
  readonly axis?: number;
  /** absent: 1 */
  readonly group_size?: number;
  /** absent: 0 */
  readonly block_stride?: number;
}

/** An artifact as another one refers to it: what `write` says of it is one. */
export type Reference = Pick<Identities, "class" | "artifact_id" | "whole_file">;

/** Where `writeTo` puts a file: a random-access file, or a buffer. May throw. */
export interface Target {
  write(offset: number, bytes: Uint8Array): void;
  /** fills `into` with what was written at `offset`; short only at the end */
  read(offset: number, into: Uint8Array): number;
}

/** How many bytes a payload has. */
export const payloadSize = (payload: Payload): number =>
  payload instanceof Uint8Array ? payload.length : payload.size();

export type { Item, ItemMap };
