/** Stage 18 as a whole (`classes.md` section 1): the schema, then what comes after the manifest. */
import type { Section } from "../contract.ts";
import type { Artifact } from "./artifact.ts";
import { dependencyFault } from "./dependencies.ts";
import { compareRanges } from "./fields.ts";
import type { Fault } from "./fault.ts";
import { CLASSES, H } from "./layouts.ts";
import type { Item, Manifest } from "./manifest.ts";
import { relationFault } from "./relations.ts";
import { MANIFESTS } from "./schema.ts";
import { fault18 } from "./shapes.ts";

/** Stage 18. */
export function checkSchema(artifact: Artifact): Fault {
  const { manifest: m, artifactClass } = artifact;
  const shape = MANIFESTS.get(artifactClass);
  if (shape === undefined) throw new Error(`no schema for class ${artifactClass}`);
  const fault = shape(m, m.root);
  if (fault !== null) return fault;
  artifact.body = m.get(m.root, "body");
  return extensionFault(m, m.get(m.root, "extensions")) ?? tableFault(artifact) ??
    dependencyFault(artifact) ?? relationFault(artifact);
}

/** Steps 1 and 2: extensions in order, and none of them critical. */
function extensionFault(m: Manifest, extensions: Item): Fault {
  let previous = -1;
  return m.each(extensions, (item) => {
    const isAfter = previous < 0 || isAfterExtension(m, previous, item);
    previous = item;
    return isAfter ? null : fault18("UnsortedSet", item, "extensions ascending by (id, version)");
  }) ?? m.each(extensions, (item) =>
    m.isTrue(m.get(item, "critical"))
      ? fault18("UnknownCriticalExtension", item, "no critical extension: none is registered")
      : null);
}

function isAfterExtension(m: Manifest, previous: Item, item: Item): boolean {
  const [a, b] = [m.get(previous, "id"), m.get(item, "id")];
  const d = compareRanges(m.bytes, m.content(a), m.next(a), m.content(b), m.next(b));
  if (d !== 0) return d < 0;
  return m.integer(m.get(previous, "version")) < m.integer(m.get(item, "version"));
}

const TABLES = [
  ["quant", H.quant_count],
  ["tensors", H.tensor_count],
  ["blobs", H.blob_count],
  ["auxiliary", H.auxiliary_count],
] as const satisfies readonly (readonly [Section, unknown])[];

/** Step 3: the class matrix (section 3 of slm2.md). */
function tableFault({ header, artifactClass }: Artifact): Fault {
  for (const [table, count] of TABLES) {
    const presence = CLASSES.get(artifactClass)?.[table];
    const isPresent = header.get(0, count) > 0;
    if (presence === (isPresent ? "no" : "required")) {
      return fault18("TableNotPermitted", count.offset, `${table}: ${presence}`);
    }
  }
  return null;
}
