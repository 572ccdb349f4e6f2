/** A blob of a good file with other bytes, and everything else repaired. */
import { BLOB } from "../writer/fields.ts";
import type { BlobDescription } from "../writer/description.ts";
import { assemble } from "../writer/write.ts";
import { corrupt, type ValidCase } from "./case.ts";
import { fieldOf, remade } from "./parts.ts";

/** What stage 26 says of a blob outside its grammar. */
export const CONTENT = [26, "BlobContent", "payload"] as const;

/** The file of a parent whose blob of a kind (the first) has other bytes. */
export const withBlob = (parent: ValidCase, kind: number, payload: Uint8Array): Uint8Array =>
  remade(parent.artifact.bytes, ({ tensor, blob, payloads }) => {
    const index = blob.findIndex((record) => fieldOf(record, BLOB, "blob_kind") === kind);
    payloads[tensor.length + index] = payload;
  });

/** The payload of a parent's blob of a kind. */
export const blobOf = (parent: ValidCase, kind: number): Uint8Array =>
  parent.description.blobs!.find((blob) => blob.kind === kind)!.payload as Uint8Array;

/** A parent with other blobs, everything else derived. */
export const withBlobs = (
  parent: ValidCase,
  change: (blobs: readonly BlobDescription[]) => readonly BlobDescription[],
): Uint8Array =>
  assemble({ ...parent.description, blobs: change(parent.description.blobs ?? []) }).bytes;

/** One case: a parent whose blob of a kind breaks its grammar. */
export const content = (
  parent: ValidCase,
  kind: number,
  id: string,
  why: string,
  payload: Uint8Array,
) =>
  corrupt(parent, id, why, withBlob(parent, kind, payload), CONTENT, {
    cites: ["slm2-8.26 for a blob its content grammar"],
  });
