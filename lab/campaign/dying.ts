/**
 * A worker that dies, for tests and benches of the watch: in each shape in which code can be entered,
 * in each way in which it can end.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import process from "node:process";
import { Beat } from "./beat.ts";
import { Watch } from "./watch.ts";

export const SHAPES = ["body", "message", "promise", "timer"] as const;
export const WAYS = ["heap", "loop", "silent"] as const;
export type Shape = typeof SHAPES[number];
export type Way = typeof WAYS[number];

const DIE: Record<Way, () => void> = {
  /** In large objects: small ones can fill the heap inside a scavenge, which ends the whole process. */
  heap() {
    for (const kept: unknown[] = [];;) kept.push(new Array(200_000).fill({}));
  },
  loop() {
    for (;;);
  },
  silent() {
    process.exit(0);
  },
};

interface DyingData {
  readonly shape: Shape;
  readonly way: Way;
  readonly beat: SharedArrayBuffer;
}

if (parentPort && workerData?.way) {
  const port = parentPort;
  const { shape, way, beat } = workerData as DyingData;
  const heart = new Beat(beat);
  const die = () => {
    heart.show(0, 0, new Uint8Array(0));
    DIE[way]();
  };
  port.on("message", () => {
    if (shape === "message") die();
    else if (shape === "promise") Promise.resolve().then(die);
    else setTimeout(die, 0);
  });
  if (shape === "body") die();
}

/** Starts such a worker. @returns the milliseconds from its last beat until it is known to be dead */
export async function timeToNotice(shape: Shape, way: Way): Promise<number> {
  const beat = Beat.of(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { shape, way, beat: beat.memory } satisfies DyingData,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  const watch = new Watch(worker, beat, () => resolve());
  let begun = 0;
  const feeling = setInterval(() => {
    if (begun > 0 || beat.beats === 0) return;
    begun = performance.now();
    watch.working = true;
  }, 1);
  worker.postMessage("die");
  await promise;
  const noticed = performance.now() - begun;
  clearInterval(feeling);
  await worker.terminate();
  return noticed;
}
