/** The readers of the house as testees: `cursor` in this process, `cursor@chromium` in a browser. */
import { loadReaders } from "../readers.ts";
import { inProcess } from "./inprocess.ts";
import type { Testee } from "./testee.ts";

/**
 * Starts a reader by its name and place.
 * @throws UsageError for a name that is none, or where there is no Chromium
 */
export async function startReader(
  name: string,
  limits: { readonly milliseconds: number },
): Promise<Testee> {
  const inBrowser = name.endsWith("@chromium");
  const [reader] = await loadReaders(inBrowser ? name.slice(0, name.lastIndexOf("@")) : name);
  if (!inBrowser) return inProcess(reader);
  // bundling is loaded only where it is needed
  const { startInChromium } = await import("./chromium.ts");
  return await startInChromium(reader.name, limits);
}
