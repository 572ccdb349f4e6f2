/** Parts of the input in the smallest artifacts: most faults need one part and nothing of the rest. */
import { type Artifact, parse } from "../../mutators/artifact.ts";
import type { Search } from "./search.ts";
import { dropStrings } from "../../mutators/descriptors.ts";
import { keepTensor } from "./parts.ts";
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
  ["tables", "manifest"],
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
    await transplantBlobs(search, host);
    await transplantTensor(search, host);
  }
}

/** Blobs of kinds that a host has, and one kind more at most: its manifest does not ask for the others. */
async function transplantBlobs(search: Search, host: Uint8Array): Promise<void> {
  const kinds = parse(host).blobs.map(kindOf);
  const others = parse(search.best).blobs.map(kindOf).filter((kind) => !kinds.includes(kind));
  if (others.length === 0) return;
  for (const kept of [kinds, ...others.map((kind) => [...kinds, kind])]) {
    await search.takeEdited((artifact) => {
      const into = parse(host);
      PARTS.tables(into, artifact);
      into.blobs = into.blobs.filter((blob) => kept.includes(kindOf(blob)));
      dropStrings(into);
      Object.assign(artifact, into);
    });
  }
}

/** One tensor: all of a model may need more room in another artifact than the model did. */
async function transplantTensor(search: Search, host: Uint8Array): Promise<void> {
  if (parse(host).tensors.length === 0) return;
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
