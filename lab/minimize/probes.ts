/** The file of a probe of growing work: the smallest size of it whose growth still shows. */
import { fileOfProbe } from "../campaign/growth.ts";
import { probeInput } from "../campaign/probe_name.ts";
import type { Minimized, MinimizeOptions } from "./search.ts";

/** Each size tried is so much smaller than the one before: the clock tells no finer one apart. */
const STEP = 0.85;

/**
 * Tries sizes downward from that of `probe` until one does not show the flaw. Nothing else can go:
 * growth is between two sizes of one kind.
 */
export async function shrinkProbe(
  probe: string,
  input: Uint8Array,
  { key, judge, tries: most = Infinity, seconds = Infinity, progress }: MinimizeOptions,
): Promise<Minimized> {
  const [, name, size] = /^(.*) (\d+)$/.exec(probe)!;
  const begun = performance.now();
  let best = input, n = Number(size), tries = 0;
  for (;;) {
    if (tries >= most || performance.now() - begun > 1000 * seconds) {
      return { input: best, probe: `${name} ${n}`, tries, cut: true };
    }
    const smaller = Math.floor(STEP * n);
    if (smaller < 1) break;
    const flaws = await judge(probeInput(`${name} ${smaller}`));
    tries++;
    if (!flaws.some((flaw) => flaw.key === key)) break;
    n = smaller;
    best = fileOfProbe(`${name} ${n}`);
    progress?.(tries, best.length);
  }
  return { input: best, probe: `${name} ${n}`, tries, cut: false };
}
