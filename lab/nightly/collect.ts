/** Findings of a run join those of all runs: a folder a bucket, the first one stays. */
import { join } from "node:path";

/** Copies findings that `to` does not have; each appears whole or not at all. @returns how many */
export function collectFindings(from: string, to: string): number {
  let names: string[];
  try {
    names = [...Deno.readDirSync(from)].filter(({ name, isDirectory }) =>
      isDirectory && !name.startsWith(".")
    ).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
  Deno.mkdirSync(to, { recursive: true });
  const had = new Set([...Deno.readDirSync(to)].map(({ name }) => name));
  const fresh = names.filter((name) => !had.has(name));
  for (const name of fresh) {
    const draft = Deno.makeTempDirSync({ dir: to, prefix: ".draft-" });
    for (const { name: file, isFile } of Deno.readDirSync(join(from, name))) {
      if (isFile) Deno.copyFileSync(join(from, name, file), join(draft, file));
    }
    Deno.renameSync(draft, join(to, name));
  }
  return fresh.length;
}
