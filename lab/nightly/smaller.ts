/** Inputs of findings made smaller, for a person to look at, within a time. */
import { join } from "node:path";
import { AS_IT_STANDS } from "../campaign/court.ts";
import { fileFinding, MINIMIZED, writeSynced } from "../campaign/findings.ts";
import { Judge } from "../campaign/judge.ts";
import { filedIn, inputOf } from "../gate/findings.ts";
import { minimize } from "../minimize/minimize.ts";

/** Time for one finding, and for one input of it. */
const SECONDS = 20, HANG_MS = 2000;

/** Bytes of an input that is worth it. */
const MOST_INPUT = 1 << 18;

/**
 * Minimises what is in a folder of findings and was not minimised yet. What fails in another way
 * meanwhile is filed beside it.
 * @returns how many were
 */
export async function minimizeFindings(
  folder: string,
  seconds: number,
  stopped: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + 1000 * seconds;
  const left = () => stopped.aborted ? 0 : (deadline - performance.now()) / 1000;
  let done = 0;
  for (const one of filedIn(folder).findings) {
    const path = join(one.folder, MINIMIZED), input = inputOf(one);
    if (left() <= 0) break;
    if (one.class === "unreadable" || input === null || input.length > MOST_INPUT) continue;
    if (exists(path)) continue;
    const judge = new Judge(AS_IT_STANDS, HANG_MS);
    try {
      if (!(await judge.ask(input)).some(({ key }) => key === one.key)) continue;
      const { input: smaller } = await minimize(input, {
        key: one.key,
        seconds: Math.min(SECONDS, left()),
        judge: (candidate) => stopped.aborted ? Promise.resolve([]) : judge.ask(candidate),
        progress() {},
        slip: (flaw, candidate) => void fileFinding(folder, flaw, candidate),
      });
      writeSynced(path, smaller);
      done++;
    } finally {
      await judge.close();
    }
  }
  return done;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
