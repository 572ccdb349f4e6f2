/** Makes the input of a finding smaller: what it shows stays, whatever else is in it goes. */
import { isRequest } from "../../mutators/request.ts";
import { shrinkBytes, zeroBytes } from "./bytes.ts";
import { shrinkManifest } from "./manifest.ts";
import { shrinkModel } from "./model.ts";
import { shrinkParts } from "./parts.ts";
import { shrinkProbe } from "./probes.ts";
import { shrinkRanges } from "./ranges.ts";
import { shrinkRequest } from "./requests.ts";
import { type Minimized, type MinimizeOptions, Search } from "./search.ts";
import { shrinkTables } from "./tables.ts";
import { transplant } from "./transplant.ts";

export type { Minimized, MinimizeOptions };

/** @returns the smallest input that was found to show `key`; the given one where none is smaller */
export async function minimize(start: Uint8Array, options: MinimizeOptions): Promise<Minimized> {
  if (options.probe !== undefined) return await shrinkProbe(options.probe, start, options);
  const search = new Search(start, options);
  for (let before = Infinity; search.best.length < before && !search.over;) {
    before = search.best.length;
    await shrinkRequest(search, shrinkArtifact);
    if (!isRequest(search.best)) await shrinkArtifact(search);
    await shrinkBytes(search);
  }
  await zeroBytes(search);
  return { input: search.best, tries: search.tries, cut: search.over };
}

/** All steps that know what an artifact is. */
async function shrinkArtifact(search: Search): Promise<void> {
  await search.learnForms();
  await transplant(search);
  for (let before = Infinity; search.best.length < before && !search.over;) {
    before = search.best.length;
    await shrinkModel(search);
    await shrinkParts(search);
    await shrinkManifest(search);
    await shrinkTables(search);
  }
  await shrinkRanges(search);
}
