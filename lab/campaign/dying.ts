/**
 * A child that dies, for tests and benches of the watch: in each way in which code can end, in each
 * shape in which it can be entered.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Beat, BeatFile } from "./beat.ts";
import { Child } from "./child.ts";
import { DIE, type Way } from "./deadly.ts";
import { Watch } from "./watch.ts";

export const SHAPES = ["body", "message", "promise", "timer"] as const;
export type Shape = typeof SHAPES[number];

interface DyingData {
  readonly shape: Shape;
  readonly way: Way;
  readonly beat: string;
}

if (import.meta.main) {
  const { shape, way, beat } = JSON.parse(Deno.args[0]) as DyingData;
  const heart = new Beat(beat, 0);
  const die = () => {
    heart.show(0, 0, new Uint8Array(0));
    DIE[way]();
  };
  if (shape === "body") die();
  process.stdin.once("data", () => {
    if (shape === "message") die();
    else if (shape === "promise") Promise.resolve().then(die);
    else setTimeout(die, 0);
  });
}

/** Starts such a child, which waits for a message unless its shape is its body. */
export function dying(shape: Shape, way: Way): { child: Child; beat: BeatFile } {
  const beat = new BeatFile(Deno.makeTempFileSync(), 0);
  const child = new Child({
    script: fileURLToPath(import.meta.url),
    checkout: true,
    data: { shape, way, beat: beat.path } satisfies DyingData,
    young: 1,
    old: 32,
  });
  return { child, beat };
}

/** @returns the milliseconds from such a child's last beat until it is known to be dead */
export async function timeToNotice(shape: Shape, way: Way): Promise<number> {
  const { child, beat } = dying(shape, way);
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = new Watch(child, beat, () => resolve());
  let begun = 0;
  const feeling = setInterval(() => {
    if (begun > 0 || beat.beats === 0) return;
    begun = performance.now();
    watch.working = true;
  }, 1);
  child.send("die");
  await promise;
  const noticed = performance.now() - begun;
  clearInterval(feeling);
  await child.kill();
  beat.close();
  return noticed;
}
