/** Inputs to begin with: files of a folder, and what other campaigns keep. */
import { CampaignStore } from "./store.ts";

/** The store of a campaign in its folder. */
export const STORE = "campaign.sqlite";

/**
 * What a folder holds of at most `limit` bytes: the corpus of a campaign, or its files and those of
 * the folders below. In the order of their names.
 * @throws Deno.errors.* where it cannot be read
 */
export function inputsIn(folder: string, limit: number): Uint8Array[] {
  const names = [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  if (names.some(({ name }) => name === STORE)) {
    const store = new CampaignStore(`${folder}/${STORE}`);
    const inputs = [...store.inputs()];
    store.close();
    return inputs.filter(({ length }) => length <= limit);
  }
  return names.flatMap(({ name, isDirectory, isFile }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return inputsIn(path, limit);
    return isFile && Deno.statSync(path).size <= limit ? [Deno.readFileSync(path)] : [];
  });
}
