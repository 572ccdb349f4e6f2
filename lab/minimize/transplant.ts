/** Parts of the input in the smallest artifacts: most faults need one part and nothing of the rest. */
import { type Artifact, parse } from "../../mutators/artifact.ts";
import type { Search } from "./search.ts";
import { dropStrings, keepTensor } from "./parts.ts";
import { smallestArtifacts } from "./smallest.ts";
import { kindOf, renameCount, rowCount } from "./tables.ts";

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
    // a blob that a host lacks is asked for by the manifest that stays behind
    await search.takeEdited((artifact) => {
      const into = parse(host), kinds = new Set(into.blobs.map(kindOf));
      if (artifact.blobs.every((blob) => kinds.has(kindOf(blob)))) return false;
      PARTS.tables(into, artifact);
      into.blobs = into.blobs.filter((blob) => kinds.has(kindOf(blob)));
      dropStrings(into);
      Object.assign(artifact, into);
      return true;
    });
    if (parse(host).tensors.length === 0) continue;
    // all tensors of a model may need more room there than the model did
    for (let i = parse(search.best).tensors.length - 1; i >= 0; i--) {
      await search.takeEdited((artifact) => {
        if (artifact.tensors.length < 2) return false;
        const into = parse(host);
        PARTS.tables(into, artifact);
        keepTensor(into, i);
        Object.assign(artifact, into);
        return true;
      });
    }
  }
}
