/** Parts of the input in the smallest artifacts: most faults need one part and nothing of the rest. */
import { type Artifact, parse } from "../../mutators/artifact.ts";
import type { Search } from "./search.ts";
import { smallestArtifacts } from "./smallest.ts";
import { renameCount, rowCount } from "./tables.ts";

/** What goes into another artifact: its header, its manifest, or everything that records describe. */
const PARTS: { readonly [name: string]: (into: Artifact, from: Artifact) => void } = {
  header: (into, from) => into.header = from.header,
  manifest: (into, from) => into.manifest = from.manifest,
  tables(into, from) {
    const before = rowCount(into), after = rowCount(from);
    if (before !== null && after !== null) renameCount(into, before, after);
    const { strings, quants, tensors, blobs, auxiliaries } = from;
    Object.assign(into, { strings, quants, tensors, blobs, auxiliaries });
  },
};

/** One part or two; tables before a manifest, which is taken as it is. */
const CHOICES = [
  ["header"],
  ["tables"],
  ["manifest"],
  ["header", "tables"],
  ["header", "manifest"],
  [
    "tables",
    "manifest",
  ],
];

export async function transplant(search: Search): Promise<void> {
  for (const host of smallestArtifacts()) {
    for (const choice of CHOICES) {
      await search.takeEdited((artifact) => {
        const into = parse(host);
        for (const name of choice) PARTS[name](into, artifact);
        Object.assign(artifact, into);
      });
    }
  }
}
