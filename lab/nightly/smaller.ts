/** Inputs of findings made smaller, for a person to look at, within a time. */
import { join } from "node:path";
import { AS_IT_STANDS } from "../campaign/campaign.ts";
import { fileFinding, MINIMIZED, writeSynced } from "../campaign/findings.ts";
import { Judge } from "../campaign/judge.ts";
import { minimize } from "../campaign/minimize.ts";
import { filedIn, inputOf } from "../gate/findings.ts";

/** Inputs that are judged for one finding, and time that one of them may take, in milliseconds. */
const TRIES = 4000, HANG_MS = 2000;

/** Bytes of an input that is worth it. */
const MOST_INPUT = 1 << 18;

/**
 * Minimises what is in a folder of findings and was not minimised yet. What fails in another way
 * meanwhile is filed beside it.
 * @returns how many were
 */
export async function minimizeFindings(
  folder: string,
  milliseconds: number,
  stopped: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + milliseconds;
  const over = () => performance.now() > deadline || stopped.aborted;
  let done = 0;
  for (const one of filedIn(folder).findings) {
    const path = join(one.folder, MINIMIZED), input = inputOf(one);
    if (over()) break;
    if (one.class === "unreadable" || input === null || input.length > MOST_INPUT) continue;
    if (exists(path)) continue;
    const judge = new Judge(AS_IT_STANDS, HANG_MS);
    try {
      if (!(await judge.ask(input)).some(({ key }) => key === one.key)) continue;
      const { input: smaller } = await minimize(input, {
        key: one.key,
        tries: TRIES,
        judge: (candidate) => over() ? Promise.resolve([]) : judge.ask(candidate),
        progress() {},
        async slip(flaw, candidate) {
          await fileFinding(folder, flaw, candidate);
        },
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
