/** Inputs of findings made smaller, for a person to look at, within a time. */
import { join } from "node:path";
import { MINIMIZED } from "../campaign/findings.ts";
import { filedIn } from "../gate/findings.ts";
import { ROOT } from "../gate/standing.ts";
import { Group } from "./group.ts";

/** What a command says that threw. */
const LAB_FAULT = "this is a fault of the lab";

/** Seconds for one finding. */
const EACH = 20;

/**
 * Minimises what is in a folder of findings and was not minimised yet, each in a process of its
 * own. What fails in another way meanwhile is filed beside it.
 * @returns names of findings with which the lab itself failed
 */
export async function minimizeFindings(
  folder: string,
  seconds: number,
  stopped: AbortSignal,
): Promise<string[]> {
  const deadline = performance.now() + 1000 * seconds;
  const failed: string[] = [];
  for (const { name, folder: path, class: kind } of (await filedIn(folder)).findings) {
    const left = Math.ceil((deadline - performance.now()) / 1000);
    if (left <= 0 || stopped.aborted) break;
    if (kind === "unreadable" || exists(join(path, MINIMIZED))) continue;
    const each = Math.min(EACH, left);
    const args = ["minimize", path, "--seconds", String(each)];
    const group = new Group(["run", "-A", "lab/main.ts", ...args], ROOT);
    const stop = () => group.end();
    const timer = setTimeout(stop, 2000 * each);
    stopped.addEventListener("abort", stop);
    const [, said] = await Promise.all([
      group.stdout.pipeTo(new WritableStream()),
      new Response(group.stderr).text(),
      group.code,
    ]);
    clearTimeout(timer);
    stopped.removeEventListener("abort", stop);
    if (said.includes(LAB_FAULT)) failed.push(name);
  }
  return failed;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
