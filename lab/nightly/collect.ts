/** Findings of a run join those of all runs: a folder a bucket, the first one stays. */
import { join } from "node:path";
import { foldersIn, MOST_FINDINGS } from "../gate/findings.ts";

/** Copies findings that `to` does not have; each appears whole or not at all. @returns how many */
export async function collectFindings(from: string, to: string): Promise<number> {
  const { names } = await foldersIn(from, MOST_FINDINGS);
  Deno.mkdirSync(to, { recursive: true });
  const fresh = names.filter((name) => !exists(join(to, name)));
  for (const name of fresh) {
    const draft = Deno.makeTempDirSync({ dir: to, prefix: ".draft-" });
    for (const { name: file, isFile } of Deno.readDirSync(join(from, name))) {
      if (isFile) Deno.copyFileSync(join(from, name, file), join(draft, file));
    }
    Deno.renameSync(draft, join(to, name));
  }
  return fresh.length;
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
