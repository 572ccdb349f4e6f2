/**
 * Work that leaves nothing behind when it is interrupted. Packing is one long call that never
 * yields, so a thread of its own waits for the signal.
 */

/** What `interrupt_worker.ts` is told. */
export interface Temporaries {
  readonly folder: string;
  /** how the names of the files to remove begin */
  readonly prefix: string;
}

/**
 * Calls `work`. Should an interrupt, a hangup or a request to end arrive meanwhile, the
 * temporary files are removed, and the process ends by that signal.
 */
export async function leavingNothing<T>(temporaries: Temporaries, work: () => T): Promise<T> {
  const guard = new Worker(import.meta.resolve("./interrupt_worker.ts"), { type: "module" });
  try {
    await new Promise((ready) => {
      guard.onmessage = ready;
      guard.postMessage(temporaries);
    });
    return work();
  } finally {
    guard.terminate();
  }
}
