/** The readers as a campaign has them, and as an input is judged alone. */
import type { SeededFault } from "../faults/fault.ts";
import type { BuildOptions } from "./build.ts";
import type { Court } from "./judge.ts";
import { prepare } from "./prepare.ts";

/** The readers with counters, but for their hashes and signatures. */
export const SUBJECT: BuildOptions = {
  entry: "lab/campaign/readers.ts",
  comparing: "lab/campaign/comparing.ts",
  instrumented: ["readers/"],
  left: [
    "readers/source.ts",
    "readers/cursor/blake3",
    "readers/cursor/sha512",
    "readers/cursor/ed25519",
    "readers/table/blake3",
    "readers/table/ed25519",
    "readers/table/hash",
  ],
  timed: ["readers/cursor/blake3.ts", "readers/table/blake3.ts"],
};

/** The subject as it stands: what it does not confirm is the fault of the counters. */
export const AS_IT_STANDS: Court = { module: new URL("./readers.ts", import.meta.url).href };

/** How much a court sees: with counters it tells where an execution stays that does not end. */
export type Sight = "plain" | "counters";

/**
 * Calls `use` with a court of the readers.
 * @param fault planted into them; absent: as they stand
 */
export async function inCourt<T>(
  sight: Sight,
  fault: SeededFault | undefined,
  use: (court: Court) => Promise<T>,
): Promise<T> {
  if (sight === "plain" && fault === undefined) return await use(AS_IT_STANDS);
  const folder = Deno.makeTempDirSync();
  try {
    const { guided, plain, edgesFile } = await prepare(folder, { subject: SUBJECT, fault });
    return await use({ build: sight === "plain" ? plain : guided, edges: edgesFile });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
