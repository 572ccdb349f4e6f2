/** What the identity matrix is held by: the identities, and how two readings are compared. */
import type { Identities } from "../../readers/contract.ts";

/** The identities that can tell two artifacts apart. */
export const COLUMNS = [
  "whole_file",
  "manifest",
  "semantic_manifest",
  "tensor_layout",
  "artifact_id",
  "profiles",
  "tensors",
  "blobs",
] as const;
export type Column = typeof COLUMNS[number];

/** What two readings break of a row: identities that differ and must not, or the other way round. */
export function identityFaults(
  row: { readonly differ: readonly Column[] },
  before: Identities,
  after: Identities,
): Column[] {
  return COLUMNS.filter((column) =>
    (JSON.stringify(before[column]) !== JSON.stringify(after[column])) !==
      row.differ.includes(column)
  );
}
