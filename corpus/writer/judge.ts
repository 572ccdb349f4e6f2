/** Every fault of a description that the writer refuses, as a value. */
import type { Description } from "./description.ts";
import { fault, LIMITS, type WriteError } from "./fault.ts";
import { ID_DOMAINS } from "./identity.ts";
import { auxiliaryFault } from "./judge_auxiliary.ts";
import { manifestFault } from "./judge_manifest.ts";
import { blobsFault, namesFault, tensorsFault } from "./judge_tables.ts";
import { storageOf } from "./storage.ts";

/** The first fault of a description, or null. Work is linear in the description. */
export function judge(description: Description): WriteError | null {
  return classFault(description) ?? manifestFault(description) ?? tensorsFault(description) ??
    blobsFault(description) ?? namesFault(description) ?? auxiliaryFault(description);
}

/** Section 3, in the columns' order: 1 required, 0 optional, -1 no. */
const TABLES = ["tensors", "profiles", "blobs", "auxiliaries"] as const;
// deno-fmt-ignore
const PERMITTED: readonly (readonly number[])[] = [
  [],
  [1, 0, -1, 0], [1, 0, -1, 0], [1, 0, -1, 0], [-1, -1, 1, -1], [-1, -1, 0, -1],
  [-1, -1, -1, -1], [1, -1, -1, -1], [1, 0, 1, 0], [-1, -1, 1, -1], [-1, -1, -1, -1],
  [-1, -1, 0, -1], [-1, -1, 0, -1], [-1, -1, -1, -1],
];

function classFault(description: Description): WriteError | null {
  const { artifact_class } = description;
  const permitted = PERMITTED[artifact_class];
  if (permitted === undefined || artifact_class === 0) {
    return fault("UnknownClass", "artifact_class", `1 to ${ID_DOMAINS.length - 1}`);
  }
  for (const [column, table] of TABLES.entries()) {
    const count = description[table]?.length ?? 0;
    const quantized = table === "profiles" &&
      (description.tensors ?? []).some(({ type }) => storageOf(type).profile !== null);
    const present = count > 0 || quantized;
    if (present ? permitted[column] < 0 : permitted[column] > 0) {
      return fault("TableNotPermitted", table, present ? "none in this class" : "at least one");
    }
    if (count > LIMITS[table]) return fault("LimitExceeded", table, `at most ${LIMITS[table]}`);
  }
  return null;
}
