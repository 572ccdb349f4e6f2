/**
 * One input on which a worker died or stood still, executed alone in a worker of its own: what
 * happens then is what is reported. A slow machine makes no hang.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import { load } from "./build.ts";
import { flawOfThrow } from "./flaw.ts";
import type { Flaw, Subject } from "./subject.ts";

/** Time after which an execution counts as endless. */
const HANG_MS = 5000;

/** Megabytes of heap of a worker; readers of a few KiB need a few of them. */
export const HEAP_MIB = 128;

interface SuspectData {
  readonly code: string;
  readonly input: Uint8Array;
}

if (parentPort && workerData?.input) {
  const port = parentPort;
  const { code, input } = workerData as SuspectData;
  const { exports } = await load<{ subject: Subject }>(code);
  port.postMessage("begun");
  // out of a timer: only so a full heap is told of
  setTimeout(() => {
    try {
      exports.subject.run(input, () => {});
    } catch (error) {
      port.postMessage(flawOfThrow(error));
    }
    port.postMessage("fine");
  }, 0);
}

/** Executes `input` alone. @returns what is wrong with it, or null */
export function suspect(code: string, input: Uint8Array): Promise<Flaw | null> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { code, input } satisfies SuspectData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  const { promise, resolve } = Promise.withResolvers<Flaw | null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flaw = (kind: "hang" | "memory" | "crash", detail: string) =>
    resolve({ class: kind, key: kind === "crash" ? "crash: the worker ends" : kind, detail });
  worker.on("message", (message: unknown) => {
    if (message === "begun") {
      timer = setTimeout(() => flaw("hang", `runs for more than ${HANG_MS} ms`), HANG_MS);
    } else resolve(message === "fine" ? null : message as Flaw);
  });
  worker.on(
    "error",
    (error: Error & { code?: string }) =>
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? flaw("memory", `fills a heap of ${HEAP_MIB} MiB`)
        : resolve(flawOfThrow(error)),
  );
  worker.on("exit", (code: number) => flaw("crash", `the worker ended with code ${code}`));
  return promise.finally(() => {
    clearTimeout(timer);
    return worker.terminate();
  });
}
